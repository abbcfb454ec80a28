"""From result rows to a report: tables, figures and pages in one folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pearl.errors import PearlError
from pearl.experiments import (
    Exhibit,
    Experiment,
    Params,
    Profile,
    load_environment,
    load_params,
    profile_of,
)
from pearl.files import whole_folder
from pearl.project import Project
from pearl.report.cells import write_csv
from pearl.report.choice import NO_DATA, Asked, all_shown
from pearl.report.claims import Paper, load_paper
from pearl.report.equal_runs import equal_runs
from pearl.report.exhibits.asked import Asked as AskedExhibit
from pearl.report.exhibits.kinds import Made, exhibit_kind
from pearl.report.figures import figure_of
from pearl.report.kinds import kind_of
from pearl.report.layout import Shown
from pearl.report.page import Head, write_pages
from pearl.report.printing import paper_view
from pearl.report.rewards.cost import STEM, Cost, cost
from pearl.report.rewards.table import RewardTable
from pearl.report.rows import Runs, read_rows
from pearl.report.sections import Section, make_sections
from pearl.report.settings import ReportSettings
from pearl.runs import results
from pearl.runs.measured import Measured

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
    files: Mapping[str, Path],
    *,
    main: bool = False,
    remedy: str | None = None,
) -> tuple[str, ...]:
    """Write index.html, a page a paper, the same in Markdown, figures/ and tables/.

    Args:
        project: whose experiments and params.yaml are used.
        asked: profile and sources; rows of others are an error.
        files: results by the id of the experiment or exhibit; those without are named as such.
        main: write reports/ itself, else the variant's own folder.
        remedy: what to do where nothing has results; None names the `pearl run` command.

    Returns:
        The ids of what is reported.

    Raises:
        PearlError: there are no results, or they belong to another profile or source.
    """
    params, profile = load_params(project), profile_of(asked.profile)
    settings = ReportSettings.of(params.report)
    papers = {name: load_paper(name) for name in PAPERS}
    tables: list[tuple[Shown, Any]] = []
    notes: dict[str, tuple[str, ...]] = {}
    absent: list[Shown] = []
    known = all_shown(project)
    for each in known:
        file = files.get(each.id)
        if isinstance(each, Exhibit) and each.dataset is None:
            tables.append((each, _exhibit(each, project, params, profile, None)))
        elif file is None:
            absent.append(each)
        elif isinstance(each, Exhibit):
            measured = _measured(each, asked.profile, asked.source_of(each, project), file)
            tables.append((each, _exhibit(each, project, params, profile, measured)))
        else:
            under = each.under(profile)
            runs = _read(under, asked.profile, asked.source_of(under, project), file)
            paper = papers[under.paper]
            methods = load_environment(under.environment, project).method_models()
            notes[under.id] = equal_runs(runs, methods)
            estimate = kind_of(under).estimate
            tables.append((under, estimate(under, paper, runs, settings, each.horizon)))
    # What is made of the registry alone makes no report.
    reported = {each.paper for each, _ in tables if not _is_of_registry(each)}
    tables = [pair for pair in tables if pair[0].paper in reported]
    if not tables:
        raise _nothing(project, asked, absent, remedy)
    parts = [_part(papers[name], tables, notes) for name in PAPERS if _of(name, tables)]
    output = project.reports if main else asked.output(project)
    _write_tables(parts, output / "tables")
    _draw(parts, output / "figures")
    sections = [section for part in parts for section in part.sections]
    of_data = [one.runs for one in sections if not _is_of_registry(one.experiment)]
    head = Head.of(of_data, settings, main=main)
    views = [
        paper_view(part.paper, part.sections, known, absent, [part.cost.view] if part.cost else [])
        for part in parts
    ]
    others = [
        (papers[name], tuple((e.id, e.title, e.place) for e in absent if e.paper == name))
        for name in PAPERS
        if name not in reported
    ]
    write_pages(output, head, views, others)
    return tuple(section.experiment.id for section in sections)


def _nothing(
    project: Project, asked: Asked, absent: Sequence[Shown], remedy: str | None
) -> PearlError:
    of_source = (each for each in absent if asked.source_of(each, project) == asked.source)
    first = next(of_source, absent[0] if absent else None)
    run = f"pearl run {first.id if first else 'EXPERIMENT'} --profile {asked.profile}"
    if first is not None:
        source = asked.source_of(first, project)
        run += f" --source {source}" if source != NO_DATA else ""
    return PearlError(
        f"There are no results of {asked.words}.",
        remedy=remedy or f"Make some with `{run}`.",
    )


def _of(paper: str, tables: Sequence[tuple[Shown, Any]]) -> list[tuple[Shown, Any]]:
    return [pair for pair in tables if pair[0].paper == paper]


def _part(
    paper: Paper, tables: Sequence[tuple[Shown, Any]], notes: Mapping[str, tuple[str, ...]]
) -> _Part:
    own = _of(paper.paper, tables)
    costs = cost([table for _, table in own if isinstance(table, RewardTable)])
    return _Part(paper, make_sections(paper, own, notes), costs)


def _read(experiment: Experiment, profile: str, source: str, file: Path) -> tuple[Runs, ...]:
    runs = read_rows(results.read(file), experiment.methods)
    found = runs[0].experiment, runs[0].profile, runs[0].source
    _check_variant(file, found, (experiment.id, profile, source))
    return runs


def _measured(exhibit: Exhibit, profile: str, source: str, file: Path) -> Measured:
    measured = Measured.read(file)
    found = measured.exhibit, measured.profile, measured.source
    _check_variant(file, found, (exhibit.id, profile, source))
    return measured


def _check_variant(file: Path, found: tuple[str, ...], asked: tuple[str, ...]) -> None:
    if found != asked:
        raise PearlError(
            f"{file} holds {found[0]} of profile {found[1]} on source {found[2]}; this report is"
            f" of profile {asked[1]} on source {asked[2]}.",
            remedy="Make the results again: `dvc repro`, or `pearl run` for another variant.",
        )


def _exhibit(
    exhibit: Exhibit, project: Project, params: Params, profile: Profile, found: Measured | None
) -> Made:
    return exhibit_kind(exhibit).make(AskedExhibit(exhibit, project, params, profile, found))


def _is_of_registry(shown: Shown) -> bool:
    return isinstance(shown, Exhibit) and shown.dataset is None


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
