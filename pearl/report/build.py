"""From result rows to a report: tables, figures and pages in one folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pearl.errors import PearlError
from pearl.experiments import (
    Experiment,
    load_environment,
    load_experiments,
    load_params,
    profile_of,
)
from pearl.files import whole_folder
from pearl.project import Project
from pearl.report.cells import write_csv
from pearl.report.claims import load_paper
from pearl.report.figures import FIGURES
from pearl.report.final_regret import FinalRegret, estimate
from pearl.report.page import Head, write_pages
from pearl.report.printing import paper_view
from pearl.report.rows import Runs, read_rows
from pearl.report.sections import Section, make_sections
from pearl.report.settings import ReportSettings
from pearl.runs import results

TABLES = {"final_regret": estimate}
PAPERS = ("memory", "pearl")


def build(
    project: Project,
    *,
    profile: str,
    source: str | None,
    results_folder: Path,
    output: Path,
    remedy: str | None = None,
) -> tuple[str, ...]:
    """Write index.html, index.md, figures/ and tables/ into `output`.

    Args:
        project: whose experiments and params.yaml are used.
        profile: smoke, sample or paper; rows of another are an error.
        source: hub, mirror or sample; None takes each data set's from params.yaml and profile.
        results_folder: holds <experiment>.parquet; an experiment without one is named as not run.
        output: project.reports, or a folder in it for a variant.
        remedy: what to do where no experiment has results; None names the `pearl run` command.

    Returns:
        The ids of the experiments reported.

    Raises:
        PearlError: there are no results, or they belong to another profile or source.
    """
    settings = ReportSettings.of(load_params(project).report)
    tables: list[tuple[Experiment, FinalRegret]] = []
    absent: list[Experiment] = []
    for experiment in load_experiments(project).values():
        if experiment.report.table is None:
            continue
        under = experiment.under(profile_of(profile))
        file = results_folder / f"{experiment.file_stem}.parquet"
        if file.is_file():
            runs = _read(project, under, profile, source, file)
            tables.append((under, _estimate(under, runs, settings)))
        else:
            absent.append(under)
    if not tables:
        run = f"pearl run {absent[0].id if absent else 'EXPERIMENT'} --profile {profile}"
        run += f" --source {source}" if source else ""
        raise PearlError(
            f"There are no results of profile {profile} in {results_folder}.",
            remedy=remedy or f"Make some with `{run}`.",
        )
    papers = [
        (paper, make_sections(paper, [pair for pair in tables if pair[0].paper == name]))
        for name in PAPERS
        if any(experiment.paper == name for experiment, _ in tables)
        for paper in (load_paper(name),)
    ]
    sections = [section for _, made in papers for section in made]
    _write_tables(sections, output / "tables")
    _draw(sections, output / "figures")
    head = Head.of([table.runs for _, table in tables], settings, main=output == project.reports)
    write_pages(output, head, [paper_view(*pair) for pair in papers], absent)
    return tuple(section.experiment.id for section in sections)


def _read(
    project: Project, experiment: Experiment, profile: str, source: str | None, file: Path
) -> tuple[Runs, ...]:
    runs = read_rows(results.read(file), experiment.methods)
    found = runs[0].experiment, runs[0].profile, runs[0].source
    dataset = load_environment(experiment.environment, project).dataset
    wanted = found[2]
    if dataset is not None:
        wanted = load_params(project).source(dataset, flag=source, profile=profile).source
    if found != (experiment.id, profile, wanted):
        raise PearlError(
            f"{file} holds {found[0]} of profile {found[1]} on source {found[2]}; this report is"
            f" of profile {profile} on source {wanted}.",
            remedy="Make the results again: `dvc repro`, or `pearl run` for another variant.",
        )
    return runs


def _estimate(
    experiment: Experiment, runs: tuple[Runs, ...], settings: ReportSettings
) -> FinalRegret:
    kind = TABLES.get(str(experiment.report.table))
    if kind is None:
        raise PearlError(
            f"{experiment.id}: there is no table {experiment.report.table!r}.",
            remedy=f"The tables are: {', '.join(TABLES)}.",
        )
    return kind(runs, experiment.reference, experiment.methods, settings)


def _write_tables(sections: Sequence[Section], target: Path) -> None:
    with whole_folder(target) as folder:
        for one in sections:
            write_csv(folder / f"{one.experiment.file_stem}.csv", one.table.runs, one.cells)


def _draw(sections: Sequence[Section], target: Path) -> None:
    with whole_folder(target) as folder:
        for one in sections:
            kind = one.experiment.report.figure
            if kind is None:
                continue
            if kind not in FIGURES:
                raise PearlError(
                    f"{one.experiment.id}: there is no figure {kind!r}.",
                    remedy=f"The figures are: {', '.join(FIGURES)}.",
                )
            FIGURES[kind](one.table, folder, one.experiment.file_stem)
