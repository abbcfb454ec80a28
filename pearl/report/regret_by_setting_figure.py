"""Figure 1 (B), (C), (D) and (F): final regret against a swept setting."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from pearl.report.regret_by_setting import RegretBySetting
from pearl.report.regret_lines import (
    Line,
    draw_line,
    draw_marks,
    hidden,
    looks,
    mark_cut,
    mean_and_sd,
    name_ends,
    set_range,
)
from pearl.report.regret_over_time_figure import (
    ABOVE,
    BELOW,
    HEIGHT,
    LEFT,
    LOWEST,
    NAMES_AT,
    RIGHT,
    ROW,
    WIDE,
    count_of_seeds,
    cut_words,
    say_above,
)
from pearl.report.statistics import Floats
from pearl.report.style import LIGHT, Theme, save_both
from pearl.report.swept import Sweep

BETWEEN = 0.75  # panels, inches
ASIDE = 0.06  # of methods at a place without order, so that their bars don't hide one another


def regret_by_setting(table: RegretBySetting, folder: Path, stem: str) -> None:
    """Draw final regret against each swept setting, a panel a sweep; every line named at its end.

    Writes <stem>.png, <stem>.svg and <stem>.dark.svg (for dark pages) into `folder`.
    """
    save_both(lambda theme: _draw(table, theme), folder, stem)


def setting_size(table: RegretBySetting) -> tuple[int, int]:
    """Return the figure's width and height on the page, pixels."""
    return round(100 * WIDE), round(100 * _tall(table))


def draw_sweep(axes: Axes, sweep: Sweep, lines: Mapping[str, Line], reference: str) -> float:
    """Draw the lines of a sweep over its values; return where the axis of regret ends."""
    x = places_of(sweep)
    for number, line in enumerate(lines.values()):
        if sweep.is_numeric:
            draw_line(axes, x, line, dots=True)
        else:
            draw_marks(axes, x, line, ASIDE * (number - (len(lines) - 1) / 2))
    top = set_range(axes, lines, reference)
    beyond = {name: x[line.mean > top].tolist() for name, line in lines.items()}
    mark_cut(axes, beyond, lines)
    if sweep.is_numeric:
        axes.set_xlim(float(x[0]), float(x[-1]) if len(x) > 1 else float(x[0]) + 1)
    else:
        axes.set_xlim(-0.5, len(x) - 0.5)
        axes.set_xticks(x, [str(value) for value in sweep.values])
    axes.set_xlabel(axis_name(sweep))
    return top


def lines_of(table: RegretBySetting, sweep: Sweep, theme: Theme) -> dict[str, Line]:
    """Return the lines of the methods that were run at every value of a sweep."""
    look = looks(table.order, table.reference, theme)
    made: dict[str, Line] = {}
    for name in table.order:
        runs = [point.runs.methods.get(name) for point in sweep.points]
        found = [mean_and_sd(run.curves[:, -1:]) for run in runs if run is not None]
        if found and len(found) == len(runs):
            mean, spread = (np.concatenate(parts) for parts in zip(*found, strict=True))
            made[name] = Line(table.label(name), look[name], mean, spread)
    return made


def places_of(sweep: Sweep) -> Floats:
    """Return where the values of a sweep lie on its axis: themselves, or 0, 1, 2 ..."""
    values = sweep.values if sweep.is_numeric else range(len(sweep.values))
    return np.array([float(value) for value in values])


def axis_name(sweep: Sweep) -> str:
    """Return what stands beneath the axis."""
    words = sweep.setting.replace("_", " ")
    return words if words == sweep.symbol else f"{words} {sweep.symbol}"


def end_of(line: Line, top: float) -> tuple[float, str]:
    """Return where a line ends, and its last mean in words; beyond the range, which means are."""
    last = float(line.mean[-1])
    told = f"{last / 1e6:.3g}M" if last >= 1e6 else f"{last:,.{0 if last >= 1000 else 1}f}"
    beyond = hidden(line, top)
    if last > top:
        return last, beyond
    return last, f"{told} ({beyond})" if beyond else told


def _draw(table: RegretBySetting, theme: Theme) -> Figure:
    figure = Figure(figsize=(WIDE, _tall(table)))
    FigureCanvasAgg(figure)
    tall = figure.get_figheight()
    panel = _panel(table)
    wide = WIDE - LEFT - RIGHT
    words = ""
    for row, sweep in enumerate(table.sweeps):
        lines = lines_of(table, sweep, theme)
        bottom = BELOW + (len(table.sweeps) - 1 - row) * (panel + BETWEEN)
        axes = figure.add_axes((LEFT / WIDE, bottom / tall, wide / WIDE, panel / tall))
        top = draw_sweep(axes, sweep, lines, table.reference)
        ends = []
        for line in lines.values():
            last, told = end_of(line, top)
            if not sweep.is_numeric and last <= top:
                told = ""
            ends.append((last, f"{told}  {line.label}".strip(), line.look))
        name_ends(axes, ends, names_at=NAMES_AT, height=HEIGHT, size=9)
        words = words or cut_words(lines, table.reference)
    runs = table.first
    what = f"T = {runs.horizon:,}; mean of {count_of_seeds(table.all_runs)} seeds, "
    what += "band: one standard deviation" + words
    say_above(figure, runs, what, "Final cumulative pseudo-regret", theme, left=LEFT / WIDE)
    return figure


def _panel(table: RegretBySetting) -> float:
    return max(LOWEST, ROW * len(table.order))


def _tall(table: RegretBySetting) -> float:
    counted = 0
    for sweep in table.sweeps:
        lines = lines_of(table, sweep, LIGHT)
        counted = max(counted, len(lines) if cut_words(lines, table.reference) else 0)
    n = len(table.sweeps)
    return ABOVE + 0.06 * counted + n * _panel(table) + (n - 1) * BETWEEN + BELOW
