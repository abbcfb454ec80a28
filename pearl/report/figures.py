"""Figures, each drawn for light pages and print, and for dark pages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from pearl.report.exhibits.heterogeneity_figure import (
    HETEROGENEITY_SIZE,
    heterogeneity_figure,
)
from pearl.report.final_regret import FinalRegret
from pearl.report.labels import apart
from pearl.report.rewards.calibration_figure import CALIBRATION_SIZE, calibration_figure
from pearl.report.rewards.learning_figure import learning_curves, learning_size
from pearl.report.rewards.partial_global_figure import PARTIAL_SIZE, partial_global
from pearl.report.rewards.recovery_figure import RECOVERY_SIZE, recovery, recovery_of_flipped
from pearl.report.rewards.uncertainty_figure import UNCERTAINTY_SIZE, uncertainty_figure
from pearl.report.rows import MethodRuns
from pearl.report.style import Theme, save_both
from pearl.report.users.correlation_figure import CORRELATIONS_SIZE, correlation_figure
from pearl.report.users.divergence_figure import DIVERGENCE_SIZE, divergence_figure
from pearl.words import one_of

LEFT, NAMES_AT = 0.085, 0.735  # of the figure's width
STYLES = ("-", (0, (5, 1.6)), (0, (1.2, 1.2)), (0, (6, 1.5, 1.2, 1.5)))


def regret_over_time(table: FinalRegret, folder: Path, stem: str) -> None:
    """Draw mean cumulative regret with one standard deviation; every line named at its end.

    Writes <stem>.png, <stem>.svg and <stem>.dark.svg (for dark pages) into `folder`.
    """
    save_both(lambda theme: _draw(table, theme), folder, stem)


def _draw(table: FinalRegret, theme: Theme) -> Figure:
    runs = table.runs
    figure = Figure(figsize=(8.4, 4.8))
    FigureCanvasAgg(figure)
    axes = figure.add_axes((LEFT, 0.12, 0.625, 0.75))
    rounds = np.array((0, *runs.rounds))
    looks = _looks(table, theme)
    ends: list[tuple[float, str, str, bool]] = []
    for name in table.order:
        run = runs.methods.get(name)
        if run is None:
            continue
        mean, spread = mean_and_sd(run)
        colour, dashes = looks[name]
        leads = name == table.reference
        if len(run.seeds) > 1:
            low, high = mean - spread, mean + spread
            axes.fill_between(rounds, low, high, color=colour, alpha=0.13, linewidth=0)
        axes.plot(
            rounds,
            mean,
            color=colour,
            linestyle=dashes,
            linewidth=2.3 if leads else 1.5,
            zorder=4 if leads else 3,
        )
        ends.append((float(mean[-1]), run.label, colour, leads))
    axes.set_xlim(0, runs.horizon)
    axes.set_ylim(0, 1.06 * max(axes.get_ylim()[1], 1e-12))
    axes.set_xlabel("round t")
    axes.xaxis.set_major_formatter(lambda x, _: f"{x:,.0f}")
    axes.yaxis.set_major_formatter(lambda y, _: f"{y:,g}")
    axes.set_axisbelow(True)
    axes.grid(axis="y")
    _label_ends(figure, axes, ends)
    _say_above(figure, table, theme)
    return figure


def _say_above(figure: Figure, table: FinalRegret, theme: Theme) -> None:
    runs = table.runs
    counts = sorted({len(run.seeds) for run in runs.methods.values()})
    seeds = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]}-{counts[-1]}"
    memory = f"M = {runs.settings['memory']}, " if "memory" in runs.settings else ""
    figure.text(LEFT, 0.945, "Cumulative pseudo-regret", color=theme.ink, weight="bold", size=11)
    what = f"{memory}T = {runs.horizon:,}; mean of {seeds} seeds, band: one standard deviation"
    if runs.on_sample_data:
        figure.text(LEFT, 0.9, f"{what}", color=theme.soft, size=8.5)
        label = f"SAMPLE DATA: {runs.data_label.removeprefix('sample data ')}"
        figure.text(0.985, 0.947, label, color=theme.warning, size=8.5, weight="bold", ha="right")
    else:
        figure.text(LEFT, 0.9, f"{what}. {runs.data_label}", color=theme.soft, size=8.5)


def _looks(table: FinalRegret, theme: Theme) -> dict[str, tuple[str, Any]]:
    """Give the reference and its variants one hue, every other family the next; dashes differ."""
    looks: dict[str, tuple[str, Any]] = {}
    families: dict[str, list[str]] = {}
    for name in table.order:
        family = next((known for known in families if name.startswith(known)), name)
        families.setdefault(family, []).append(name)
    hues = iter(theme.others * len(table.order))
    for family, members in families.items():
        hue = theme.reference if table.reference in members else next(hues)
        if family.startswith("random"):
            hue = theme.soft
        for number, name in enumerate(members):
            looks[name] = hue, STYLES[number % len(STYLES)]
    return looks


def mean_and_sd(run: MethodRuns) -> tuple[np.ndarray, np.ndarray]:
    """Return line and band of one method: mean and sample standard deviation over seeds.

    Shape (points + 1,) each: they start at round 0 with 0. One seed has a band of 0.
    """
    mean = np.concatenate([[0.0], run.curves.mean(axis=0)])
    if len(run.seeds) == 1:
        return mean, np.zeros_like(mean)
    return mean, np.concatenate([[0.0], run.curves.std(axis=0, ddof=1)])


def _label_ends(figure: Figure, axes: Any, ends: Sequence[tuple[float, str, str, bool]]) -> None:
    """Name each line right of its end, moved apart where names would overlap.

    What a label says in brackets stands on a second, smaller line.
    """
    bottom, top = axes.get_ylim()
    box = axes.get_position()
    ordered = sorted(ends)
    heights = [0.078 if "(" in label else 0.048 for _, label, _, _ in ordered]
    ends_at = [box.y0 + box.height * (end[0] - bottom) / (top - bottom) for end in ordered]
    for (value, label, colour, leads), low, high in zip(
        ordered, ends_at, apart(ends_at, heights, box.y0), strict=True
    ):
        figure.add_artist(
            Line2D((box.x1, NAMES_AT - 0.005), (low, high), color=colour, linewidth=0.7)
        )
        name, _, aside = label.partition(" (")
        weight = "bold" if leads else "normal"
        said = f"{value:,.4g}  {name}"
        figure.text(NAMES_AT, high, said, color=colour, size=9, va="center", weight=weight)
        if aside:
            said = aside.removesuffix(")")
            figure.text(NAMES_AT, high - 0.034, said, color=colour, size=7.5, va="center")


@dataclass(frozen=True)
class FigureKind:
    """A kind of figure: what draws a table into a folder under a stem, and its size on the page.

    `draw` writes <stem>.png, <stem>.svg and <stem>.dark.svg; `size` returns width and height in
    pixels.
    """

    draw: Callable[[Any, Path, str], None]
    size: Callable[[Any], tuple[int, int]]


FIGURES = {
    "regret_over_time": FigureKind(regret_over_time, lambda _: (840, 480)),
    "learning_curves": FigureKind(learning_curves, learning_size),
    "recovery": FigureKind(recovery, lambda _: RECOVERY_SIZE),
    "heterogeneity": FigureKind(
        lambda made, folder, stem: heterogeneity_figure(made.asked, folder, stem),
        lambda _: HETEROGENEITY_SIZE,
    ),
    "partial_global": FigureKind(partial_global, lambda _: PARTIAL_SIZE),
    "calibration": FigureKind(calibration_figure, lambda _: CALIBRATION_SIZE),
    "uncertainty": FigureKind(uncertainty_figure, lambda _: UNCERTAINTY_SIZE),
    "recovery_flipped": FigureKind(recovery_of_flipped, lambda _: RECOVERY_SIZE),
    "divergence": FigureKind(divergence_figure, lambda _: DIVERGENCE_SIZE),
    "correlations": FigureKind(correlation_figure, lambda _: CORRELATIONS_SIZE),
}
"""What `report: figure` of an experiment may name."""


def figure_of(name: str, experiment: str) -> FigureKind:
    """Return a kind of figure; SettingError where there is none of that name."""
    return FIGURES[one_of(name, FIGURES, f"figure of {experiment}")]
