"""Table 1 and Figure 1 (a) as cells, page and verdicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from pearl.errors import SettingError
from pearl.experiments import Experiment
from pearl.report.cells import SHORT_KEY, Cell
from pearl.report.claims import (
    AnyClaim,
    NumberClaim,
    OrderClaim,
    judge_above,
    judge_number,
    overall,
    tone,
)
from pearl.report.findings import Finding
from pearl.report.numbers import MINUS, difference, p_value, within
from pearl.report.origin import data_lines, instance, seed_lines
from pearl.report.rewards.variants import UNSET
from pearl.report.statistics import Interval
from pearl.report.users.correlations import EXTREMITY, Correlations, shown_names
from pearl.report.views import Entry, Grid

Q = Mapping[str, float | None]
RHO, USERS, P = "Spearman's rho", "users", "p (permutation)"
PEAK, AT_PEAK = "peak epoch", "rho at its peak"
RULES = (
    "Section 9 also speaks of scores of each response by rules (lexical diversity for creativity,"
    " hedging and citations for factuality, structure for helpfulness). They aren't here: the paper"
    " names no rule for the other five dimensions, defines none, prints no number of them, and"
    " doesn't say how they enter the correlation, so any column would be of our own making."
)
RULES_ON_SAMPLE = "The sample's responses come from a grammar, of which such rules would tell."
NONE = Entry("\N{EM DASH}")
TITLES = {EXTREMITY: "Extremity (all eight)"}


def title(name: str) -> str:
    """Return a dimension's name for people."""
    return TITLES.get(name, name.capitalize())


def correlation_cells(
    table: Correlations, in_table: Q, in_paper: Q, sizes: tuple[int, int]
) -> list[Cell]:
    """Lay out Table 1: a row a dimension, its correlation, users, p and both q."""
    made = []
    keys, seeds = table.run.keys, len(table.run.seeds)
    for name in shown_names(table):
        row = title(name)
        made.append(_published(table, Cell(row, RHO, table.rho[name], keys), name))
        made.append(Cell(row, USERS, _plain(table.n, seeds), keys))
        test = table.tests.get(name)
        if test is None or test.p_value is None:
            continue
        told = table.p_values.get(name, "")
        made.append(Cell(row, P, _plain(test.p_value, seeds), keys, published=told))
        for family, q_values, m in (("table", in_table, sizes[0]), ("paper", in_paper, sizes[1])):
            q = q_values.get(name)
            if q is not None:
                made.append(Cell(row, f"BH q ({family}, m={m})", _plain(q, seeds), keys))
    return made


def epoch_cells(
    table: Correlations, _in_table: Q, _in_paper: Q, _sizes: tuple[int, int]
) -> list[Cell]:
    """Lay out Figure 1 (a): a row a dimension, its correlation in each epoch and where it peaks."""
    made = []
    keys, seeds = table.run.keys, len(table.run.seeds)
    for name in shown_names(table):
        row = title(name)
        for number, found in enumerate(table.epochs.get(name, ()), start=1):
            made.append(Cell(row, f"rho, epoch {number}", found, keys))
        peak = table.peak(name)
        if peak is not None:
            made.append(
                _published(table, Cell(row, PEAK, _plain(peak[0], seeds), keys), f"{name} {PEAK}")
            )
            made.append(_published(table, Cell(row, AT_PEAK, peak[1], keys), f"{name} peak"))
        made.append(Cell(row, USERS, _plain(table.n, seeds), keys))
    return made


def judge_correlation(claim: AnyClaim, table: Correlations, in_table: Q) -> Finding:
    """Judge a claim on correlations: its facts name dimensions, peaks or peak epochs.

    An order says that a correlation is above 0, or below it where a minus stands before its name.
    """
    told = _elsewhere(claim, table)
    scope = f"measured at {', '.join(told)}" if told else ""
    sample = table.rewards.first.on_sample_data
    if isinstance(claim, NumberClaim) and claim.fact is not None:
        cell = _cell_of(claim.fact, table)
        measured = cell.measured
        verdict = judge_number(claim, measured, testable=not told and not sample)
        delta = measured.estimate - claim.value if measured else None
        made = replace(cell, published=claim.published, delta=delta, verdict=verdict)
        return Finding(claim, (made,), verdict, scope)
    if not (isinstance(claim, OrderClaim) and claim.facts):
        raise SettingError(f"Claim {claim.id}: correlations know facts, as numbers or orders.")
    cells, shown = [], []
    for fact in claim.facts:
        below, name = fact.startswith("-"), fact.removeprefix("-")
        measured = table.rho.get(name)
        value = None
        if measured is not None and (sample or not told):
            value = -measured.estimate if below else measured.estimate
        verdict = judge_above(value, in_table.get(name), sample=sample)
        column = f"order: {'below' if below else 'above'} 0"
        cells.append(Cell(title(name), column, measured, table.run.keys, verdict=verdict))
        shown.append((title(name) + (", below 0" if below else ""), measured))
    return Finding(
        claim, tuple(cells), overall([cell.verdict for cell in cells]), scope, tuple(shown)
    )


