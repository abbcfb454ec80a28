"""Regret, recovery and uncertainty spent over s, a panel a kind of features and a measure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator, NullFormatter

from pearl.report.labels import apart
from pearl.report.rewards.partial_global import PartialTable
from pearl.report.style import Theme, save_both

WIDE, TALL = 9.4, 8.8
PARTIAL_SIZE = (round(100 * WIDE), round(100 * TALL))
LEFT, RIGHT, TOP, BOTTOM = 0.07, 0.865, 0.852, 0.058
BETWEEN, ABOVE = 0.72, 0.22  # of a panel's width and height
HEIGHT = 0.165  # of a name, inches
SIDE = 0.014  # between the lines at one s, of a panel's width
DASHES: tuple[Any, ...] = ("-", (0, (5, 1.6)))
ROWS = (
    ("regret", "regret of the whole run"),
    ("recovery", "rounds to recovery"),
    ("share in V", "share of spent trace in V"),
)
NOTHING, ORACLE = "none", "oracle"
"""How the names of the rules that bound the others begin."""


class Look(NamedTuple):
    """How a rule's line is drawn."""

    colour: str
    dashes: Any
    width: float


def partial_global(table: PartialTable, folder: Path, stem: str) -> None:
    """Draw the error-adaptive rules; those that matter for a kind of features are named.

    Writes <stem>.png, <stem>.svg and <stem>.dark.svg (for dark pages) into `folder`.
    """
    save_both(lambda theme: _draw(table, theme), folder, stem)


def drawn_rules(table: PartialTable) -> tuple[str, ...]:
    """Return the rules with error-adaptive exploration; all where there is none."""
    adaptive = tuple(name for name in table.methods if name.endswith("_a"))
    return adaptive or table.methods


def named_rules(table: PartialTable, features: str) -> tuple[str, ...]:
    """Return the rules that matter for a kind of features, in the experiment's order.

    They are the reference, no forgetting, the first oracle, and of the other rules that with the
    least mean regret where fewest dimensions shift and that where most do.
    """
    every, ours = drawn_rules(table), table.experiment.reference
    bounds = [
        next((name for name in every if name.startswith(word)), ours) for word in (NOTHING, ORACLE)
    ]
    rivals = [n for n in every if n != ours and not n.startswith((NOTHING, ORACLE))]
    shifts = [s for s in table.shifted(features) if s > 0]
    best = []
    for s in {shifts[0], shifts[-1]} if shifts else ():
        at = {n: table.values.get(((features, s), n, "regret")) for n in rivals}
        known = {name: value.estimate for name, value in at.items() if value is not None}
        if known:
            best.append(min(known, key=lambda name: known[name]))
    return tuple(name for name in every if name in {ours, *bounds, *best})


def _draw(table: PartialTable, theme: Theme) -> Figure:
    figure = Figure(figsize=(WIDE, TALL))
    FigureCanvasAgg(figure)
    looks = _looks(table, theme)
    grid = figure.subplots(len(ROWS), len(table.kinds), squeeze=False, sharey="row")
    figure.subplots_adjust(
        left=LEFT, right=RIGHT, top=TOP, bottom=BOTTOM, wspace=BETWEEN, hspace=ABOVE
    )
    _limit(table, grid)
    for column, features in enumerate(table.kinds):
        steps = table.shifted(features)
        for row, (what, said) in enumerate(ROWS):
            axes: Axes = grid[row, column]
            _panel(table, axes, features, what, looks, theme)
            axes.set_xticks(range(len(steps)), [str(s) for s in steps])
            axes.set_xlim(-0.3, len(steps) - 0.7)
            axes.grid(axis="y")
            axes.set_axisbelow(True)
            axes.tick_params(which="minor", left=False)
            if row == 0:
                axes.set_title(f"{features} features", size=10, loc="left", color=theme.ink, pad=22)
            axes.text(0, 1.04, said, transform=axes.transAxes, color=theme.soft, size=8)
            if row == len(ROWS) - 1:
                axes.set_xlabel("shifted dimensions s")
    first = table.first
    count = max(len(run.seeds) for run in first.methods.values())
    figure.text(LEFT, 0.972, "Partial or global", color=theme.ink, weight="bold", size=11)
    told = f"s of d = {first.settings['dimensions']} dimensions shift; mean of {count} seeds,"
    told = f"{told} bars: {100 * table.settings.confidence:.0f}% intervals. {first.data_label}"
    figure.text(LEFT, 0.951, told, color=theme.soft, size=8.5)
    told = (
        "Named are the reference, no forgetting, an oracle, and of the other rules those with the"
    )
    told = f"{told} least regret at the\nleast and at the greatest s; grey lines are the rest."
    figure.text(LEFT, 0.943, told, color=theme.soft, size=8.5, va="top", linespacing=1.4)
    return figure


