"""Regret, recovery and uncertainty spent over s / d, a column a kind of features."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from pearl.report.rewards.partial_global import PartialTable
from pearl.report.style import Theme, save_both

WIDE, TALL = 8.4, 7.4
PARTIAL_SIZE = (round(100 * WIDE), round(100 * TALL))
DASHES = ("-", (0, (5, 1.6)), (0, (1.2, 1.2)))
ROWS = (
    ("regret", "regret of the whole run"),
    ("recovery", "rounds to recovery"),
    ("share in V", "share of spent trace in V"),
)


def partial_global(table: PartialTable, folder: Path, stem: str) -> None:
    """Draw the error-adaptive methods; the reference's line is thicker.

    Writes <stem>.png, <stem>.svg and <stem>.dark.svg (for dark pages) into `folder`.
    """
    save_both(lambda theme: _draw(table, theme), folder, stem)


def _draw(table: PartialTable, theme: Theme) -> Figure:
    figure = Figure(figsize=(WIDE, TALL))
    FigureCanvasAgg(figure)
    drawn = [name for name in table.methods if name.endswith("_a")] or list(table.methods)
    hues = (*theme.others[:3], theme.warning)
    rest = [name for name in drawn if name != table.experiment.reference]
    looks = {
        name: (hues[place % len(hues)], DASHES[place // len(hues) % len(DASHES)], 1.3)
        for place, name in enumerate(rest)
    }
    looks[table.experiment.reference] = (theme.reference, "-", 2.3)
    grid = figure.subplots(len(ROWS), len(table.kinds), squeeze=False, sharex=True, sharey="row")
    for column, features in enumerate(table.kinds):
        for row, (what, said) in enumerate(ROWS):
            axes: Axes = grid[row, column]
            for name in drawn:
                _line(table, axes, features, name, what, looks[name])
            axes.grid(axis="y")
            axes.set_axisbelow(True)
            if row == 0:
                axes.set_title(features, size=9, loc="left", color=theme.ink)
                axes.set_yscale("log")
            if column == 0:
                axes.set_ylabel(said)
            if row == len(ROWS) - 1:
                axes.set_xlabel("shifted dimensions s")
            steps = table.shifted(features)
            axes.set_xticks(range(len(steps)), [str(s) for s in steps])
    _limit(table, grid)
    lines = [Line2D([], [], color=c, linestyle=d, linewidth=w) for c, d, w in looks.values()]
    names = [table.label(name) for name in looks]
    figure.legend(lines, names, loc="lower center", ncols=4, frameon=False, fontsize=8)
    first = table.first
    count = max(len(run.seeds) for run in first.methods.values())
    figure.text(0.095, 0.968, "Partial or global", color=theme.ink, weight="bold", size=11)
    told = f"s of d = {first.settings['dimensions']} dimensions shift; mean of {count} seeds,"
    told = f"{told} bars: {100 * table.settings.confidence:.0f}% intervals. {first.data_label}"
    figure.text(0.095, 0.945, told, color=theme.soft, size=8.5)
    figure.subplots_adjust(left=0.095, right=0.985, top=0.905, bottom=0.165, wspace=0.08)
    return figure


def _limit(table: PartialTable, grid: np.ndarray) -> None:
    """Keep the rows to their means: intervals of few seeds reach far beyond."""
    means = {
        what: [v.estimate for (_, _, each), v in table.values.items() if each == what]
        for what, _ in ROWS
    }
    if means["regret"]:
        grid[0, 0].set_ylim(0.7 * min(means["regret"]), 1.4 * max(means["regret"]))
    if means["recovery"]:
        grid[1, 0].set_ylim(0.0, 1.1 * max(means["recovery"]))
    grid[2, 0].set_ylim(0.0, 1.05)


def _line(
    table: PartialTable,
    axes: Axes,
    features: str,
    name: str,
    what: str,
    look: tuple[str, object, float],
) -> None:
    colour, dashes, width = look
    x: list[int] = []
    middle: list[float] = []
    bars: tuple[list[float], list[float]] = ([], [])
    for place, s in enumerate(table.shifted(features)):
        if what == "share in V":
            parts = [
                table.values.get(((features, s), name, f"spent {part} V"))
                for part in ("in", "outside")
            ]
            if parts[0] is None or parts[1] is None:
                continue
            total = parts[0].estimate + parts[1].estimate
            if total <= 0.0:
                continue
            value, low, high = parts[0].estimate / total, 0.0, 0.0
        else:
            found = table.values.get(((features, s), name, what))
            if found is None:
                continue
            value = found.estimate
            low = value - found.low if found.low is not None else 0.0
            high = found.high - value if found.high is not None else 0.0
        x.append(place)
        middle.append(value)
        bars[0].append(max(low, 0.0))
        bars[1].append(max(high, 0.0))
    if x:
        axes.errorbar(
            x,
            middle,
            bars,
            color=colour,
            linestyle=dashes,
            linewidth=width,
            elinewidth=0.8,
            marker="o",
            markersize=3,
        )
