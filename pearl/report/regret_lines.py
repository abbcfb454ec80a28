"""What the figures of regret share: looks, the range shown, lines that leave it, names at ends."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from pearl.report.labels import apart
from pearl.report.rows import MethodRuns
from pearl.report.statistics import Floats
from pearl.report.style import Theme

DASHES: tuple[Any, ...] = (
    "-",
    (0, (5, 1.6)),
    (0, (1.2, 1.2)),
    (0, (6, 1.5, 1.2, 1.5)),
    (0, (3, 1.2)),
    (0, (9, 2)),
    (0, (3, 1.2, 1.2, 1.2, 1.2, 1.2)),
)
MOST = 10
"""The axis ends at so many times the reference's largest regret, or at the best other method's."""
UP = "\N{UPWARDS ARROW}"


@dataclass(frozen=True)
class Look:
    """A method's colour and dashes; the reference's line is thicker and its name bold."""

    colour: str
    dashes: Any
    leads: bool


@dataclass(frozen=True)
class Line:
    """A method's mean and one standard deviation over seeds, at each x."""

    label: str
    look: Look
    mean: Floats
    spread: Floats

    @property
    def reach(self) -> float:
        """The largest value that line and band reach."""
        return float(np.max(self.mean + self.spread))


def looks(methods: Sequence[str], reference: str, theme: Theme) -> dict[str, Look]:
    """Give the reference's family its hue, every other family the next; dashes tell members apart.

    A family's names begin with the same word; what begins with "random" learns nothing and is grey.
    """
    families: dict[str, list[str]] = {}
    for name in methods:
        families.setdefault(name.partition("_")[0], []).append(name)
    hues = iter(theme.others * len(methods))
    made: dict[str, Look] = {}
    for family, members in families.items():
        hue = theme.reference if reference in members else next(hues)
        if family == "random":
            hue = theme.soft
        for number, name in enumerate(members):
            made[name] = Look(hue, DASHES[number % len(DASHES)], name == reference)
    return made


def mean_and_sd(values: Floats) -> tuple[Floats, Floats]:
    """Return mean and sample standard deviation over seeds, shape (points,) each.

    Args:
        values: shape (seeds, points); one seed has a standard deviation of 0.
    """
    mean = np.asarray(values.mean(axis=0))
    if len(values) == 1:
        return mean, np.zeros_like(mean)
    return mean, np.asarray(values.std(axis=0, ddof=1))


def over_time(run: MethodRuns, look: Look) -> Line:
    """Return a method's line over the sampled rounds; it starts at round 0 with 0."""
    mean, spread = mean_and_sd(run.curves)
    return Line(run.label, look, np.append(0.0, mean), np.append(0.0, spread))


def shown_top(lines: Mapping[str, Line], reference: str) -> float:
    """Return where the axis of regret ends.

    It shows all of the reference and of the best other method, and all of every line that reaches
    no further than MOST times what the reference reaches. What lies beyond would press these onto
    the axis; it is cut, and named with its value. On a logarithmic axis nothing would be cut, but
    regret starts at 0 and its growth, straight or flattening, would not be seen.
    """
    reaches = {name: line.reach for name, line in lines.items()}
    others = [reach for name, reach in reaches.items() if name != reference]
    if reference not in reaches or not others:
        return max(reaches.values(), default=1.0)
    limit = max(MOST * reaches[reference], min(others))
    return max(reach for reach in reaches.values() if reach <= limit)


def draw_line(axes: Axes, x: Floats, line: Line, *, dots: bool = False) -> None:
    """Draw a mean with its band of one standard deviation."""
    low, high = line.mean - line.spread, line.mean + line.spread
    if line.spread.any():
        axes.fill_between(x, low, high, color=line.look.colour, alpha=0.13, linewidth=0)
    axes.plot(
        x,
        line.mean,
        color=line.look.colour,
        linestyle=line.look.dashes,
        linewidth=2.2 if line.look.leads else 1.4,
        zorder=4 if line.look.leads else 3,
        marker="o" if dots else None,
        markersize=3.2 if line.look.leads else 2.4,
    )


def draw_marks(axes: Axes, x: Floats, line: Line, aside: float) -> None:
    """Draw means at places that have no order, each `aside` its place, with one standard deviation.

    Such as the shapes of a parameter, which no line joins.
    """
    axes.errorbar(
        x + aside,
        line.mean,
        yerr=line.spread,
        color=line.look.colour,
        marker="D" if line.look.leads else "o",
        markersize=6 if line.look.leads else 4.5,
        linestyle="none",
        elinewidth=1.4,
        zorder=4 if line.look.leads else 3,
    )