def correlation_grids(table: Correlations, cells: Sequence[Cell]) -> tuple[Grid, ...]:
    """Print Table 1."""
    held = {(cell.row, cell.column): cell for cell in cells}
    q = next((cell.column for cell in cells if cell.column.startswith("BH q (table")), "")
    rows = []
    for name in shown_names(table):
        row = title(name)
        entries = (
            _entry(held.get((row, RHO)), difference),
            _entry(held.get((row, P)), p_value),
            _entry(held.get((row, q)), p_value),
        )
        rows.append((row, False, entries))
    return (Grid("", ("dimension", "Spearman \N{GREEK SMALL LETTER RHO}", "p", "q"), tuple(rows)),)


def epoch_grids(table: Correlations, cells: Sequence[Cell]) -> tuple[Grid, ...]:
    """Print where each dimension's correlation peaks."""
    held = {(cell.row, cell.column): cell for cell in cells}
    rows = []
    for name in shown_names(table):
        row = title(name)
        entries = (
            _entry(held.get((row, PEAK)), lambda value: f"{value:.0f}"),
            _entry(held.get((row, AT_PEAK)), difference),
            _entry(held.get((row, "rho, epoch 1")), difference),
            _entry(held.get((row, f"rho, epoch {table.users.by_epoch.shape[1]}")), difference),
        )
        rows.append((row, False, entries))
    head = ("dimension", "peak epoch", "\N{GREEK SMALL LETTER RHO} there", "first epoch", "last")
    return (Grid("Where the correlation peaks", head, tuple(rows)),)


def correlation_beneath(table: Correlations, m_table: int, m_paper: int) -> tuple[str, ...]:
    """Return the sentences beneath either table."""
    seeds, users = len(table.run.seeds), table.users.seeds
    often = f"{users.min()} to {users.max()}" if len(users) else "none"
    said = [
        f"n = {table.n:,} users, one row each: his mean |r {MINUS} \N{GREEK SMALL LETTER MU}| under"
        f" {table.run.label} over the seeds, of {seeds}, in which he is flipped ({often}).",
        "Intervals are over users (Fisher's z): they don't cover other seeds' splits.",
    ]
    if m_table:
        said.append(
            f"p: permutation of the users; q: Benjamini-Hochberg over the m = {m_table} dimensions;"
            f" over all tables of the paper m = {m_paper}, a column of the CSV file. Extremity, the"
            " mean distance from 50 over the eight, isn't among them."
        )
        said.append(RULES)
        if table.rewards.first.on_sample_data:
            said.append(RULES_ON_SAMPLE)
    return tuple(said)


def correlation_caption(experiment: Experiment, table: Correlations) -> str:
    """Say what figure and table show, and on which data."""
    first = table.rewards.first
    return (
        f"{experiment.title}, f = {float(first.settings['flip']):g}: {first.horizon} epochs,"
        f" {len(table.run.seeds)} seeds. Beside {experiment.place} of the paper."
        f" Data: {first.data_label}."
    )


def correlation_origin(table: Correlations) -> tuple[tuple[str, str], ...]:
    """Return where the numbers come from."""
    first = table.rewards.first
    settings = [f"{name} = {value}" for name, value in first.settings.items() if name != "kind"]
    lines = [
        *data_lines(first),
        ("instance", instance(first)),
        ("settings", f"{', '.join(settings)}, epochs = {first.horizon}"),
        ("profile", first.profile),
        ("intervals", "Fisher z over users"),
        *seed_lines([table.run]),
    ]
    return tuple((name, value) for name, value in lines if value)


def correlation_keys(table: Correlations) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the run keys."""
    return ((table.run.label, tuple(key[:SHORT_KEY] for key in table.run.keys)),)


def _cell_of(fact: str, table: Correlations) -> Cell:
    name, _, what = fact.partition(" ")
    row, keys, peak = title(name), table.run.keys, table.peak(name)
    if what == PEAK:
        measured = _plain(peak[0], len(table.run.seeds)) if peak else None
        return Cell(row, PEAK, measured, keys)
    if what == "peak":
        return Cell(row, AT_PEAK, peak[1] if peak else None, keys)
    return Cell(row, RHO, table.rho.get(name), keys)


def _published(table: Correlations, cell: Cell, fact: str) -> Cell:
    for claim in table.claims:
        if isinstance(claim, NumberClaim) and claim.fact == fact:
            delta = cell.measured.estimate - claim.value if cell.measured else None
            return replace(cell, published=claim.published, delta=delta)
    return cell


def _elsewhere(claim: AnyClaim, table: Correlations) -> list[str]:
    first = table.rewards.first
    here = {**first.settings, "horizon": first.horizon}
    return [
        f"{'epochs' if name == 'horizon' else name.replace('_', ' ')}"
        f" {_shown(name, here.get(name))}"
        f" (stated for {stated:,g})"
        for name, stated in claim.at.items()
        if here.get(name) != stated
    ]


def _shown(name: str, found: Any) -> str:
    return UNSET.get(name, "none") if found is None else f"{found:,g}"


def _plain(value: float, seeds: int) -> Interval:
    return Interval(value, None, None, "none", seeds)


def _entry(cell: Cell | None, show: object) -> Entry:
    if cell is None or cell.measured is None or not callable(show):
        return NONE
    return Entry(
        show(cell.measured.estimate),
        within(cell.measured, show),
        cell.published.replace("-", MINUS),
        cell.verdict,
        tone(cell.verdict) if cell.verdict else "",
    )
