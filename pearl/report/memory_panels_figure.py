"""Figure 2: regret over time, and final regret against each swept setting, in four panels."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from pearl.report.regret_by_setting import RegretBySetting
from pearl.report.regret_by_setting_figure import draw_sweep, end_of, lines_of
from pearl.report.regret_lines import Look, name_ends
from pearl.report.regret_over_time_figure import (
    count_of_seeds,
    cut_words,
    draw_over_time,
    ends_over_time,
    lines_over_time,
    say_above,
)
from pearl.report.style import Theme, save_both

WIDE, TALL = 10.8, 9.6  # inches
PANELS_SIZE = (1080, 960)  # pixels on the page
LEFT, ABOVE, BELOW = 0.62, 1.3, 0.55  # margins, inches
PANEL, NAMES = 2.4, 2.37  # widths of a panel, and of the names right of it, inches
UNDER = 1.25  # between the rows, inches
LETTERS = "ABCD"


def memory_panels(table: RegretBySetting, folder: Path, stem: str) -> None:
    """Draw the base's regret over time and a panel a sweep; every line named at its end.

    Writes <stem>.png, <stem>.svg and <stem>.dark.svg (for dark pages) into `folder`.
    """
    save_both(lambda theme: _draw(table, theme), folder, stem)


def _draw(table: RegretBySetting, theme: Theme) -> Figure:
    figure = Figure(figsize=(WIDE, TALL))
    FigureCanvasAgg(figure)
    base, ours = table.first, table.reference
    over = lines_over_time(base, table.order, ours, theme)
    axes = _panel(figure, 0, theme, "over time")
    _name(axes, ends_over_time(over, draw_over_time(axes, base, over, ours)))
    axes.set_xlabel("round t")
    words = cut_words(over, ours)
    for number, sweep in enumerate(table.sweeps[:3], 1):
        lines = lines_of(table, sweep, theme)
        axes = _panel(figure, number, theme, f"over {sweep.symbol}")
        top = draw_sweep(axes, sweep, lines, ours)
        told = [(*end_of(line, top), line) for line in lines.values()]
        _name(axes, [(last, f"{said}  {line.label}", line.look) for last, said, line in told])
        words = words or cut_words(lines, ours)
    what = f"T = {base.horizon:,}; mean of {count_of_seeds(table.all_runs)} seeds, "
    what += "band: one standard deviation" + words
    say_above(figure, base, what, "Cumulative pseudo-regret", theme, left=LEFT / WIDE)
    return figure


def _panel(figure: Figure, number: int, theme: Theme, title: str) -> Axes:
    row, column = divmod(number, 2)
    tall = (TALL - ABOVE - UNDER - BELOW) / 2
    left = LEFT + column * (PANEL + NAMES + LEFT)
    bottom = BELOW + (1 - row) * (tall + UNDER)
    axes = figure.add_axes((left / WIDE, bottom / TALL, PANEL / WIDE, tall / TALL))
    at = (left - 0.45) / WIDE, (bottom + tall + 0.5) / TALL
    figure.text(*at, LETTERS[number], color=theme.ink, weight="bold", size=11)
    figure.text(at[0] + 0.2 / WIDE, at[1], title, color=theme.soft, size=9)
    axes.tick_params(labelsize=7.5)
    axes.locator_params(axis="x", nbins=4)
    return axes


def _name(axes: Axes, ends: Sequence[tuple[float, str, Look]]) -> None:
    right = axes.get_position().x1 + 0.16 / WIDE
    name_ends(axes, ends, names_at=right, height=0.165, size=7, two_lines=False)
