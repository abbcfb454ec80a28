"""A paper's claims on rewards, judged against the table of their experiment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pearl.report.cells import Cell
from pearl.report.claims import (
    AnyClaim,
    NumberClaim,
    OrderClaim,
    ParityClaim,
    StructuralClaim,
    judge_above,
    judge_number,
    judge_parity,
    overall,
)
from pearl.report.comparisons import parity
from pearl.report.contrasts import Contrast
from pearl.report.findings import Finding
from pearl.report.rewards.gap import GAP_CLOSED, gap_closed
from pearl.report.rewards.plan import EFFECT
from pearl.report.rewards.structural import CHECKS
from pearl.report.rewards.table import (
    RewardTable,
    contrast_title,
    contrasts_of,
    shared_words,
)
from pearl.report.rewards.variants import UNSET
from pearl.report.statistics import Interval


def judge_reward(
    claim: AnyClaim, table: RewardTable, in_table: Mapping[str, float | None]
) -> Finding:
    """Judge one claim of the table's experiment.

    Args:
        claim: one of the table's.
        table: the experiment's estimates.
        in_table: BH q-value of each tested row within this table.
    """
    elsewhere = differences(claim, table)
    scope = f"measured at {', '.join(elsewhere)}" if elsewhere else ""
    if isinstance(claim, StructuralClaim):
        cells = CHECKS[claim.check](table.rewards, table.settings)
    elif isinstance(claim, NumberClaim):
        cells = (_number(claim, table),)
    else:
        cells = tuple(_contrast(claim, one, table, in_table) for one in claim.contrasts)
    return Finding(
        claim,
        cells,
        overall([cell.verdict for cell in cells]),
        scope,
        _shown(claim, cells, table),
    )


def _shown(
    claim: AnyClaim, cells: Sequence[Cell], table: RewardTable
) -> tuple[tuple[str, Interval | None], ...]:
    """Say what each cell compares and what came out, in the claim's own direction."""
    contrasts = () if isinstance(claim, StructuralClaim) else contrasts_of(claim)
    shared = shared_words(contrasts, table.rewards) if len(contrasts) > 1 else frozenset[str]()
    shown = []
    for contrast, cell in zip(contrasts, cells, strict=False):
        turned = table.find(contrast) is None
        measured = _turned(cell.measured) if turned else cell.measured
        shown.append((contrast_title(contrast, table.rewards, without=shared), measured))
    return tuple(shown)


def differences(claim: AnyClaim, table: RewardTable) -> list[str]:
    """Return in words the settings under which the paper states the claim, where ours differ.

    Settings that sweep over the table belong to the claim's points and are not looked at.
    """
    first = table.rewards.first
    here = {**first.settings, "horizon": first.horizon}
    told = []
    for name, stated in claim.at.items():
        found = here.get(name)
        if found != stated:
            word = "epochs" if name == "horizon" else name.replace("_", " ")
            shown = UNSET.get(name, "none") if found is None else f"{found:,g}"
            told.append(f"{word} {shown} (stated for {stated:,g})")
    for point in dict.fromkeys(p for one in contrasts_of(claim) for p in one.points):
        if isinstance(point.at, int) and table.rewards.epoch(point.at) != point.at:
            told.append(f"epoch {table.rewards.epoch(point.at)} (stated for {point.at})")
    return list(dict.fromkeys(told))


def is_testable(claim: AnyClaim, table: RewardTable) -> bool:
    """Say whether runs under these settings test the claim; on sample data an order always is."""
    return table.rewards.first.on_sample_data or not differences(claim, table)


def _number(claim: NumberClaim, table: RewardTable) -> Cell:
    assert claim.contrast is not None
    row, column = table.find(claim.contrast) or ("", "")
    cell = table.cell(claim.contrast, row, column)
    measured: Interval | None = cell.measured
    if claim.quantity == GAP_CLOSED:
        cell = gap_closed(claim, table)
        measured = cell.measured
    elif claim.quantity == "effect size":
        measured = table.effects.get(row)
        delta = measured.estimate - claim.value if measured else None
        published = claim.published
        cell = replace(cell, column=EFFECT, measured=measured, published=published, delta=delta)
    testable = is_testable(claim, table) and not table.rewards.first.on_sample_data
    return replace(cell, verdict=judge_number(claim, measured, testable=testable))


def _contrast(
    claim: OrderClaim | ParityClaim,
    contrast: Contrast,
    table: RewardTable,
    in_table: Mapping[str, float | None],
) -> Cell:
    """Judge one contrast; the table may hold it with the opposite sign."""
    first = table.rewards.first
    held, place = contrast, table.find(contrast)
    if place is None:
        held = contrast.reversed()
        place = table.find(held)
    row = place[0] if place else ""
    measured, sample = table.estimates.get(held), table.samples.get(held)
    testable = is_testable(claim, table)
    cell = Cell(row, "", measured, sample.keys if sample else ())
    if isinstance(claim, OrderClaim):
        above = held == contrast
        found = None
        if measured is not None and testable:
            found = measured.estimate if above else -measured.estimate
        verdict = judge_above(found, in_table.get(row), sample=first.on_sample_data)
        column = f"order: {'above' if above else 'below'} 0"
        return replace(cell, column=column, verdict=verdict)
    p_value = None
    if sample is not None and testable:
        values = sample.values
        p_value = parity(values, 0 * values, margin=claim.margin, stream=f"{claim.id}/{row}")
    verdict = judge_parity(p_value, sample=first.on_sample_data)
    return replace(cell, column=f"parity within {claim.margin:g}", published="0", verdict=verdict)


def _turned(measured: Interval | None) -> Interval | None:
    """Return an interval of the opposite sign."""
    if measured is None:
        return None
    low = None if measured.high is None else -measured.high
    high = None if measured.low is None else -measured.low
    return Interval(-measured.estimate, low, high, measured.method, measured.n)
