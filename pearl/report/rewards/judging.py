"""A paper's claims on rewards, judged against the table of their experiment."""

from __future__ import annotations

from collections.abc import Mapping
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
from pearl.report.rewards.plan import EFFECT
from pearl.report.rewards.structural import CHECKS
from pearl.report.rewards.table import RewardTable, contrast_title, contrasts_of
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
        claim, cells, overall([cell.verdict for cell in cells]), scope, _titles(claim, table)
    )


def _titles(claim: AnyClaim, table: RewardTable) -> tuple[str, ...]:
    """Say what each cell compares; one that the table holds the other way round, as it holds it."""
    if isinstance(claim, StructuralClaim) or not (contrasts := contrasts_of(claim)):
        return ()
    said = []
    for one in contrasts:
        turned = table.find(one) is None and table.find(one.reversed()) is not None
        said.append(contrast_title(one.reversed() if turned else one, table.rewards))
    return tuple(said)


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
            shown = "none" if found is None else f"{found:,g}"
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
    if claim.quantity == "effect size":
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
    place, sign = table.find(contrast), 1
    if place is None:
        place, sign = table.find(contrast.reversed()), -1
    row = place[0] if place else ""
    held = contrast if sign > 0 else contrast.reversed()
    measured = _signed(table.estimates.get(held), sign)
    sample = table.samples.get(held)
    testable = is_testable(claim, table)
    cell = Cell(row, "", measured, sample.keys if sample else ())
    if isinstance(claim, OrderClaim):
        found = measured.estimate if measured and testable else None
        verdict = judge_above(found, in_table.get(row), sample=first.on_sample_data)
        sense = "above" if sign > 0 else "below"
        return replace(cell, column=f"order ({sense} 0 is claimed)", verdict=verdict)
    p_value = None
    if sample is not None and testable:
        values = sample.values
        p_value = parity(values, 0 * values, margin=claim.margin, stream=f"{claim.id}/{row}")
    verdict = judge_parity(p_value, sample=first.on_sample_data)
    return replace(cell, column=f"parity within {claim.margin:g}", published="0", verdict=verdict)


def _signed(measured: Interval | None, sign: int) -> Interval | None:
    """Return an interval of the same or the opposite sign."""
    if measured is None or sign > 0:
        return measured
    low = None if measured.high is None else -measured.high
    high = None if measured.low is None else -measured.low
    return Interval(-measured.estimate, low, high, measured.method, measured.n)
