"""Claims of a paper on a sweep, judged at every value for which they are stated."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from pearl.errors import SettingError
from pearl.report.cells import Cell
from pearl.report.claims import (
    NOT_REPRODUCED,
    NOT_TESTABLE,
    AnyClaim,
    NumberClaim,
    OrderClaim,
    StructuralClaim,
    judge_lower,
    judge_number,
    overall,
)
from pearl.report.findings import Finding, printed
from pearl.report.regret_by_setting import (
    BEST,
    RegretBySetting,
    best_cells,
    difference_column,
    family_name,
    growth_name,
    reduction_column,
)
from pearl.report.scope import against, elsewhere, testable
from pearl.report.statistics import Interval
from pearl.report.structural import CHECKS
from pearl.report.swept import Point, Sweep, symbol

Q = Mapping[str, float | None]
Line = tuple[str, Interval | None]
Stated = tuple[str, Point | None]
"""What a value is called, and the runs at it."""


def judge_by_setting(claim: AnyClaim, table: RegretBySetting, q_values: Q) -> Finding:
    """Judge one claim of the table's experiment.

    A claim over swept values is judged at each of them against every method that stands for one of
    its baselines; shown at each is the best of those. It is reproduced only if it holds everywhere;
    else the finding's scope names the values at which it fails.

    Args:
        claim: from published/<paper>.yaml.
        table: the experiment's estimates.
        q_values: the table's BH q-value of each test.

    Raises:
        SettingError: a claim on something that a table by setting doesn't hold.
    """
    if isinstance(claim, StructuralClaim):
        checked = CHECKS[claim.check](table.all_runs, table.settings)
        return Finding(claim, checked, overall([cell.verdict for cell in checked]), "")
    if isinstance(claim, OrderClaim) and claim.quantity == "slower growth":
        return _growth(claim, table, q_values)
    if not isinstance(claim, NumberClaim | OrderClaim) or claim.quantity is None:
        raise SettingError(f"Claim {claim.id}: a table by setting has regrets and reductions.")
    stated = _stated(claim, table)
    found = [
        _at_point(claim, table, q_values, title, point)
        for title, point in stated
        if point is not None
    ]
    absent = [title for title, point in stated if point is None]
    if absent:
        found.append(_absent(claim, table, absent))
    cells = tuple(cell for cell, _ in found)
    scope = [
        elsewhere(claim, table.first),
        against(claim.baselines, {name for _, name in table.comparisons}),
        "shown is the best of them at each value" if claim.over else "",
        _failures(claim, [title for title, point in stated if point is not None], cells),
    ]
    return Finding(
        claim,
        cells,
        overall([cell.verdict for cell in cells]),
        "; ".join(part for part in scope if part),
        tuple(line for _, line in found),
    )


def _stated(claim: NumberClaim | OrderClaim, table: RegretBySetting) -> list[Stated]:
    """Return what the claim is stated for: each of its values, or else the base."""
    if not claim.over:
        return [("", table.points[0])]
    sweep = table.sweep(claim.over)
    named = Sweep(claim.over, (), ()) if sweep is None else sweep
    return [(named.title(v), sweep.at(v) if sweep else None) for v in claim.values]


def _at_point(
    claim: NumberClaim | OrderClaim,
    table: RegretBySetting,
    q_values: Q,
    title: str,
    point: Point,
) -> tuple[Cell, Line]:
    column = _column(claim)
    rivals = [name for baseline in claim.baselines for name in baseline.methods]
    best = table.best(point, rivals)
    if best is None:
        cell = Cell(BEST, column(table, point.title), None, verdict=NOT_TESTABLE)
        return cell, (f"{title}: no baseline was run".removeprefix(": "), None)
    by_column = {cell.column: cell for cell in best_cells(table, point, rivals)}
    cell = by_column[column(table, point.title)]
    if isinstance(claim, NumberClaim):
        assert cell.measured is not None
        cell = replace(cell, published=printed(claim), delta=cell.measured.estimate - claim.value)
    judged = [best] if claim.quantity == "best reduction" else rivals
    verdicts = [
        _verdict(claim, table, q_values, (point.title, name), point)
        for name in judged
        if (point.title, name) in table.comparisons
    ]
    shown = title or f"against {table.label(best)}"
    return replace(cell, verdict=overall(verdicts)), (shown, cell.measured)


def _absent(
    claim: NumberClaim | OrderClaim, table: RegretBySetting, titles: Sequence[str]
) -> tuple[Cell, Line]:
    """Return one cell and one line for all the values that weren't run."""
    listed = ", ".join(titles)
    cell = Cell(BEST, _column(claim)(table, listed), None, verdict=NOT_TESTABLE)
    return cell, (f"not run here: {listed}", None)


def _column(claim: NumberClaim | OrderClaim) -> Callable[[RegretBySetting, str], str]:
    return reduction_column if isinstance(claim, NumberClaim) else difference_column


def _verdict(
    claim: NumberClaim | OrderClaim,
    table: RegretBySetting,
    q_values: Q,
    pair: tuple[str, str],
    point: Point,
) -> str:
    runs, tested = point.runs, testable(claim, point.runs)
    if isinstance(claim, NumberClaim):
        tested = tested and not runs.on_sample_data
        return judge_number(claim, table.reductions[pair], testable=tested)
    difference = table.comparisons[pair].difference.estimate if tested else None
    return judge_lower(difference, q_values[family_name(*pair)], sample=runs.on_sample_data)


def _growth(claim: OrderClaim, table: RegretBySetting, q_values: Q) -> Finding:
    found, runs = table.growth.get(claim.over), table.first
    named = symbol(claim.over)
    column = f"curvature of final regret over {named}"
    measured = found.difference if found else None
    tested = found is not None and testable(claim, runs)
    verdict = judge_lower(
        measured.estimate if measured and tested else None,
        q_values.get(growth_name(claim.over)),
        sample=runs.on_sample_data,
    )
    sweep = table.sweep(claim.over)
    points = sweep.points if sweep else ()
    methods = [p.runs.methods[table.reference] for p in points if table.reference in p.runs.methods]
    keys = tuple(key for run in methods for key in run.keys)
    cell = Cell(table.label(table.reference), column, measured, keys, verdict=verdict)
    line = (
        f"coefficient of {named}\N{SUPERSCRIPT TWO} in a parabola through each seed's",
        measured,
    )
    return Finding(claim, (cell,), verdict, elsewhere(claim, runs), (line,))


def _failures(claim: NumberClaim | OrderClaim, titles: Sequence[str], cells: Sequence[Cell]) -> str:
    """Name the values at which a claim fails; "" where it holds at all, or is of one point."""
    judged = list(zip(titles, cells, strict=False))
    failed = [title for title, cell in judged if cell.verdict.startswith(NOT_REPRODUCED)]
    if not claim.over or not failed:
        return ""
    return f"fails at {len(failed)} of {len(judged)} values: {', '.join(failed)}"
