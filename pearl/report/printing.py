"""Sections printed as the text that the page's templates are filled with."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from pearl.experiments import Experiment
from pearl.report.cells import SHORT_KEY, Cell
from pearl.report.claim_views import claim_not_run, claim_view
from pearl.report.claims import Paper
from pearl.report.explanations import EXPLANATIONS, Explanation
from pearl.report.final_regret import FinalRegret
from pearl.report.numbers import between, percent, plain
from pearl.report.origin import CAVEAT, origin
from pearl.report.sections import Section
from pearl.report.views import ClaimView, Entry, ExperimentView, PaperView
from pearl.words import one_of

UNSHOWN = ("BH q (paper", "difference of")
"""Columns that stand in the CSV file alone; the differences are among the claims."""


def paper_view(paper: Paper, sections: Sequence[Section]) -> PaperView:
    """Print a paper's claims, those without results too, and its sections."""
    found = {one.claim.id: claim_view(one) for section in sections for one in section.findings}
    views = [found.get(claim.id) or claim_not_run(claim) for claim in paper.claims]
    notes = tuple(dict.fromkeys(view.note for view in views if view.note))
    marked = tuple(
        replace(view, mark=str(notes.index(view.note) + 1)) if view.note else view for view in views
    )
    experiments = []
    for section in sections:
        own = [view for view in marked if view.experiment == section.experiment.id]
        experiments.append(experiment_view(section, own))
    return PaperView(paper, marked, notes, tuple(experiments))


def experiment_view(section: Section, claims: Sequence[ClaimView]) -> ExperimentView:
    """Print an experiment's section; `claims` are its own."""
    experiment, table = section.experiment, section.table
    runs = table.runs
    body = [
        cell for cell in section.cells if cell.row in {table.label(name) for name in table.order}
    ]
    shown = [c for c in dict.fromkeys(cell.column for cell in body) if not c.startswith(UNSHOWN)]
    at = {(cell.row, cell.column): cell for cell in body}
    rows = tuple(
        (
            table.label(name),
            name == table.reference,
            tuple(_entry(at.get((table.label(name), column))) for column in shown),
        )
        for name in table.order
    )
    return ExperimentView(
        experiment=experiment,
        stem=experiment.file_stem,
        figure=experiment.report.figure is not None,
        caption=_caption(experiment, table),
        sample=runs.on_sample_data,
        head=("method", *(_heading(column) for column in shown)),
        rows=rows,
        beneath=(*section.beneath, CAVEAT),
        provenance=origin(table),
        keys=tuple(
            (run.label, tuple(key[:SHORT_KEY] for key in run.keys)) for run in runs.methods.values()
        ),
        missed=tuple(view for view in claims if view.tone == "bad"),
        explanation=_explanation(experiment, table),
    )


def markdown_rows(entry: ExperimentView) -> list[tuple[str, ...]]:
    """Return the table's rows as plain text for index.md."""
    return [
        (f"**{label}**" if leads else label, *(f"{e.text} {e.interval}".strip() for e in entries))
        for label, leads, entries in entry.rows
    ]


def _explanation(experiment: Experiment, table: FinalRegret) -> Explanation | None:
    told = experiment.report.explanation
    if told is None:
        return None
    return EXPLANATIONS[one_of(told, EXPLANATIONS, f"explanation of {experiment.id}")](table)


def _entry(cell: Cell | None) -> Entry:
    if cell is None or cell.measured is None:
        return Entry("\N{EM DASH}")
    value = cell.measured.estimate
    if "BH q" in cell.column:
        return Entry("<0.0001" if value < 1e-4 else f"{value:.2g}")
    if cell.column.endswith("share"):
        return Entry(percent(value))
    decimals = 1 if cell.column.endswith("(%)") else None
    return Entry(plain(value, decimals), between(cell.measured, decimals), cell.verdict)


def _heading(column: str) -> str:
    name, _, t = column.rpartition("t=")
    if name and t.isdigit():
        return f"{name}t\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}{int(t):,}"
    return re.sub(r"BH q \(table, (m=\d+)\)", r"q (\1)", column)


def _caption(experiment: Experiment, table: FinalRegret) -> str:
    runs = table.runs
    counts = {len(run.seeds) for run in runs.methods.values()}
    seeds = " to ".join(str(n) for n in sorted({min(counts), max(counts)}))
    memory = f" at M = {runs.settings['memory']}" if "memory" in runs.settings else ""
    return (
        f"{experiment.title}{memory}, T = {runs.horizon:,}. Cumulative pseudo-regret against the"
        f" exact optimum; lines are means over {seeds} seeds with paired request streams, bands one"
        f" standard deviation. Beside {experiment.place} of the paper. Data:"
        f" {runs.provenance.label}."
    )
