"""A table of rewards printed for the page: its grids, caption, what stands beneath."""

from __future__ import annotations

from collections.abc import Sequence

from pearl.experiments import Experiment
from pearl.report.cells import SHORT_KEY, Cell
from pearl.report.claims import FALSE_DISCOVERY_RATE, tone
from pearl.report.numbers import MINUS, difference, p_value, plain, reward, within
from pearl.report.origin import data_lines, instance, seed_lines
from pearl.report.rewards.plan import GridPlan, Line, Style
from pearl.report.rewards.table import RewardTable, setting_words
from pearl.report.views import Entry, Grid

REPLAYED = (
    "Intervals cover seeds, each of which draws its own split, flipped users, order and network;"
    " they don't cover new users or other responses."
)
SIMULATED = "Intervals cover seeds, each of which draws its own users, arms, noise and network."
NONE = Entry("\N{EM DASH}")


def grids(table: RewardTable, cells: Sequence[Cell]) -> tuple[Grid, ...]:
    """Print the page's tables; what claims alone added stands in the last."""
    held = {(cell.row, cell.column): cell for cell in cells}
    laid = table.plan.grids
    return tuple(
        _grid(one, held) for one in laid if any(_is_there(line, held) for line in one.lines)
    )


def beneath(table: RewardTable, m_table: int, m_paper: int) -> tuple[str, ...]:
    """Return the sentences beneath the table."""
    said = list(table.plan.remarks)
    tested = table.tests()
    if tested:
        said.append("Differences are paired by seed.")
    if m_table:
        family = f" ({table.family})" if table.family else ""
        said.append(
            f"p: {_test(table)}; q: Benjamini-Hochberg over the m = {m_table} comparisons of this"
            f" table{family}; over all tables of the paper m = {m_paper}, a column of the CSV file."
            f" An order counts below q = {FALSE_DISCOVERY_RATE:g}."
        )
    absent = [
        name
        for name in table.experiment.methods
        if not any(name in runs.methods for runs in table.rewards.all_runs)
    ]
    if absent:
        said.append(f"Without runs here: {', '.join(absent)}.")
    if any(table.printed(one) for one in table.estimates):
        said.append(
            "Beneath a number stands its interval, then what the paper prints, with the verdict on"
            " it; what only follows from printed numbers has none."
        )
    said.append(_caveat(table))
    return tuple(said)


def caption(experiment: Experiment, table: RewardTable) -> str:
    """Say what figure and table show, and on which data."""
    first = table.rewards.first
    counts = sorted(
        {len(r.seeds) for runs in table.rewards.all_runs for r in runs.methods.values()}
    )
    seeds = " to ".join(str(n) for n in dict.fromkeys((counts[0], counts[-1])))
    swept = table.rewards.swept
    fixed = ""
    if "flip" in first.settings and "flip" not in swept:
        fixed = f", {setting_words('flip', float(first.settings['flip']))}"
    return (
        f"{experiment.title}{fixed}: {first.horizon} epoch{'s' if first.horizon > 1 else ''},"
        f" {seeds} seed{'s' if counts[-1] > 1 else ''}.{_beside(experiment)}"
        f" Data: {first.data_label}."
    )


def _beside(experiment: Experiment) -> str:
    named = experiment.place.startswith(("Table", "Figure", "Section"))
    return f" Beside {experiment.place} of the paper." if named else ""


def origin(table: RewardTable) -> tuple[tuple[str, str], ...]:
    """Return where the numbers come from, as names and values; the empty ones are left out."""
    rewards, first = table.rewards, table.rewards.first
    swept = rewards.swept
    settings = [
        f"{name} = {_levels(table, name) if name in swept else value}"
        for name, value in first.settings.items()
        if name != "kind"
    ]
    varied = list(dict.fromkeys(runs.variant for runs in rewards.all_runs if runs.variant))
    methods = sorted({one.method for one in table.estimates.values()})
    lines = [
        *data_lines(first),
        ("instance", instance(first)),
        ("settings", f"{', '.join(settings)}, epochs = {first.horizon}"),
        ("variants", ", ".join(varied)),
        ("profile", first.profile),
        ("intervals", f"{', '.join(methods)}. {_caveat(table)}" if methods else ""),
        *seed_lines(run for runs in rewards.all_runs for run in runs.methods.values()),
    ]
    return tuple((name, value) for name, value in lines if value)


def keys(table: RewardTable) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the run keys, by method and by what tells its runs apart."""
    swept, made = table.rewards.swept, []
    for runs in table.rewards.all_runs:
        words = [runs.variant] if runs.variant else []
        words += [f"{name} = {runs.settings[name]}" for name in swept if name in runs.settings]
        for run in runs.methods.values():
            label = ", ".join([run.label, *words])
            made.append((label, tuple(key[:SHORT_KEY] for key in run.keys)))
    return tuple(made)


def _levels(table: RewardTable, name: str) -> str:
    found = dict.fromkeys(str(runs.settings.get(name)) for runs in table.rewards.base)
    return " / ".join(found)


def _is_there(line: Line, held: dict[tuple[str, str], Cell]) -> bool:
    return any(place in held for place in line.places if place is not None)


def _grid(plan: GridPlan, held: dict[tuple[str, str], Cell]) -> Grid:
    rows = tuple(
        (
            line.label,
            line.leads,
            tuple(
                _entry(_found(place, held), column.style)
                for place, column in zip(line.places, plan.columns, strict=True)
            ),
        )
        for line in plan.lines
    )
    return Grid(plan.title, (plan.corner, *(c.heading for c in plan.columns)), rows)


def _found(place: tuple[str, str] | None, held: dict[tuple[str, str], Cell]) -> Cell | None:
    """Return the cell at a place; a p- or q-value's column is the beginning of its name."""
    if place is None or place in held:
        return held.get(place) if place else None
    row, column = place
    return next((cell for (r, c), cell in held.items() if r == row and c.startswith(column)), None)


def _entry(cell: Cell | None, style: Style) -> Entry:
    if cell is None or (cell.measured is None and not cell.published):
        return NONE
    printed = {"reward": reward, "difference": difference, "p": p_value, "q": p_value}.get(style)
    if style == "count":
        printed = plain
    show = printed or (lambda value: f"{value:.2f}".replace("-", MINUS))
    text = "\N{EM DASH}" if cell.measured is None else show(cell.measured.estimate)
    return Entry(
        text,
        within(cell.measured, show),
        _typeset(cell.published),
        cell.verdict,
        tone(cell.verdict) if cell.verdict else "",
    )


def _test(table: RewardTable) -> str:
    if table.plan.statistic == "iqm":
        return "Yuen's t test of the trimmed mean of paired differences"
    return "paired t test"


def _typeset(published: str) -> str:
    return published.replace("-", MINUS)


def _caveat(table: RewardTable) -> str:
    return SIMULATED if table.rewards.first.provenance is None else REPLAYED