def set_range(axes: Axes, lines: Mapping[str, Line], reference: str) -> float:
    """End the axis of regret where `shown_top` says, with a margin; return the end."""
    top = 1.06 * max(shown_top(lines, reference), 1e-12)
    axes.set_ylim(0, top)
    axes.yaxis.set_major_formatter(lambda y, _: f"{y / 1e6:g}M" if y >= 1e6 else f"{y:,.6g}")
    axes.set_axisbelow(True)
    axes.grid(axis="y")
    return top


def mark_cut(axes: Axes, at: Mapping[str, Sequence[float]], lines: Mapping[str, Line]) -> None:
    """Put arrowheads above the upper end at each x in `at`; those of near places one over another.

    A method's arrowheads are all in one row.
    """
    figure = axes.figure
    assert isinstance(figure, Figure)
    inches = axes.get_position().height * figure.get_figheight()
    low, high = axes.get_xlim()
    rows: list[list[float]] = []
    for name, places in at.items():
        if not len(places):
            continue
        free = (
            number
            for number, row in enumerate([*rows, []])
            if all(abs(x - other) > 0.025 * (high - low) for x in places for other in row)
        )
        row = next(free)
        rows.extend([[]] if row == len(rows) else [])
        rows[row].extend(places)
        axes.plot(
            places,
            [1 + (0.05 + 0.075 * row) / inches] * len(places),
            transform=axes.get_xaxis_transform(),
            color=lines[name].look.colour,
            marker="^",
            markersize=4.2,
            markeredgewidth=0,
            linestyle="none",
            clip_on=False,
        )


def leaves_at(x: Floats, line: Line, top: float) -> list[float]:
    """Return where a mean first crosses the upper end, between its points; nowhere: empty."""
    above = np.flatnonzero(line.mean > top)
    if not len(above):
        return []
    i = int(above[0])
    if i == 0:
        return [float(x[0])]
    share = (top - line.mean[i - 1]) / (line.mean[i] - line.mean[i - 1])
    return [float(x[i - 1] + share * (x[i] - x[i - 1]))]


def hidden(line: Line, top: float) -> str:
    """Say which means lie beyond the upper end; "" where none does."""
    beyond = line.mean[line.mean > top]
    if not len(beyond):
        return ""
    low, high = (_short(float(value)) for value in (beyond.min(), beyond.max()))
    return f"{UP} {low}" if low == high else f"{UP} {low}\N{EN DASH}{high}"


def name_ends(
    axes: Axes,
    ends: Iterable[tuple[float, str, Look]],
    *,
    names_at: float,
    height: float,
    size: float,
    two_lines: bool = True,
) -> None:
    """Name each line right of its end, moved apart where names would overlap.

    With `two_lines` what a label says in brackets stands on a second, smaller line.

    Args:
        axes: whose lines end at its right edge.
        ends: last value, what is said, look; a value beyond the range is named at the edge.
        names_at: of the figure's width.
        height: of a name, inches.
        size: of the letters, points.
    """
    figure = axes.figure
    assert isinstance(figure, Figure)
    box, (_, top) = axes.get_position(), axes.get_ylim()
    ordered = sorted(ends, key=lambda end: (end[0], end[1]))
    line = height / figure.get_figheight()
    at = [box.y0 + box.height * min(value / top, 1.0) for value, _, _ in ordered]
    tall = [1.6 if two_lines and "(" in label else 1.0 for _, label, _ in ordered]
    heights = [line * one for one in tall]
    # Names may rise a little above the axes, where only cut lines end.
    ceiling = box.y1 + 0.8 * line
    floor = box.y0
    free = ceiling - floor
    if sum(heights[1:]) > free:
        floor = box.y0 - 0.6 * line
        heights = [(ceiling - floor) * one / sum(heights[1:]) for one in heights]
    for (_, label, look), low, high in zip(
        ordered, at, apart(at, heights, floor, ceiling), strict=True
    ):
        figure.add_artist(
            Line2D((box.x1, names_at - 0.005), (low, high), color=look.colour, linewidth=0.7)
        )
        name, _, aside = label.partition(" (") if two_lines else (label, "", "")
        weight = "bold" if look.leads else "normal"
        figure.text(names_at, high, name, color=look.colour, size=size, va="center", weight=weight)
        if aside:
            below = high - 0.7 * line
            told = aside.removesuffix(")")
            figure.text(names_at, below, told, color=look.colour, size=size - 1.5, va="center")


def _short(value: float) -> str:
    for scale, letter in ((1e6, "M"), (1e3, "k")):
        if value >= scale:
            return f"{value / scale:.3g}{letter}"
    return f"{value:.3g}"
