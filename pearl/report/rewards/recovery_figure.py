"""Figures 4 and 1 (b): recovery after the flip, for all, flipped and non-flipped users."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from pearl.report.contrasts import Point
from pearl.report.rewards.lines import (
    Look,
    draw_line,
    drawn,
    looks,
    name_ends,
    say_above,
    tick_rewards,
)
from pearl.report.rewards.over_epochs import GROUPS
from pearl.report.rewards.table import RewardTable
from pearl.report.style import Theme, save_both

WIDE, TALL = 8.4, 3.9
LEFT, RIGHT, ABOVE, BELOW, BETWEEN = 0.62, 1.42, 0.9, 0.5, 0.18  # inches
RECOVERY_SIZE = (round(100 * WIDE), round(100 * TALL))
ROUNDS = "recovery/t"


def recovery(table: RewardTable, folder: Path, stem: str) -> None:
    """Draw the rolling mean reward of each group of users; every line named at its end.

    Writes <stem>.png, <stem>.svg and <stem>.dark.svg (for dark pages) into `folder`.
    """
    save_both(lambda theme: _draw(table, theme, GROUPS), folder, stem)


def recovery_of_flipped(table: RewardTable, folder: Path, stem: str) -> None:
    """Draw the same of the flipped users alone."""
    groups = {"flipped": GROUPS["flipped"]}
    save_both(lambda theme: _draw(table, theme, groups), folder, stem)


def _draw(table: RewardTable, theme: Theme, groups: Mapping[str, str]) -> Figure:
    figure = Figure(figsize=(WIDE, TALL))
    FigureCanvasAgg(figure)
    look = looks(table, theme)
    wide = (WIDE - LEFT - RIGHT - BETWEEN * (len(groups) - 1)) / len(groups)
    panels: list[Axes] = []
    ends: list[tuple[float, str, Look]] = []
    for column, (group, people) in enumerate(groups.items()):
        left = LEFT + column * (wide + BETWEEN)
        shape = (left / WIDE, BELOW / TALL, wide / WIDE, (TALL - ABOVE - BELOW) / TALL)
        axes = figure.add_axes(shape)
        ends = []
        for method in drawn(table):
            run = table.rewards.method_of(Point(method))
            values = run.series.get(f"recovery/{group}") if run else None
            if run is None or values is None or not values.shape[1]:
                continue
            x = run.series[ROUNDS].mean(axis=0)
            ends.append((draw_line(axes, x, values, look[method]), run.label, look[method]))
        axes.set_title(people, size=9, loc="left", color=theme.ink)
        axes.set_xlabel("interaction")
        axes.xaxis.set_major_locator(MaxNLocator(nbins=3 if len(groups) > 1 else 9))
        axes.xaxis.set_major_formatter(lambda x, _: f"{x:,.0f}")
        tick_rewards(axes)
        axes.set_axisbelow(True)
        axes.grid(axis="y")
        if column == 0:
            axes.set_ylabel("mean reward, rolling window")
        else:
            axes.set_yticklabels([])
        panels.append(axes)
    low = min(axes.get_ylim()[0] for axes in panels)
    high = max(axes.get_ylim()[1] for axes in panels)
    for axes in panels:
        axes.set_ylim(low, high)
    if ends:
        name_ends(figure, panels[-1], ends)
    what = "Rolling mean over the group's last interactions"
    say_above(figure, table, theme, "Recovery after the flip", what)
    return figure
