"""Table 1 printed for the page: formula, value, premises, measured regret."""

from __future__ import annotations

import math

from pearl.experiments import Experiment
from pearl.report.bounds import ORDER, Bounds, row_title
from pearl.report.cells import SHORT_KEY
from pearl.report.layout import Keys
from pearl.report.numbers import plain, regret
from pearl.report.origin import caveat, data_lines, instance, seed_lines
from pearl.report.views import Entry, Grid
from pearl.theory.memory_table import Row

VALUES = ("row", "regret, as printed", "at these settings", "what the value is", "measured regret")
PREMISES = ("row", "premises that hold", "that fail", "not known")
NONE = Entry("\N{EM DASH}")


def bounds_grids(table: Bounds) -> tuple[Grid, ...]:
    """Print what each row comes to, then what it presumes."""
    values = tuple((row_title(row), False, _values(table, row)) for row in table.rows)
    premises = tuple(
        (row_title(row), False, tuple(_listed(row, holds) for holds in (True, False, None)))
        for row in table.rows
    )
    return (
        Grid("What each row comes to", VALUES, values, words=True),
        Grid("What each row presumes", PREMISES, premises, words=True),
    )


def bounds_caption(experiment: Experiment, table: Bounds) -> str:
    """Say what the table evaluates, and where."""
    runs, problem = table.runs, table.problem
    seeds = max(len(run.seeds) for run in runs.methods.values())
    return (
        f"{experiment.title}: d = {problem.dimension}, M = {problem.memory},"
        f" T = {problem.horizon:,}, R = {problem.feature_bound:g}, S = {problem.norm_bound:g},"
        f" \N{GREEK SMALL LETTER SIGMA} = {problem.noise:g},"
        f" \N{GREEK SMALL LETTER LAMDA} = {problem.regularization:g},"
        f" \N{GREEK SMALL LETTER DELTA} = {problem.delta:g},"
        f" \N{GREEK SMALL LETTER GAMMA} = {problem.discount:g}. Measured: final cumulative"
        f" pseudo-regret, means over {seeds} seeds. Beside {experiment.place} of the paper."
        f" Data: {runs.data_label}."
    )


def bounds_beneath(table: Bounds) -> tuple[str, ...]:
    """Return the sentences beneath the table."""
    kept = [row_title(row) for row in table.rows if row.guaranteed]
    bounded = (
        f"All premises hold here of: {'; '.join(kept)}. So these values bound the regret."
        if kept
        else "No row's premises all hold here, so that no value is a guarantee for these runs."
    )
    return (
        f"Theorems 4.3 and C.1 alone have constants. Every other value is an {ORDER}: not a bound,"
        " only a number whose growth may be compared.",
        bounded,
        "The generalized rows are evaluated for linear rewards (\N{GREEK SMALL LETTER RHO} = 0),"
        " with GLBM-SCB's factors at their stated minima and without its warm-up, whose regret"
        " isn't known.",
        caveat(table.runs),
    )


def bounds_origin(table: Bounds) -> tuple[tuple[str, str], ...]:
    """Return where the numbers come from."""
    runs = table.runs
    settings = ", ".join(f"{k} = {v}" for k, v in runs.settings.items() if k != "kind")
    methods = sorted({found.method for found in table.regrets.values()})
    return (
        *data_lines(runs),
        ("instance", instance(runs)),
        ("settings", f"{settings}, horizon = {runs.horizon}"),
        ("profile", runs.profile),
        ("intervals", ", ".join(methods)),
        *seed_lines(runs.methods.values()),
    )


def bounds_keys(table: Bounds) -> Keys:
    """Return run keys by method."""
    runs = table.runs.methods.values()
    return tuple((run.label, tuple(key[:SHORT_KEY] for key in run.keys)) for run in runs)


def _values(table: Bounds, row: Row) -> tuple[Entry, ...]:
    what = ORDER
    if row.kind == "bound":
        what = "bound" if row.guaranteed else "the bound's formula; a premise fails here"
    if row.missing:
        what += f"; without {', '.join(row.missing)}"
    told = [
        f"{table.runs.methods[name].label}: {regret(table.regrets[name])}"
        for name in table.measured(row)
    ]
    return (
        Entry(_printed(row)),
        Entry(_value(row.value)),
        Entry(what),
        Entry("; ".join(told)) if told else NONE,
    )


def _printed(row: Row) -> str:
    if row.kind == "bound":
        return row.formula
    symbol = "\N{GREEK CAPITAL LETTER OMEGA}" if "lower" in row.algorithm else "O"
    head, where = _parted(row.formula)
    return f"{symbol}\N{COMBINING TILDE}({head})" + (f", {where}" if where else "")


def _parted(formula: str) -> tuple[str, str]:
    """Part what follows a comma outside brackets, which defines the formula's letters."""
    depth = 0
    for place, letter in enumerate(formula):
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            return formula[:place], formula[place + 1 :].strip()
    return formula, ""


def _listed(row: Row, holds: bool | None) -> Entry:
    found = [premise.statement for premise in row.premises if premise.holds is holds]
    return Entry("; ".join(found)) if found else NONE


def _value(value: float | None) -> str:
    if value is None:
        return NONE.text
    if math.isinf(value):
        return "beyond 1e308"
    return f"{value:.3g}" if value >= 1e9 else plain(value)
