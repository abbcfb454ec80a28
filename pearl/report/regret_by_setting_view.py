"""The table of final regrets over swept settings printed for the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pearl.experiments import Experiment
from pearl.report.cells import SHORT_KEY, Cell
from pearl.report.claims import FALSE_DISCOVERY_RATE
from pearl.report.final_regret_view import beside
from pearl.report.layout import Keys
from pearl.report.numbers import between, plain
from pearl.report.origin import caveat, data_lines, instance, seed_lines
from pearl.report.regret_by_setting import (
    RegretBySetting,
    best_cells,
    reduction_column,
)
from pearl.report.swept import Point, Sweep
from pearl.report.views import Entry, Grid

NONE = Entry("\N{EM DASH}")
SPACED = "\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}"


def grids_by_setting(table: RegretBySetting, cells: Sequence[Cell]) -> tuple[Grid, ...]:
    """Print, a sweep: final regrets, reductions with their q, and the best baseline's."""
    at = {(cell.row, cell.column): cell for cell in cells}
    made = []
    for sweep in table.sweeps:
        made.append(_regrets(table, sweep, at))
        made.append(_reductions(table, sweep, at))
        made.append(_headline(table, sweep))
    return tuple(grid for grid in made if grid.rows)


def caption_by_setting(experiment: Experiment, table: RegretBySetting) -> str:
    """Say what figure and table show, and on which data."""
    runs = table.first
    swept = ", ".join(f"{sweep.symbol} in {_range(sweep)}" for sweep in table.sweeps)
    horizon = "" if any(s.setting == "horizon" for s in table.sweeps) else f", T = {runs.horizon:,}"
    return (
        f"{experiment.title}: {swept}{horizon}. Final cumulative pseudo-regret against the exact"
        f" optimum; means over {_seed_counts(table)} seeds that share their noise, bands one"
        f" standard deviation. {beside(experiment)} Data: {runs.data_label}."
    )


def beneath_by_setting(table: RegretBySetting, m_table: int, m_paper: int) -> tuple[str, ...]:
    """Return the sentences beneath the table."""
    ours = table.label(table.reference)
    tests = sorted({found.test for found in table.tests.values() if found.test})
    said = []
    if table.comparisons:
        said.append(
            f"Reductions compare {ours} with the row's method on the same seeds and are means over"
            " pairs; the best baseline is the method of lowest mean regret, at that value, among"
            f" those that stand for the paper's baselines: {_named(table)}."
        )
    if any(baseline.other for baseline in table.baselines):
        said.append(
            "The paper's text leaves a block length open: the last columns put the other reading"
            f" ({_others(table)}) in the place of the first."
        )
    if tests:
        said.append(
            f"q: {', '.join(tests)}, Benjamini-Hochberg over all {m_table} comparisons of this"
            f" table (over all tables of the paper m = {m_paper}; that column is in the CSV file);"
            f" an order counts below {FALSE_DISCOVERY_RATE:g}."
        )
    absent = [name for name in table.order if table.label(name) == name]
    if absent:
        said.append(f"Without runs here: {', '.join(absent)}.")
    return (*said, caveat(table.first))


def origin_by_setting(table: RegretBySetting) -> tuple[tuple[str, str], ...]:
    """Return what the page says of it, as names and values; the empty ones are left out."""
    runs = table.first
    swept = {sweep.setting for sweep in table.sweeps}
    fixed = {k: v for k, v in runs.settings.items() if k != "kind" and k not in swept}
    words = [f"{name} = {value}" for name, value in fixed.items()]
    words += [] if "horizon" in swept else [f"horizon = {runs.horizon}"]
    values = "; ".join(f"{sweep.setting} = {_listed(sweep)}" for sweep in table.sweeps)
    split = runs.facts.get("split_label") or str(runs.settings.get("split", ""))
    methods = sorted({found.method for found in table.regrets.values()})
    lines = [
        *data_lines(runs),
        ("split", split),
        ("instance", instance(runs) if len(table.points) == 1 else ""),
        ("settings", ", ".join(words)),
        ("swept", values),
        ("profile", runs.profile),
        ("intervals", f"{', '.join(methods)}. {caveat(runs)}"),
        *seed_lines(run for each in table.all_runs for run in each.methods.values()),
    ]
    return tuple((name, value) for name, value in lines if value)


def keys_by_setting(table: RegretBySetting) -> Keys:
    """Return run keys by method, over all values."""
    return tuple(
        (
            table.label(name),
            tuple(
                key[:SHORT_KEY]
                for runs in table.all_runs
                if name in runs.methods
                for key in runs.methods[name].keys
            ),
        )
        for name in table.order
        if any(name in runs.methods for runs in table.all_runs)
    )