def _looks(table: PartialTable, theme: Theme) -> dict[str, Look]:
    """Give each rule that is named anywhere one look in all panels."""
    found = {name for features in table.kinds for name in named_rules(table, features)}
    hues = (*theme.others[:3], theme.warning)
    made, rivals = {}, 0
    for name in drawn_rules(table):
        if name not in found:
            continue
        if name == table.experiment.reference:
            made[name] = Look(theme.reference, "-", 2.3)
        elif name.startswith(NOTHING):
            made[name] = Look(theme.ink, (0, (1.2, 1.2)), 1.2)
        elif name.startswith(ORACLE):
            made[name] = Look(theme.soft, (0, (5, 1.6)), 1.2)
        else:
            dashes = DASHES[rivals // len(hues) % len(DASHES)]
            made[name] = Look(hues[rivals % len(hues)], dashes, 1.5)
            rivals += 1
    return made


def _panel(
    table: PartialTable,
    axes: Axes,
    features: str,
    what: str,
    looks: Mapping[str, Look],
    theme: Theme,
) -> None:
    named = named_rules(table, features)
    for name in drawn_rules(table):
        if name not in named:
            x, middle, _ = _points(table, features, name, what)
            axes.plot(x, middle, color=theme.soft, alpha=0.35, linewidth=0.9, zorder=1.5)
    ends = []
    for place, name in enumerate(named):
        x, middle, bars = _points(table, features, name, what)
        if not x:
            continue
        look = looks[name]
        leads = name == table.experiment.reference
        aside = SIDE * len(table.shifted(features)) * (place - (len(named) - 1) / 2)
        axes.errorbar(
            [one + aside for one in x],
            middle,
            bars,
            color=look.colour,
            linestyle=look.dashes,
            linewidth=look.width,
            elinewidth=0.8,
            marker="o",
            markersize=3,
            zorder=4 if leads else 3,
        )
        label = table.label(name).removesuffix(" (A)")
        ends.append((middle[-1], x[-1] + aside, label, look.colour, leads))
    _name_ends(axes, ends)


def _name_ends(axes: Axes, ends: Sequence[tuple[float, float, str, str, bool]]) -> None:
    """Name each line right of the panel, moved apart where names would overlap."""
    figure, box = axes.get_figure(), axes.get_position()
    assert isinstance(figure, Figure)
    to_axes = axes.transData + axes.transAxes.inverted()
    ordered = sorted(ends)
    wanted = [float(np.clip(to_axes.transform((x, y))[1], 0.0, 1.0)) for y, x, *_ in ordered]
    height = HEIGHT / (box.height * TALL)
    places = apart(wanted, [height] * len(ordered), 0.0)
    over = max(places[-1] - 1.0, 0.0) if places else 0.0
    for (_, _, label, colour, leads), low, high in zip(ordered, wanted, places, strict=True):
        at = high - over
        axes.add_line(
            Line2D(
                (1.0, 1.06),
                (low, at),
                transform=axes.transAxes,
                color=colour,
                linewidth=0.7,
                clip_on=False,
            )
        )
        axes.text(
            1.075,
            at,
            label,
            transform=axes.transAxes,
            color=colour,
            size=7.6,
            va="center",
            weight="bold" if leads else "normal",
        )


def _limit(table: PartialTable, grid: np.ndarray) -> None:
    """Keep the rows to their means: intervals of few seeds reach far beyond."""
    means = {
        what: [
            v.estimate
            for (_, name, each), v in table.values.items()
            if each == what and name in drawn_rules(table)
        ]
        for what, _ in ROWS
    }
    grid[0, 0].set_yscale("log")
    grid[0, 0].yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    grid[0, 0].yaxis.set_major_formatter(lambda y, _: f"{y:g}")
    grid[0, 0].yaxis.set_minor_formatter(NullFormatter())
    if means["regret"]:
        grid[0, 0].set_ylim(0.8 * min(means["regret"]), 1.15 * max(means["regret"]))
    if means["recovery"]:
        grid[1, 0].set_ylim(0.0, 1.1 * max(means["recovery"]))
        grid[1, 0].yaxis.set_major_formatter(lambda y, _: f"{y:,.0f}")
    grid[2, 0].set_ylim(0.0, 1.05)


def _points(
    table: PartialTable, features: str, name: str, what: str
) -> tuple[list[int], list[float], tuple[list[float], list[float]]]:
    """Return steps, means, and how far their intervals reach below and above."""
    x: list[int] = []
    middle: list[float] = []
    bars: tuple[list[float], list[float]] = ([], [])
    for place, s in enumerate(table.shifted(features)):
        if what == "share in V":
            parts = [
                table.values.get(((features, s), name, f"spent {part} V"))
                for part in ("in", "outside")
            ]
            if parts[0] is None or parts[1] is None:
                continue
            total = parts[0].estimate + parts[1].estimate
            if total <= 0.0:
                continue
            value, low, high = parts[0].estimate / total, 0.0, 0.0
        else:
            found = table.values.get(((features, s), name, what))
            if found is None:
                continue
            value = found.estimate
            low = value - found.low if found.low is not None else 0.0
            high = found.high - value if found.high is not None else 0.0
        x.append(place)
        middle.append(value)
        bars[0].append(max(low, 0.0))
        bars[1].append(max(high, 0.0))
    return x, middle, bars
