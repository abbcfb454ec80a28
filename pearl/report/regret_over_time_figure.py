"""Figure 1 (A) and (E): cumulative regret over rounds, every line named at its end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from pearl.report.final_regret import FinalRegret
from pearl.report.regret_lines import (
    UP,
    Line,
    Look,
    draw_line,
    leaves_at,
    looks,
    mark_cut,
    name_ends,
    over_time,
    set_range,
    shown_top,
)
from pearl.report.rows import Runs
from pearl.report.style import Theme, save_both

WIDE, LEFT, RIGHT, ABOVE, BELOW = 8.4, 0.71, 2.43, 0.62, 0.58  # inches
NAMES_AT = 0.735  # of the figure's width
HEIGHT = 0.23  # of a name, inches
LOWEST, ROW = 3.6, 0.3  # the axes' height: at least, and a name, inches


def regret_over_time(table: FinalRegret, folder: Path, stem: str) -> None:
    """Draw mean cumulative regret with one standard deviation; every line named at its end.

    Lines that would press the others onto the axis are cut at the range, and named there.
    Writes <stem>.png, <stem>.svg and <stem>.dark.svg (for dark pages) into `folder`.
    """
    save_both(lambda theme: _draw(table, theme), folder, stem)


def over_time_size(table: FinalRegret) -> tuple[int, int]:
    """Return the figure's width and height on the page, pixels."""
    return round(100 * WIDE), round(100 * _tall(table))


def draw_over_time(axes: Axes, runs: Runs, lines: Mapping[str, Line], reference: str) -> float:
    """Draw the lines of one setting over its rounds; return where the axis of regret ends."""
    rounds = np.array((0, *runs.rounds), dtype=np.float64)
    for line in lines.values():
        draw_line(axes, rounds, line)
    axes.set_xlim(0, runs.horizon)
    top = set_range(axes, lines, reference)
    mark_cut(axes, {name: leaves_at(rounds, line, top) for name, line in lines.items()}, lines)
    axes.xaxis.set_major_formatter(lambda x, _: f"{x:,.0f}")
    return top


def lines_over_time(
    runs: Runs, methods: Sequence[str], reference: str, theme: Theme
) -> dict[str, Line]:
    """Return the lines of the methods that ran."""
    look = looks(methods, reference, theme)
    return {
        name: over_time(runs.methods[name], look[name]) for name in methods if name in runs.methods
    }


def ends_over_time(lines: Mapping[str, Line], top: float) -> list[tuple[float, str, Look]]:
    """Return last means, in words with the methods' names, and looks; an arrow: beyond the axis."""
    made = []
    for line in lines.values():
        last = float(line.mean[-1])
        told = f"{last:,.{0 if last >= 1000 else 1}f}"
        made.append((last, f"{UP} {told}" if last > top else told, line))
    return [(last, f"{told}  {line.label}", line.look) for last, told, line in made]


def say_above(
    figure: Figure, runs: Runs, what: str, title: str, theme: Theme, *, left: float
) -> None:
    """Print title, what is drawn, and the data; data made by pearl's generator stands out."""
    tall = figure.get_figheight()
    upper, lower = 1 - 0.26 / tall, 1 - 0.48 / tall
    figure.text(left, upper, title, color=theme.ink, weight="bold", size=11)
    figure.text(left, lower, what, color=theme.soft, size=8.5)
    label, colour, weight = runs.data_label, theme.soft, "normal"
    if runs.on_sample_data:
        label = f"SAMPLE DATA: {label.removeprefix('sample data ')}"
        colour, weight = theme.warning, "bold"
    figure.text(0.985, upper, label, color=colour, size=8.5, weight=weight, ha="right")


def count_of_seeds(all_runs: Sequence[Runs]) -> str:
    """Say how many seeds the methods have: "30", or "3-5"."""
    counts = sorted({len(run.seeds) for runs in all_runs for run in runs.methods.values()})
    return f"{counts[0]}" if len(counts) == 1 else f"{counts[0]}-{counts[-1]}"


def cut_words(lines: Mapping[str, Line], reference: str) -> str:
    """Say that lines are cut, "" where none is."""
    top = 1.06 * shown_top(lines, reference)
    if not any(np.any(line.mean > top) for line in lines.values()):
        return ""
    return f"; {UP} beyond the range"


def _draw(table: FinalRegret, theme: Theme) -> Figure:
    runs, tall = table.runs, _tall(table)
    figure = Figure(figsize=(WIDE, tall))
    FigureCanvasAgg(figure)
    wide = WIDE - LEFT - RIGHT
    axes = figure.add_axes(
        (LEFT / WIDE, BELOW / tall, wide / WIDE, (tall - ABOVE - _cut_room(table) - BELOW) / tall)
    )
    lines = lines_over_time(runs, table.order, table.reference, theme)
    top = draw_over_time(axes, runs, lines, table.reference)
    axes.set_xlabel("round t")
    ends = ends_over_time(lines, top)
    name_ends(axes, ends, names_at=NAMES_AT, height=HEIGHT, size=9)
    memory = f"M = {runs.settings['memory']}, " if "memory" in runs.settings else ""
    seeds = count_of_seeds([runs])
    what = f"{memory}T = {runs.horizon:,}; mean of {seeds} seeds, band: one standard deviation"
    what += cut_words(lines, table.reference)
    say_above(figure, runs, what, "Cumulative pseudo-regret", theme, left=LEFT / WIDE)
    return figure


def _tall(table: FinalRegret) -> float:
    names = len(table.runs.methods)
    return ABOVE + max(LOWEST, ROW * names) + _cut_room(table) + BELOW


def _cut_room(table: FinalRegret) -> float:
    """Return the height above the axes that arrowheads take, inches."""
    run = table.runs.methods
    lines = {
        name: over_time(run[name], Look("", "-", False)) for name in table.order if name in run
    }
    top = 1.06 * shown_top(lines, table.reference)
    return 0.1 * sum(bool(np.any(line.mean > top)) for line in lines.values())