def _regrets(table: RegretBySetting, sweep: Sweep, at: Mapping[Any, Cell]) -> Grid:
    rows = tuple(
        (
            table.label(name),
            name == table.reference,
            tuple(
                _entry(at.get((table.label(name), f"final regret at {point.title}")))
                for point in sweep.points
            ),
        )
        for name in table.order
    )
    return Grid(f"Final regret over {sweep.symbol}", ("method", *_heads(sweep)), rows)


def _reductions(table: RegretBySetting, sweep: Sweep, at: Mapping[Any, Cell]) -> Grid:
    def entry(name: str, point: Point) -> Entry:
        cell = at.get((table.label(name), reduction_column(table, point.title)))
        made = _entry(cell, decimals=1)
        q = _q(at, table.label(name), point)
        return Entry(made.text, "; ".join(part for part in (made.interval, q) if part))

    rows = tuple(
        (table.label(name), False, tuple(entry(name, point) for point in sweep.points))
        for name in table.order
        if any((point.title, name) in table.comparisons for point in sweep.points)
    )
    title = f"Reduction by {table.label(table.reference)} (%) over {sweep.symbol}"
    return Grid(title, ("against", *_heads(sweep)), rows)


def _headline(table: RegretBySetting, sweep: Sweep) -> Grid:
    """Print the reduction against the best baseline, for each reading of the paper's text."""
    readings = [table.rivals()]
    if any(baseline.other for baseline in table.baselines):
        readings.append(table.rivals(other_reading=True))

    def entries(point: Point) -> tuple[Entry, ...]:
        made: list[Entry] = []
        for number, rivals in enumerate(readings):
            ran = number == 0 or _ran_other(table, point)
            best = table.best(point, rivals) if ran else None
            found = best_cells(table, point, rivals) if ran else []
            made.append(Entry(table.label(best)) if best else NONE)
            made.append(_entry(found[0], decimals=1) if found else NONE)
        return tuple(made)

    rows = tuple(
        (sweep.title(value).replace("=", SPACED), False, entries(point))
        for value, point in zip(sweep.values, sweep.points, strict=True)
        if table.best(point, [name for rivals in readings for name in rivals])
    )
    head = [sweep.symbol, "best baseline", "reduction (%)"]
    if len(readings) > 1:
        head += [f"best with {_others(table)}", "reduction (%)"]
    title = f"{table.label(table.reference)} against the best baseline over {sweep.symbol}"
    return Grid(title, tuple(head), rows)


def _ran_other(table: RegretBySetting, point: Point) -> bool:
    """Whether each baseline that has another reading was run with it at a point."""
    named = [baseline.other for baseline in table.baselines if baseline.other]
    return all(any((point.title, m) in table.comparisons for m in other) for other in named)


def _entry(cell: Cell | None, decimals: int | None = None) -> Entry:
    if cell is None or cell.measured is None:
        return NONE
    return Entry(plain(cell.measured.estimate, decimals), between(cell.measured, decimals))


def _q(at: Mapping[Any, Cell], row: str, point: Point) -> str:
    found = next(
        (
            cell.measured.estimate
            for (name, column), cell in at.items()
            if name == row
            and column.startswith("BH q (table")
            and column.endswith(f" at {point.title}")
            and cell.measured
        ),
        None,
    )
    if found is None:
        return ""
    return "q < 0.0001" if found < 1e-4 else f"q = {found:.2g}"


def _heads(sweep: Sweep) -> tuple[str, ...]:
    return tuple(sweep.title(value).replace("=", SPACED) for value in sweep.values)


def _range(sweep: Sweep) -> str:
    if not sweep.is_numeric or len(sweep.values) < 4:
        return _listed(sweep)
    first, second, *_, last = (f"{value:g}" for value in sweep.values)
    return f"{{{first}, {second}, \N{HORIZONTAL ELLIPSIS}, {last}}}"


def _listed(sweep: Sweep) -> str:
    return ", ".join(sweep.title(value).partition("=")[2] for value in sweep.values)


def _seed_counts(table: RegretBySetting) -> str:
    counts = {len(run.seeds) for runs in table.all_runs for run in runs.methods.values()}
    return " to ".join(str(n) for n in sorted({min(counts), max(counts)}))


def _named(table: RegretBySetting) -> str:
    return ", ".join(table.label(name) for name in table.rivals())


def _others(table: RegretBySetting) -> str:
    return ", ".join(table.label(name) for each in table.baselines for name in each.other)
