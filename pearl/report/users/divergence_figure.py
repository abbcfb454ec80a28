"""Figure 6: reward of users that were easy and hard to predict, with and without a flip."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from pearl.report.contrasts import Point
from pearl.report.rewards.lines import (
    drawn,
    looks,
    mean_and_error,
    name_lines,
    say_above,
    tick_rewards,
)
from pearl.report.rewards.table import RewardTable, setting_words
from pearl.report.style import Theme, save_both
from pearl.report.users.strata import TERCILES

WIDE, TALL = 8.4, 4.4
DIVERGENCE_SIZE = (round(100 * WIDE), round(100 * TALL))
LEFT, RIGHT, ABOVE, BELOW, BETWEEN = 0.62, 0.2, 0.9, 0.9, 0.3  # inches


def divergence_figure(table: RewardTable, folder: Path, stem: str) -> None:
    """Draw each method's mean reward in the three strata with one standard error, a panel a flip.

    Writes <stem>.png, <stem>.svg and <stem>.dark.svg (for dark pages) into `folder`.
    """
    save_both(lambda theme: _draw(table, theme), folder, stem)


def _draw(table: RewardTable, theme: Theme) -> Figure:
    figure = Figure(figsize=(WIDE, TALL))
    FigureCanvasAgg(figure)
    flips, look, methods = table.rewards.levels("flip"), looks(table, theme), drawn(table)
    wide = (WIDE - LEFT - RIGHT - BETWEEN * (len(flips) - 1)) / len(flips)
    panels = []
    for column, flip in enumerate(flips):
        left = LEFT + column * (wide + BETWEEN)
        shape = (left / WIDE, BELOW / TALL, wide / WIDE, (TALL - ABOVE - BELOW) / TALL)
        axes = figure.add_axes(shape)
        for number, method in enumerate(methods):
            run = table.rewards.method_of(Point(method).under(flip=flip))
            if run is None:
                continue
            last = np.column_stack(
                [run.series[f"strata/{name}_divergence"][:, -1] for name in TERCILES]
            )
            mean, error = mean_and_error(last)
            x = np.arange(len(TERCILES)) + 0.12 * (number - (len(methods) - 1) / 2)
            each = look[method]
            axes.errorbar(
                x,
                mean,
                error,
                color=each.colour,
                linestyle=each.dashes,
                linewidth=2.2 if each.leads else 1.4,
                elinewidth=1.0,
                marker="o",
                markersize=4,
                zorder=4 if each.leads else 3,
            )
        axes.set_xticks(range(len(TERCILES)), [f"{name} divergence" for name in TERCILES])
        axes.set_xlim(-0.4, len(TERCILES) - 0.6)
        axes.set_title(setting_words("flip", flip), size=9, loc="left", color=theme.ink)
        tick_rewards(axes)
        axes.set_axisbelow(True)
        axes.grid(axis="y")
        if column == 0:
            axes.set_ylabel("average reward to date")
        else:
            axes.set_yticklabels([])
        panels.append(axes)
    low = min(axes.get_ylim()[0] for axes in panels)
    high = max(axes.get_ylim()[1] for axes in panels)
    for axes in panels:
        axes.set_ylim(low, high)
    name_lines(figure, [(table.rewards.label(method), look[method]) for method in methods])
    what = "Terciles of users by their error tracker without a flip, same seed"
    band = "bars: one standard error"
    say_above(figure, table, theme, "Whom the methods serve", what, band=band)
    return figure
