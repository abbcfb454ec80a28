"""Figure 3: reward and regret by epoch, a column a flip."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from pearl.report.contrasts import Point
from pearl.report.rewards.lines import draw_line, drawn, looks, name_ends, say_above, tick_rewards
from pearl.report.rewards.table import RewardTable, setting_words
from pearl.report.style import Theme, save_both

ROWS = {
    "epoch/reward_to_date": "average reward to date",
    "epoch/regret_to_date": "average regret to date",
}
WIDE, TALL = 8.4, 6.4
LEFT, RIGHT, ABOVE, BELOW = 0.62, 1.42, 0.85, 0.5  # margins, inches
BETWEEN, UNDER = 0.25, 0.35


def learning_curves(table: RewardTable, folder: Path, stem: str) -> None:
    """Draw average reward above average regret, by epoch; every line named at its end.

    Writes <stem>.png, <stem>.svg and <stem>.dark.svg (for dark pages) into `folder`.
    """
    save_both(lambda theme: _draw(table, theme), folder, stem)


def learning_size(_table: RewardTable) -> tuple[int, int]:
    """Return the figure's width and height on the page, pixels."""
    return round(100 * WIDE), round(100 * TALL)


def _draw(table: RewardTable, theme: Theme) -> Figure:
    figure = Figure(figsize=(WIDE, TALL))
    FigureCanvasAgg(figure)
    flips = table.rewards.levels("flip")
    look = looks(table, theme)
    wide = (WIDE - LEFT - RIGHT - BETWEEN * (len(flips) - 1)) / len(flips)
    tall = (TALL - ABOVE - BELOW - UNDER) / len(ROWS)
    for row, (series, name) in enumerate(ROWS.items()):
        panels, all_ends = [], []
        bottom = BELOW + (len(ROWS) - 1 - row) * (tall + UNDER)
        for column, flip in enumerate(flips):
            left = LEFT + column * (wide + BETWEEN)
            axes = figure.add_axes((left / WIDE, bottom / TALL, wide / WIDE, tall / TALL))
            ends = []
            for method in drawn(table):
                run = table.rewards.method_of(Point(method).under(flip=flip))
                values = run.series.get(series) if run else None
                if run is None or values is None:
                    continue
                x = np.arange(1, values.shape[1] + 1)
                ends.append((draw_line(axes, x, values, look[method]), run.label, look[method]))
            axes.xaxis.set_major_locator(MaxNLocator(integer=True))
            tick_rewards(axes)
            axes.set_axisbelow(True)
            axes.grid(axis="y")
            if column == 0:
                axes.set_ylabel(name)
            else:
                axes.set_yticklabels([])
            if row == 0:
                axes.set_title(setting_words("flip", flip), size=9, loc="left", color=theme.ink)
            if row == len(ROWS) - 1:
                axes.set_xlabel("epoch")
            panels.append(axes)
            all_ends.append(ends)
        low = min(axes.get_ylim()[0] for axes in panels)
        high = max(axes.get_ylim()[1] for axes in panels)
        for axes in panels:
            axes.set_ylim(low, high)
        if all_ends and all_ends[-1]:
            name_ends(figure, panels[-1], all_ends[-1])
    say_above(figure, table, theme, "Learning under preference flips", "Average up to each epoch")
    return figure
