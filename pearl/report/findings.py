"""Each claim of a paper, judged against the table of its experiment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from pearl.report.cells import INSTANCE, Cell
from pearl.report.claims import (
    AnyClaim,
    NumberClaim,
    OrderClaim,
    ParityClaim,
    StructuralClaim,
    judge_lower,
    judge_number,
    judge_parity,
    overall,
)
from pearl.report.comparisons import parity
from pearl.report.final_regret import FinalRegret
from pearl.report.scope import against, elsewhere, testable
from pearl.report.statistics import Interval, interval
from pearl.report.structural import CHECKS


@dataclass(frozen=True)
class Finding:
    """A claim, the cells that measure it and the verdict over all of them.

    `scope` says in words what it was measured against, and under which other settings. `shown`
    are what the page shows of each cell, in the claim's own direction, where that isn't the
    cell's own words and number.
    """

    claim: AnyClaim
    cells: tuple[Cell, ...]
    verdict: str
    scope: str
    shown: tuple[tuple[str, Interval | None], ...] = ()


def judge(claim: AnyClaim, table: FinalRegret, q_values: Mapping[str, float | None]) -> Finding:
    """Judge one claim of the table's experiment.

    Args:
        claim: from published/<paper>.yaml.
        table: the experiment's estimates.
        q_values: the table's BH q-value of each compared method.
    """
    cells = _cells(claim, table, q_values)
    scope = [elsewhere(claim, table.runs)]
    if not isinstance(claim, StructuralClaim):
        scope.append(against(claim.baselines, table.comparisons))
    verdict = overall([cell.verdict for cell in cells])
    return Finding(claim, cells, verdict, "; ".join(part for part in scope if part))


def _cells(
    claim: AnyClaim, table: FinalRegret, q_values: Mapping[str, float | None]
) -> tuple[Cell, ...]:
    if isinstance(claim, StructuralClaim):
        return CHECKS[claim.check]((table.runs,), table.settings)
    if isinstance(claim, NumberClaim) and claim.fact is not None:
        return (_fact(claim, table),)
    made = (_against_one(claim, table, name, q_values) for name in _present(claim, table))
    return tuple(made)


def _against_one(
    claim: NumberClaim | OrderClaim | ParityClaim,
    table: FinalRegret,
    method: str,
    q_values: Mapping[str, float | None],
) -> Cell:
    runs, tested = table.runs, testable(claim, table.runs)
    cell = Cell(
        table.label(method),
        table.difference_column,
        table.comparisons[method].difference,
        table.pair_keys(method),
    )
    difference = table.comparisons[method].difference.estimate if tested else None
    if isinstance(claim, NumberClaim):
        reduction = table.reductions[method]
        return replace(
            cell,
            column=table.reduction_column,
            measured=reduction,
            published=printed(claim),
            delta=reduction.estimate - claim.value,
            verdict=judge_number(claim, reduction, testable=tested and not runs.on_sample_data),
        )
    if isinstance(claim, OrderClaim):
        verdict = judge_lower(difference, q_values[method], sample=runs.on_sample_data)
        return replace(cell, verdict=verdict)
    seeds = runs.common_seeds(table.reference, method)
    ours, theirs = (
        runs.methods[name].curves[runs.methods[name].at(seeds), -1]
        for name in (table.reference, method)
    )
    p_value = parity(ours, theirs, margin=claim.margin) if tested else None
    verdict = judge_parity(p_value, sample=runs.on_sample_data)
    return replace(cell, published="0", verdict=verdict)


def _fact(claim: NumberClaim, table: FinalRegret) -> Cell:
    runs = table.runs
    values, keys = runs.of_instance(str(claim.fact)) or (None, ())
    measured = None
    if values is not None:
        measured = interval(values, stream=f"fact/{claim.fact}", settings=table.settings)
    tested = testable(claim, runs) and not runs.on_sample_data
    return Cell(
        INSTANCE,
        claim.id.replace("_", " "),
        measured,
        keys,
        printed(claim),
        measured.estimate - claim.value if measured else None,
        judge_number(claim, measured, testable=tested),
    )


def _present(claim: NumberClaim | OrderClaim | ParityClaim, table: FinalRegret) -> list[str]:
    named = (method for baseline in claim.baselines for method in baseline.methods)
    return [method for method in named if method in table.comparisons]


def printed(claim: NumberClaim) -> str:
    """Return the number that the paper prints, without its grouping of thousands."""
    return claim.published.replace(",", "")
