"""Figure 5: reliability diagrams above histograms of predictions, a column a flip."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from pearl.report.contrasts import Point
from pearl.report.numbers import reward
from pearl.report.rewards.calibration import ECE
from pearl.report.rewards.lines import Look, drawn, looks, name_lines, say_above
from pearl.report.rewards.reading import METRIC
from pearl.report.rewards.table import RewardTable, setting_words
from pearl.report.style import Theme, save_both

WIDE, TALL = 8.4, 6.6
CALIBRATION_SIZE = (round(100 * WIDE), round(100 * TALL))
LEFT, RIGHT, ABOVE, BELOW, BETWEEN, UNDER = 0.62, 0.2, 0.85, 0.85, 0.3, 0.55  # inches
SHARE = 0.64
"""Of the height that reliability diagrams have."""


def calibration_figure(table: RewardTable, folder: Path, stem: str) -> None:
    """Draw predicted against observed reward, and how often what was predicted.

    Writes <stem>.png, <stem>.svg and <stem>.dark.svg (for dark pages) into `folder`.
    """
    save_both(lambda theme: _draw(table, theme), folder, stem)


def bins(
    predicted: np.ndarray, observed: np.ndarray, count: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return each bin's mean prediction, mean reward and share over the seeds' interactions.

    Args:
        predicted, observed, count: shape (seeds, 10); an empty bin counts 0.

    Returns:
        Shape (bins,) each: the bins that any seed filled, and the share of all ten bins (10,).
    """
    total = count.sum(axis=0)
    some = total > 0
    mean = [(values * count).sum(axis=0)[some] / total[some] for values in (predicted, observed)]
    return mean[0], mean[1], total / total.sum()


def _draw(table: RewardTable, theme: Theme) -> Figure:
    figure = Figure(figsize=(WIDE, TALL))
    FigureCanvasAgg(figure)
    flips = table.rewards.levels("flip")
    look = looks(table, theme)
    wide = (WIDE - LEFT - RIGHT - BETWEEN * (len(flips) - 1)) / len(flips)
    tall = TALL - ABOVE - BELOW - UNDER
    below, above = (1 - SHARE) * tall, SHARE * tall
    for column, flip in enumerate(flips):
        left = (LEFT + column * (wide + BETWEEN)) / WIDE
        upper = figure.add_axes((left, (BELOW + below + UNDER) / TALL, wide / WIDE, above / TALL))
        lower = figure.add_axes((left, BELOW / TALL, wide / WIDE, below / TALL))
        upper.plot((0, 1), (0, 1), color=theme.soft, linewidth=0.8, linestyle=(0, (2, 2)))
        for method in drawn(table):
            _method(table, upper, lower, flip, method, look[method])
        upper.set_title(setting_words("flip", flip), size=9, loc="left", color=theme.ink)
        lower.set_xlabel("predicted reward")
        for axes in (upper, lower):
            axes.set_xlim(0, 1)
            axes.set_axisbelow(True)
            axes.grid(axis="y")
            axes.xaxis.set_major_formatter(lambda x, _: f"{x:.1f}")
            axes.yaxis.set_major_formatter(lambda y, _: f"{y:.1f}")
            if column:
                axes.set_yticklabels([])
        upper.set_ylim(0, 1)
        if column == 0:
            upper.set_ylabel("observed reward")
            lower.set_ylabel("share of predictions")
    high = max(axes.get_ylim()[1] for axes in figure.axes[1::2])
    for axes in figure.axes[1::2]:
        axes.set_ylim(0, high)
    named = [(table.rewards.label(method), look[method]) for method in drawn(table)]
    name_lines(figure, named)
    what = "Last tenth of the interactions, 10 bins"
    say_above(figure, table, theme, "Calibration of predicted rewards", what, band="")
    return figure


def _method(
    table: RewardTable, upper: Axes, lower: Axes, flip: float, method: str, look: Look
) -> None:
    run = table.rewards.method_of(Point(method).under(flip=flip))
    names = ("predicted", "observed", "count")
    found = [run.series.get(f"reliability/{name}") for name in names] if run else []
    parts = [one for one in found if one is not None]
    if run is None or len(parts) < len(names):
        return
    x, y, share = bins(parts[0], parts[1], parts[2])
    width = 2.2 if look.leads else 1.4
    ece = run.metric(ECE.removeprefix(METRIC))
    order = 4 if look.leads else 3
    upper.plot(
        x,
        y,
        color=look.colour,
        linestyle=look.dashes,
        linewidth=width,
        marker="o",
        markersize=3,
        zorder=order,
    )
    if ece is not None:
        place = sum(len(text.get_text()) > 0 for text in upper.texts)
        upper.text(
            0.97,
            0.04 + 0.075 * place,
            f"ECE {reward(float(ece.mean()))}  {run.label}",
            color=look.colour,
            size=7.5,
            ha="right",
            weight="bold" if look.leads else "normal",
        )
    edges = np.linspace(0, 1, len(share) + 1)
    lower.stairs(share, edges, color=look.colour, linestyle=look.dashes, linewidth=width)
