"""From result rows to a report: tables, figures and pages in one folder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pearl.errors import PearlError
from pearl.experiments import Experiment, load_params, profile_of
from pearl.files import whole_folder
from pearl.project import Project
from pearl.report.cells import write_csv
from pearl.report.choice import Asked, shown_experiments
from pearl.report.claims import Paper, load_paper
from pearl.report.figures import figure_of
from pearl.report.kinds import kind_of
from pearl.report.page import Head, write_pages
from pearl.report.printing import paper_view
from pearl.report.rewards.cost import STEM, Cost, cost
from pearl.report.rewards.table import RewardTable
from pearl.report.rows import Runs, read_rows
from pearl.report.sections import Section, make_sections
from pearl.report.settings import ReportSettings
from pearl.runs import results

PAPERS = ("memory", "pearl")


@dataclass(frozen=True)
class _Part:
    """A paper's part of the report."""

    paper: Paper
    sections: tuple[Section, ...]
    cost: Cost | None


def build(
    project: Project,
    asked: Asked,
    *,
    stage: bool = False,
    remedy: str | None = None,
) -> tuple[str, ...]:
    """Write index.html, index.md, figures/ and tables/.

    Args:
        project: whose experiments and params.yaml are used.
        asked: profile and sources; rows of others are an error. Experiments without results are
            named as such.
        stage: read DVC's results/ and write its reports/; else what `pearl run` left in store/
            goes into the variant's own folder.
        remedy: what to do where no experiment has results; None names the `pearl run` command.

    Returns:
        The ids of the experiments reported.

    Raises:
        PearlError: there are no results, or they belong to another profile or source.
    """
    settings = ReportSettings.of(load_params(project).report)
    papers = {name: load_paper(name) for name in PAPERS}
    tables: list[tuple[Experiment, Any]] = []
    absent: list[Experiment] = []
    known = shown_experiments(project)
    for experiment in known:
        under = experiment.under(profile_of(asked.profile))
        file = asked.made(under, project)
        if stage:
            file = project.results / file.name
        if not file.is_file():
            absent.append(under)
            continue
        runs = _read(under, asked.profile, asked.source_of(under, project), file)
        estimate = kind_of(under).estimate
        paper = papers[under.paper]
        tables.append((under, estimate(under, paper, runs, settings, experiment.horizon)))
    if not tables:
        raise _nothing(project, asked, absent, remedy)
    ids = [experiment.id for experiment in known]
    parts = [_part(papers[name], tables) for name in PAPERS if _of(name, tables)]
    output = project.reports if stage else asked.output(project)
    _write_tables(parts, output / "tables")
    _draw(parts, output / "figures")
    sections = [section for part in parts for section in part.sections]
    head = Head.of([section.runs for section in sections], settings, main=stage)
    views = [
        paper_view(part.paper, part.sections, ids, [part.cost.view] if part.cost else [])
        for part in parts
    ]
    write_pages(output, head, views, absent)
    return tuple(section.experiment.id for section in sections)


def _nothing(
    project: Project, asked: Asked, absent: Sequence[Experiment], remedy: str | None
) -> PearlError:
    first = absent[0] if absent else None
    run = f"pearl run {first.id if first else 'EXPERIMENT'} --profile {asked.profile}"
    where = project.results
    if first is not None:
        where = asked.made(first, project).parent
        source = asked.source_of(first, project)
        run += f" --source {source}" if source != "none" else ""
    return PearlError(
        f"There are no results of profile {asked.profile} in {where}.",
        remedy=remedy or f"Make some with `{run}`.",
    )


def _of(paper: str, tables: Sequence[tuple[Experiment, Any]]) -> list[tuple[Experiment, Any]]:
    return [pair for pair in tables if pair[0].paper == paper]


def _part(paper: Paper, tables: Sequence[tuple[Experiment, Any]]) -> _Part:
    own = _of(paper.paper, tables)
    costs = cost([table for _, table in own if isinstance(table, RewardTable)])
    return _Part(paper, make_sections(paper, own), costs)


def _read(experiment: Experiment, profile: str, source: str, file: Path) -> tuple[Runs, ...]:
    runs = read_rows(results.read(file), experiment.methods)
    found = runs[0].experiment, runs[0].profile, runs[0].source
    if found != (experiment.id, profile, source):
        raise PearlError(
            f"{file} holds {found[0]} of profile {found[1]} on source {found[2]}; this report is"
            f" of profile {profile} on source {source}.",
            remedy="Make the results again: `dvc repro`, or `pearl run` for another variant.",
        )
    return runs


def _write_tables(parts: Sequence[_Part], target: Path) -> None:
    with whole_folder(target) as folder:
        for part in parts:
            for one in part.sections:
                write_csv(folder / f"{one.experiment.file_stem}.csv", one.runs, one.cells)
            if part.cost is not None:
                runs = part.cost.runs
                write_csv(folder / f"{STEM}.csv", runs, part.cost.cells, experiment="pearl/cost")


def _draw(parts: Sequence[_Part], target: Path) -> None:
    with whole_folder(target) as folder:
        for one in (section for part in parts for section in part.sections):
            experiment = one.experiment
            if experiment.report.figure is not None:
                figure = figure_of(experiment.report.figure, experiment.id)
                figure.draw(one.table, folder, experiment.file_stem)
