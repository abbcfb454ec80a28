"""Section 22's figure: sigma and the error tracker over the run, a line a flip."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from pearl.report.contrasts import Point
from pearl.report.rewards.lines import Look, draw_line, name_ends, say_above, tick_rewards
from pearl.report.rewards.table import RewardTable, setting_words
from pearl.report.rewards.uncertainty import SHOWN
from pearl.report.style import Theme, save_both

WIDE, TALL = 8.4, 5.6
UNCERTAINTY_SIZE = (round(100 * WIDE), round(100 * TALL))
LEFT, RIGHT, ABOVE, BELOW, UNDER = 0.62, 1.2, 0.85, 0.5, 0.4  # inches


def uncertainty_figure(table: RewardTable, folder: Path, stem: str) -> None:
    """Draw the reference's mean sigma above its mean error tracker; every line named at its end.

    Writes <stem>.png, <stem>.svg and <stem>.dark.svg (for dark pages) into `folder`.
    """
    save_both(lambda theme: _draw(table, theme), folder, stem)


def _draw(table: RewardTable, theme: Theme) -> Figure:
    figure = Figure(figsize=(WIDE, TALL))
    FigureCanvasAgg(figure)
    method, flips = table.experiment.reference, table.rewards.levels("flip")
    hues = (theme.soft, *theme.others[:3], theme.reference)
    dashes = ((0, (1.2, 1.2)), "-", (0, (5, 1.6)), (0, (6, 1.5, 1.2, 1.5)), "-")
    looks = {
        flip: Look(hues[place % len(hues)], dashes[place % len(dashes)], leads=False)
        for place, flip in enumerate(flips)
    }
    tall = (TALL - ABOVE - BELOW - UNDER * (len(SHOWN) - 1)) / len(SHOWN)
    for row, (series, words) in enumerate(SHOWN.items()):
        bottom = BELOW + (len(SHOWN) - 1 - row) * (tall + UNDER)
        shape = (LEFT / WIDE, bottom / TALL, (WIDE - LEFT - RIGHT) / WIDE, tall / TALL)
        axes = figure.add_axes(shape)
        ends = []
        for flip in flips:
            run = table.rewards.method_of(Point(method).under(flip=flip))
            values = run.series.get(f"time/{series}") if run else None
            if run is None or values is None:
                continue
            x = run.series["time/t"].mean(axis=0)
            middle = (x + np.concatenate([[0.0], x[:-1]])) / 2
            end = draw_line(axes, middle, values, looks[flip])
            ends.append((end, setting_words("flip", flip), looks[flip]))
        axes.set_ylabel(words)
        axes.xaxis.set_major_locator(MaxNLocator(nbins=8))
        axes.xaxis.set_major_formatter(lambda x, _: f"{x:,.0f}")
        tick_rewards(axes)
        axes.set_axisbelow(True)
        axes.grid(axis="y")
        if ends:
            name_ends(figure, axes, ends)
        if row == len(SHOWN) - 1:
            axes.set_xlabel("interaction")
    what = f"{table.rewards.label(method)}, chosen arms, means over equal parts of the run"
    say_above(figure, table, theme, "Uncertainty over time", what)
    return figure
