"""Sections printed as the text that the page's templates are filled with."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from pearl.experiments import Experiment
from pearl.experiments.words import one_of
from pearl.report.cells import SHORT_KEY, Cell
from pearl.report.claims import (
    NOT_REPRODUCED,
    NOT_TESTABLE,
    AnyClaim,
    NumberClaim,
    OrderClaim,
    Paper,
    ParityClaim,
)
from pearl.report.explanations import EXPLANATIONS, Explanation
from pearl.report.final_regret import FinalRegret
from pearl.report.findings import Finding
from pearl.report.numbers import between, percent, plain
from pearl.report.rows import Runs
from pearl.report.sections import Section
from pearl.report.views import ClaimView, Entry, ExperimentView, Measure, PaperView

AT_LEAST = "\N{GREATER-THAN OR EQUAL TO}"
BOUNDS = {"at_least": f"{AT_LEAST} ", "at_most": "\N{LESS-THAN OR EQUAL TO} ", None: ""}
UNSHOWN = ("BH q (paper", "difference of")
"""Columns that stand in the CSV file alone; the differences are among the claims."""
CAVEAT = "Intervals cover seeds, not new users or request streams."


def claim_view(finding: Finding) -> ClaimView:
    """Print a claim and what was measured for it."""
    claim, cells = finding.claim, finding.cells
    bound = " (bound)" if isinstance(claim, NumberClaim) and claim.bound else ""
    return ClaimView(
        statement=claim.statement,
        place=claim.place,
        kind=claim.kind + bound,
        experiment=claim.experiment,
        published=_published(claim),
        measures=tuple(_measure(claim, cell) for cell in cells),
        verdict=finding.verdict,
        tone=tone(finding.verdict),
        scope=finding.scope,
        note=claim.note,
    )


def _published(claim: AnyClaim) -> str:
    if isinstance(claim, NumberClaim):
        return f"{BOUNDS[claim.bound]}{claim.published}{_unit(claim)}"
    if isinstance(claim, OrderClaim):
        return "lower"
    if isinstance(claim, ParityClaim):
        return f"equal within {claim.margin:g}"
    return f"{AT_LEAST} 0"


def _measure(claim: AnyClaim, cell: Cell) -> Measure:
    of = ""
    if isinstance(claim, OrderClaim | ParityClaim):
        of = f"difference from {cell.row}"
    elif isinstance(claim, NumberClaim) and claim.quantity == "reduction":
        of = f"against {cell.row}"
    if cell.measured is None:
        return Measure(of, "\N{EM DASH}", "", cell.verdict)
    decimals = 1 if _unit(claim) else None
    if isinstance(claim, NumberClaim) and claim.fact is not None:
        decimals = len(claim.published.partition(".")[2])
    text = plain(cell.measured.estimate, decimals) + _unit(claim)
    return Measure(of, text, between(cell.measured, decimals), cell.verdict)


def _unit(claim: AnyClaim) -> str:
    return "%" if isinstance(claim, NumberClaim) and claim.quantity == "reduction" else ""


def tone(verdict: str) -> str:
    """Return the colour class of a verdict: good, bad or open."""
    if verdict.startswith(NOT_REPRODUCED):
        return "bad"
    return "open" if verdict.startswith(NOT_TESTABLE) else "good"


def paper_view(paper: Paper, sections: Sequence[Section]) -> PaperView:
    """Print a paper's claims and sections."""
    views = [[claim_view(finding) for finding in section.findings] for section in sections]
    notes = tuple(dict.fromkeys(view.note for part in views for view in part if view.note))
    marked = [
        [
            replace(view, mark=str(notes.index(view.note) + 1)) if view.note else view
            for view in part
        ]
        for part in views
    ]
    return PaperView(
        paper,
        tuple(view for part in marked for view in part),
        notes,
        tuple(experiment_view(*pair) for pair in zip(sections, marked, strict=True)),
    )


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
        provenance=_provenance(table),
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


INSTANCE = {
    "instance/construction_requests": "{:,.0f} construction",
    "instance/calibration_requests": "{:,.0f} calibration",
    "instance/evaluation_requests": "{:,.0f} evaluation requests",
    "instance/actions": "{:,.0f} actions",
    "instance/segments": "{:,.0f} segments",
    "instance/norm_bound": "S = {:.5g}",
    "instance/theta_star_norm": "norm of \N{GREEK SMALL LETTER THETA}* = {:.5g}",
    "instance/regularization": "\N{GREEK SMALL LETTER LAMDA} = {:.5g}",
    "instance/operator_norm": "largest operator norm of A(s) = {:.4g}",
}


def _instance(runs: Runs) -> str:
    """Say what was measured of the instance; every run of a table stands on the same one."""
    run = next(iter(runs.methods.values()))
    found = {name: run.metric(name) for name in INSTANCE}
    said = [
        INSTANCE[name].format(values[0]) for name, values in found.items() if values is not None
    ]
    return ", ".join(said)


def _provenance(table: FinalRegret) -> tuple[tuple[str, str], ...]:
    runs, told = table.runs, table.runs.provenance
    methods = sorted({i.method for i in table.regrets.values()})
    split = runs.facts.get("split_label") or str(runs.settings.get("split", ""))
    settings = ", ".join(f"{k} = {v}" for k, v in runs.settings.items() if k != "kind")
    lines = [
        ("data", told.label),
        ("source", f"{told.source}, {told.publisher}"),
        ("revision", told.revision),
        ("address", told.url),
        *((f"sha256 of {file.name}", file.sha256) for file in told.files),
        ("rows", f"{told.rows:,}"),
        ("licence", told.licence),
        ("split", split),
        ("instance", _instance(runs)),
        ("settings", f"{settings}, horizon = {runs.horizon}"),
        ("profile", runs.profile),
        ("intervals", f"{', '.join(methods)}; {CAVEAT}"),
    ]
    by_count: dict[tuple[int, ...], list[str]] = {}
    for run in runs.methods.values():
        by_count.setdefault(run.seeds, []).append(run.label)
    for seeds, labels in by_count.items():
        who = "every method" if len(by_count) == 1 else ", ".join(labels)
        lines.append(("seeds", f"n = {len(seeds)} ({', '.join(map(str, seeds))}), {who}"))
    return tuple((name, value) for name, value in lines if value)
