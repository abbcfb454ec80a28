"""Figure 2: (a) the users' mean ratings, (b) each model's spread of users' mean ratings."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from pearl.report.exhibits.asked import Asked
from pearl.report.exhibits.heterogeneity import ranked
from pearl.report.style import Theme, save_both

WIDE, TALL = 8.4, 5.0
HETEROGENEITY_SIZE = (round(100 * WIDE), round(100 * TALL))
BIN = 4  # points of the scale
LEAST = 13


def heterogeneity_figure(asked: Asked, folder: Path, stem: str) -> None:
    """Draw both parts side by side.

    Writes <stem>.png, <stem>.svg and <stem>.dark.svg (for dark pages) into `folder`.
    """
    save_both(lambda theme: _draw(asked, theme), folder, stem)


def _draw(asked: Asked, theme: Theme) -> Figure:
    figure = Figure(figsize=(WIDE, TALL))
    FigureCanvasAgg(figure)
    found = asked.data
    means = np.array(list(found.values["user mean"].values()))
    left = figure.add_axes((0.065, 0.115, 0.36, 0.70))
    left.hist(means, bins=100 // BIN, range=(0, 100), color=theme.reference, edgecolor=theme.paper)
    left.set_xlim(0, 100)
    left.set_xlabel("user's mean rating (1-100)")
    left.set_ylabel("users")
    left.grid(axis="y")
    left.set_axisbelow(True)
    users, sd = len(means), found.summary("sd of means")
    _head(figure, 0.065, f"(a) {users:,} users, sd {sd:.1f}", "paper: 1,395 users, 11.5", theme)
    names = ranked(asked)
    spread = [found.values["model sd"][name] for name in names]
    right = figure.add_axes((0.655, 0.115, 0.325, 0.70))
    places = np.arange(len(names))[::-1]
    right.hlines(places, 0, spread, color=theme.grid, linewidth=1.4, zorder=1)
    right.plot(spread, places, "o", color=theme.reference, markersize=5, zorder=3)
    right.axvline(LEAST, color=theme.others[0], linewidth=1, linestyle=(0, (5, 1.6)), zorder=2)
    right.set_yticks(places, [name.rpartition("/")[2] for name in names], size=7)
    right.set_xlim(0, 1.08 * max(spread))
    right.set_ylim(-0.8, len(names) - 0.2)
    right.set_xlabel("sd of users' mean ratings of the model")
    low = min(spread)
    _head(figure, 0.455, f"(b) {len(names)} models, sd from {low:.1f}", "paper: all > 13", theme)
    where = asked.runs
    if where.on_sample_data:
        label = f"SAMPLE DATA: {where.data_label.removeprefix('sample data ')}"
        figure.text(0.985, 0.96, label, color=theme.warning, size=8.5, weight="bold", ha="right")
    else:
        figure.text(0.985, 0.96, where.data_label, color=theme.soft, size=8.5, ha="right")
    return figure


def _head(figure: Figure, left: float, words: str, published: str, theme: Theme) -> None:
    figure.text(left, 0.895, words, color=theme.ink, weight="bold", size=10)
    figure.text(left, 0.855, published, color=theme.soft, size=8.5)
