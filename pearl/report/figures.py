"""Figures, each drawn for light pages and print, and for dark pages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pearl.report.exhibits.heterogeneity_figure import (
    HETEROGENEITY_SIZE,
    heterogeneity_figure,
)
from pearl.report.memory_panels_figure import PANELS_SIZE, memory_panels
from pearl.report.regret_by_setting_figure import regret_by_setting, setting_size
from pearl.report.regret_over_time_figure import over_time_size, regret_over_time
from pearl.report.rewards.calibration_figure import CALIBRATION_SIZE, calibration_figure
from pearl.report.rewards.learning_figure import learning_curves, learning_size
from pearl.report.rewards.partial_global_figure import PARTIAL_SIZE, partial_global
from pearl.report.rewards.recovery_figure import RECOVERY_SIZE, recovery, recovery_of_flipped
from pearl.report.rewards.uncertainty_figure import UNCERTAINTY_SIZE, uncertainty_figure
from pearl.report.users.correlation_figure import CORRELATIONS_SIZE, correlation_figure
from pearl.report.users.divergence_figure import DIVERGENCE_SIZE, divergence_figure
from pearl.words import one_of


@dataclass(frozen=True)
class FigureKind:
    """A kind of figure: what draws a table into a folder under a stem, and its size on the page.

    `draw` writes <stem>.png, <stem>.svg and <stem>.dark.svg; `size` returns width and height in
    pixels.
    """

    draw: Callable[[Any, Path, str], None]
    size: Callable[[Any], tuple[int, int]]


FIGURES = {
    "regret_over_time": FigureKind(regret_over_time, over_time_size),
    "regret_by_setting": FigureKind(regret_by_setting, setting_size),
    "memory_panels": FigureKind(memory_panels, lambda _: PANELS_SIZE),
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
