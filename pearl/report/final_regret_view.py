"""The table of final regrets printed for the page."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pearl.experiments import Experiment
from pearl.report.cells import Cell
from pearl.report.claims import FALSE_DISCOVERY_RATE
from pearl.report.final_regret import FinalRegret
from pearl.report.numbers import between, percent, plain
from pearl.report.views import Entry, Grid

UNSHOWN = ("BH q (paper", "difference of")
"""Columns that stand in the CSV file alone; the differences are among the claims."""


def regret_grids(table: FinalRegret, cells: Sequence[Cell]) -> tuple[Grid, ...]:
    """Print the table, a method a row."""
    body = [cell for cell in cells if cell.row in {table.label(name) for name in table.order}]
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
    return (Grid("", ("method", *(_heading(column) for column in shown)), rows),)


def regret_caption(experiment: Experiment, table: FinalRegret) -> str:
    """Say what figure and table show, and on which data."""
    runs = table.runs
    counts = {len(run.seeds) for run in runs.methods.values()}
    seeds = " to ".join(str(n) for n in sorted({min(counts), max(counts)}))
    memory = f" at M = {runs.settings['memory']}" if "memory" in runs.settings else ""
    shared = "noise" if runs.provenance is None else "request streams"
    return (
        f"{experiment.title}{memory}, T = {runs.horizon:,}. Cumulative pseudo-regret against the"
        f" exact optimum; lines are means over {seeds} seeds with paired {shared}, bands one"
        f" standard deviation. {beside(experiment)} Data: {runs.data_label}."
    )


def beside(experiment: Experiment) -> str:
    """Say beside which place of the paper it stands; what is beyond the paper says so itself."""
    if experiment.place.lower().startswith("beyond"):
        return f"{experiment.place[0].upper()}{experiment.place[1:]}."
    return f"Beside {experiment.place} of the paper."


def regret_beneath(table: FinalRegret, m_table: int, m_paper: int) -> tuple[str, ...]:
    """Return the sentences beneath the table."""
    label = table.label(table.reference)
    absent = [name for name in table.order if name not in table.runs.methods]
    tests = sorted({c.test for c in table.comparisons.values() if c.test})
    said = []
    if table.comparisons:
        said.append(
            f"Reductions and differences compare {label} with the row's method on the same seeds;"
            " a reduction is the mean over pairs."
        )
    if tests:
        said.append(
            f"q: {', '.join(tests)}, Benjamini-Hochberg over all {m_table} comparisons of this"
            f" table (over all tables of the paper m = {m_paper}; that column is in the CSV file);"
            f" an order counts below {FALSE_DISCOVERY_RATE:g}."
        )
    if absent:
        said.append(f"Without runs here: {', '.join(absent)}.")
    return tuple(said)


def _entry(cell: Cell | None) -> Entry:
    if cell is None or cell.measured is None:
        return Entry("\N{EM DASH}")
    value = cell.measured.estimate
    if "BH q" in cell.column:
        return Entry("<0.0001" if value < 1e-4 else f"{value:.2g}")
    if cell.column.endswith("share"):
        return Entry(percent(value))
    decimals = 1 if cell.column.endswith("(%)") else None
    return Entry(plain(value, decimals), between(cell.measured, decimals))


def _heading(column: str) -> str:
    name, _, t = column.rpartition("t=")
    if name and t.isdigit():
        return f"{name}t\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}{int(t):,}"
    return re.sub(r"BH q \(table, (m=\d+)\)", r"q (\1)", column)
