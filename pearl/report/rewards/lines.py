"""What the family's figures share: methods' looks, means with bands, names at lines' ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from pearl.report.labels import apart
from pearl.report.numbers import reward
from pearl.report.rewards.reading import Rewards
from pearl.report.rewards.structural import ORACLE
from pearl.report.rewards.table import RewardTable
from pearl.report.style import Theme

# A method that several figures draw has the same hue in each.
USUAL = ("neural_ucb_a", "greedy", "no_online")
DASHES: tuple[Any, ...] = ("-", (0, (5, 1.6)), (0, (1.2, 1.2)))
HEIGHT = 0.235  # of a name, inches


@dataclass(frozen=True)
class Look:
    """A method's colour and dashes; the reference's line is thicker and its name bold."""

    colour: str
    dashes: Any
    leads: bool


def drawn(table: RewardTable) -> tuple[str, ...]:
    """Return the methods that figures draw: the Oracle, far above the others, is left out."""
    return tuple(name for name in table.experiment.methods if name != ORACLE)


def looks(table: RewardTable, theme: Theme) -> dict[str, Look]:
    """Give the reference its hue, Random none, and each other method a hue and dashes."""
    hues = (*theme.others[:3], theme.warning)
    made: dict[str, Look] = {}
    alone = {*USUAL, "random", table.experiment.reference}
    rest = [name for name in drawn(table) if name not in alone]
    places = {name: place for place, name in enumerate((*USUAL, *rest))}
    for name in drawn(table):
        if name == table.experiment.reference:
            made[name] = Look(theme.reference, "-", leads=True)
        elif name == "random":
            made[name] = Look(theme.soft, DASHES[2], leads=False)
        else:
            row, place = divmod(places[name], len(hues))
            made[name] = Look(hues[place], DASHES[row % len(DASHES)], leads=False)
    return made


def mean_and_error(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean over seeds and one standard error, shape (points,) each.

    Args:
        values: shape (seeds, points); a single seed has an error of 0.
    """
    n = len(values)
    mean = values.mean(axis=0)
    if n == 1:
        return mean, np.zeros_like(mean)
    return mean, values.std(axis=0, ddof=1) / np.sqrt(n)


def draw_line(axes: Axes, x: np.ndarray, values: np.ndarray, look: Look) -> float:
    """Draw a method's mean with its band of one standard error; return the line's last height."""
    mean, error = mean_and_error(values)
    if error.any():
        axes.fill_between(x, mean - error, mean + error, color=look.colour, alpha=0.15, linewidth=0)
    axes.plot(
        x,
        mean,
        color=look.colour,
        linestyle=look.dashes,
        linewidth=2.2 if look.leads else 1.4,
        zorder=4 if look.leads else 3,
        marker="o" if len(x) == 1 else None,
        markersize=4,
    )
    return float(mean[-1])


def tick_rewards(axes: Axes) -> None:
    """Mark round rewards, printed as in tables but no longer than needed: .65, .675."""
    axes.yaxis.set_major_locator(MaxNLocator(nbins=6, steps=[1, 2, 5, 10]))
    axes.yaxis.set_major_formatter(lambda y, _: reward(y).removesuffix("0"))


def name_ends(figure: Figure, axes: Axes, ends: Sequence[tuple[float, str, Look]]) -> None:
    """Name the lines right of the axes, with their last values, moved apart."""
    box, (bottom, top) = axes.get_position(), axes.get_ylim()
    ordered = sorted(ends, key=lambda end: (end[0], end[1]))
    at = [box.y0 + box.height * (value - bottom) / (top - bottom) for value, _, _ in ordered]
    height = HEIGHT / figure.get_figheight()
    names_at = box.x1 + 0.2 / figure.get_figwidth()
    places = apart(at, [height] * len(at), box.y0)
    for (value, label, look), low, high in zip(ordered, at, places, strict=True):
        figure.add_artist(
            Line2D((box.x1 + 0.003, names_at - 0.004), (low, high), color=look.colour, lw=0.7)
        )
        weight = "bold" if look.leads else "normal"
        said = f"{reward(value)}  {label}"
        figure.text(names_at, high, said, color=look.colour, size=8, va="center", weight=weight)


def name_lines(figure: Figure, named: Sequence[tuple[str, Look]]) -> None:
    """Name the lines beneath the panels, where their ends have no room for names."""
    marks = [
        Line2D([], [], color=look.colour, linestyle=look.dashes, lw=2.2 if look.leads else 1.4)
        for _, look in named
    ]
    labels = [label for label, _ in named]
    figure.legend(marks, labels, loc="lower center", ncols=len(labels), frameon=False, fontsize=8.5)


class OfRewards(Protocol):
    """What stands on runs."""

    @property
    def rewards(self) -> Rewards:
        """The runs."""


def say_above(
    figure: Figure,
    table: OfRewards,
    theme: Theme,
    title: str,
    what: str,
    band: str = "band: one standard error",
) -> None:
    """Write title and explanation above the panels, with the data's name.

    `band` says what the band around a line is, "" where there is none.
    """
    first = table.rewards.first
    tall = figure.get_figheight()
    left = 0.62 / figure.get_figwidth()
    figure.text(left, 1 - 0.25 / tall, title, color=theme.ink, weight="bold", size=11)
    counts = sorted({len(r.seeds) for runs in table.rewards.base for r in runs.methods.values()})
    seeds = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]}-{counts[-1]}"
    error = f"; {band}" if band and counts[-1] > 1 else ""
    said = f"{what}; mean of {seeds} seed{'s' if counts[-1] > 1 else ''}{error}"
    if first.on_sample_data:
        label = f"SAMPLE DATA: {first.data_label.removeprefix('sample data ')}"
        figure.text(
            0.985, 1 - 0.25 / tall, label, color=theme.warning, size=8.5, weight="bold", ha="right"
        )
    else:
        said = f"{said}. {first.data_label}"
    figure.text(left, 1 - 0.47 / tall, said, color=theme.soft, size=8.5)
