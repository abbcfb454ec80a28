"""Figure 1 (a): correlation of each stated preference with the error, epoch by epoch."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from pearl.report.numbers import MINUS, difference
from pearl.report.rewards.lines import say_above
from pearl.report.style import Theme, save_both
from pearl.report.users.correlations import EXTREMITY, Correlations, shown_names
from pearl.report.users.correlations_view import title

WIDE, TALL = 8.4, 4.6
CORRELATIONS_SIZE = (round(100 * WIDE), round(100 * TALL))
LEFT, RIGHT, ABOVE, BELOW = 1.15, 0.95, 0.75, 0.5  # inches
LEAST = 0.05
"""The colour scale reaches at least so far from 0."""


def correlation_figure(table: Correlations, folder: Path, stem: str) -> None:
    """Draw the heatmap; a correlation whose interval excludes 0 is printed in bold.

    Writes <stem>.png, <stem>.svg and <stem>.dark.svg (for dark pages) into `folder`.
    """
    save_both(lambda theme: _draw(table, theme), folder, stem)


def _draw(table: Correlations, theme: Theme) -> Figure:
    figure = Figure(figsize=(WIDE, TALL))
    FigureCanvasAgg(figure)
    names = [name for name in shown_names(table) if name != EXTREMITY and name in table.epochs]
    shape = (
        LEFT / WIDE,
        BELOW / TALL,
        (WIDE - LEFT - RIGHT) / WIDE,
        (TALL - ABOVE - BELOW) / TALL,
    )
    axes = figure.add_axes(shape)
    if names:
        values = np.array([[one.estimate for one in table.epochs[name]] for name in names])
        reach = max(LEAST, float(np.abs(values).max()))
        colours = LinearSegmentedColormap.from_list(
            "correlation", [theme.others[0], theme.paper, theme.reference]
        )
        image = axes.imshow(values, cmap=colours, vmin=-reach, vmax=reach, aspect="auto")
        for row, name in enumerate(names):
            for column, one in enumerate(table.epochs[name]):
                strong = abs(one.estimate) > 0.55 * reach
                axes.text(
                    column,
                    row,
                    f"{one.estimate:+z.2f}".replace("0.", ".", 1).replace("-", MINUS),
                    ha="center",
                    va="center",
                    size=7.5,
                    weight="bold" if _excludes_zero(one.low, one.high) else "normal",
                    color=theme.paper if strong else theme.ink,
                )
        axes.set_yticks(range(len(names)), [title(name) for name in names])
        axes.set_xticks(range(values.shape[1]), [str(e + 1) for e in range(values.shape[1])])
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        place = (1 - 0.8 * RIGHT / WIDE, shape[1], 0.018, shape[3])
        bar = figure.colorbar(image, cax=figure.add_axes(place))
        bar.outline.set_visible(False)
        bar.ax.yaxis.set_major_formatter(lambda y, _: difference(y))
    axes.set_xlabel("epoch")
    what = (
        f"Spearman over n = {table.n:,} flipped users, bold: interval excludes 0; {table.run.label}"
    )
    head = "Stated preference and error after the flip"
    say_above(figure, table, theme, head, what, band="")
    return figure


def _excludes_zero(low: float | None, high: float | None) -> bool:
    return low is not None and high is not None and (low > 0 or high < 0)
