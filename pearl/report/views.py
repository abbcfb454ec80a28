"""What the page's templates are filled with: text only, every number already printed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pearl.experiments import Experiment
from pearl.report.cells import SHORT_KEY, Cell
from pearl.report.claims import NOT_REPRODUCED, NOT_TESTABLE, Paper
from pearl.report.explanations import Explanation, clip_ties
from pearl.report.final_regret import FinalRegret
from pearl.report.findings import Finding
from pearl.report.numbers import between, plain
from pearl.report.sections import Section

CAVEAT = "Intervals cover seeds, not new users or request streams."


@dataclass(frozen=True)
class Entry:
    """A printed cell: the number, its interval, and the verdict on it where there is one."""

    text: str
    interval: str = ""
    verdict: str = ""


@dataclass(frozen=True)
class Measure:
    """One of the cells behind a claim; `of` says what it measures, "" where that is plain."""

    of: str
    text: str
    interval: str
    verdict: str


@dataclass(frozen=True)
class ClaimView:
    """A line of a paper's summary."""

    statement: str
    place: str
    kind: str
    experiment: str
    published: str
    measures: tuple[Measure, ...]
    verdict: str
    tone: str
    scope: str
    note: str


@dataclass(frozen=True)
class ExperimentView:
    """A section of the page: figure, caption, table, provenance, what did not come out and why."""

    experiment: Experiment
    stem: str
    figure: bool
    caption: str
    sample: bool
    head: tuple[str, ...]
    rows: tuple[tuple[str, bool, tuple[Entry, ...]], ...]
    beneath: tuple[str, ...]
    provenance: tuple[tuple[str, str], ...]
    keys: tuple[tuple[str, tuple[str, ...]], ...]
    missed: tuple[ClaimView, ...]
    explanation: Explanation | None


@dataclass(frozen=True)
class PaperView:
    """A paper: its claims, then its experiments."""

    paper: Paper
    claims: tuple[ClaimView, ...]
    experiments: tuple[ExperimentView, ...]


def claim_view(finding: Finding) -> ClaimView:
    """Print a claim and what was measured for it."""
    claim, cells = finding.claim, finding.cells
    several = len(cells) > 1 or finding.scope.startswith("against")
    unit = "%" if getattr(claim, "quantity", None) == "reduction" else ""
    measures = tuple(
        Measure(
            f"against {cell.row}" if several else "",
            plain(cell.measured.estimate) + unit if cell.measured else "\N{EM DASH}",
            between(cell.measured),
            cell.verdict,
        )
        for cell in cells
    )
    published = cells[0].published if cells else getattr(claim, "published", "")
    return ClaimView(
        statement=claim.statement,
        place=claim.place,
        kind=claim.kind + (" (bound)" if getattr(claim, "bound", None) else ""),
        experiment=claim.experiment,
        published=_signs(published) + unit,
        measures=measures,
        verdict=finding.verdict,
        tone=tone(finding.verdict),
        scope=finding.scope,
        note=claim.note,
    )


def tone(verdict: str) -> str:
    """Return the colour class of a verdict: good, bad or open."""
    if verdict.startswith(NOT_REPRODUCED):
        return "bad"
    return "open" if verdict.startswith(NOT_TESTABLE) else "good"


def paper_view(paper: Paper, sections: Sequence[Section]) -> PaperView:
    """Print a paper's claims and sections."""
    claims = tuple(claim_view(finding) for section in sections for finding in section.findings)
    return PaperView(paper, claims, tuple(experiment_view(section) for section in sections))


def experiment_view(section: Section) -> ExperimentView:
    """Print an experiment's section."""
    experiment, table, findings = section.experiment, section.table, section.findings
    runs = table.runs
    body = [
        cell for cell in section.cells if cell.row in {table.label(name) for name in table.order}
    ]
    shown = [c for c in dict.fromkeys(cell.column for cell in body) if "BH q (paper" not in c]
    at = {(cell.row, cell.column): cell for cell in body}
    rows = tuple(
        (
            table.label(name),
            name == table.reference,
            tuple(_entry(at.get((table.label(name), column))) for column in shown),
        )
        for name in table.order
    )
    views = [claim_view(finding) for finding in findings]
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
        missed=tuple(view for view in views if view.tone == "bad"),
        explanation=clip_ties(table) if _explains(findings, "clip_ties") else None,
    )


def markdown_rows(entry: ExperimentView) -> list[tuple[str, ...]]:
    """Return the table's rows as plain text for index.md."""
    return [
        (f"**{label}**" if leads else label, *(f"{e.text} {e.interval}".strip() for e in entries))
        for label, leads, entries in entry.rows
    ]


def _explains(findings: Sequence[Finding], reason: str) -> bool:
    return any(finding.claim.because == reason for finding in findings)


def _entry(cell: Cell | None) -> Entry:
    if cell is None or cell.measured is None:
        return Entry("\N{EM DASH}")
    value = cell.measured.estimate
    if "BH q" in cell.column:
        return Entry("<0.0001" if value < 1e-4 else f"{value:.3g}")
    return Entry(plain(value), between(cell.measured), cell.verdict)


def _heading(column: str) -> str:
    name, _, t = column.rpartition("t=")
    return f"{name}t = {int(t):,}" if t.isdigit() and name else column


def _signs(text: str) -> str:
    return text.replace(">=", "\N{GREATER-THAN OR EQUAL TO}").replace("+-", "\N{PLUS-MINUS SIGN}")


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
