"""Properties of rewards that hold on any data, checked on every run of a table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from pearl.report.cells import Cell
from pearl.report.claims import judge_structural
from pearl.report.contrasts import Point
from pearl.report.rewards.reading import TO_DATE, Rewards
from pearl.report.settings import ReportSettings
from pearl.report.statistics import interval

ROUNDING = 1e-8  # results hold nine significant digits
ORACLE = "oracle"

Check = Callable[[Rewards, ReportSettings], tuple[Cell, ...]]


def regret_is_never_negative(rewards: Rewards, settings: ReportSettings) -> tuple[Cell, ...]:
    """Check that no run's cumulative regret is negative at any sampled interaction."""
    curves = [run.curves for runs in rewards.all_runs for run in runs.methods.values()]
    lowest = min(float(np.min(curve)) for curve in curves)
    scale = max(1.0, *(float(np.max(np.abs(curve))) for curve in curves))
    return (_cell(rewards, settings, "lowest regret", lowest, lowest >= -ROUNDING * scale, None),)


def oracle_has_no_regret(rewards: Rewards, settings: ReportSettings) -> tuple[Cell, ...]:
    """Check that the Oracle's cumulative regret is 0 in every run."""
    curves = [run.methods[ORACLE].curves for run in rewards.all_runs if ORACLE in run.methods]
    if not curves:
        return (_cell(rewards, settings, "largest regret", None, None, ORACLE),)
    largest = max(float(np.max(np.abs(curve))) for curve in curves)
    return (_cell(rewards, settings, "largest regret", largest, largest <= ROUNDING, ORACLE),)


def oracle_is_constant(rewards: Rewards, settings: ReportSettings) -> tuple[Cell, ...]:
    """Check that the Oracle's reward at a seed doesn't change with the flipped share f."""
    levels = rewards.levels("flip")
    found = [rewards.sample(Point(ORACLE, series=TO_DATE).under(flip=f)) for f in levels]
    samples = [one for one in found if one is not None]
    name = "largest change with f"
    if len(samples) < 2 or len({one.seeds for one in samples}) > 1:
        return (_cell(rewards, settings, name, None, None, ORACLE),)
    change = float(np.ptp(np.array([one.values for one in samples]), axis=0).max())
    return (_cell(rewards, settings, name, change, change <= ROUNDING, ORACLE),)


def _cell(
    rewards: Rewards,
    settings: ReportSettings,
    column: str,
    value: float | None,
    holds: bool | None,
    method: str | None,
) -> Cell:
    runs = [
        run
        for each in rewards.all_runs
        for name, run in each.methods.items()
        if method in (None, name)
    ]
    measured = None
    if value is not None:
        found = interval([value], stream=column, settings=settings)
        measured = replace(found, n=max(len(run.seeds) for run in runs))
    row = "all methods" if method is None else rewards.label(method)
    keys = tuple(key for run in runs for key in run.keys) if value is not None else ()
    return Cell(row, column, measured, keys, verdict=judge_structural(holds))


CHECKS: dict[str, Check] = {
    "regret_is_never_negative": regret_is_never_negative,
    "oracle_has_no_regret": oracle_has_no_regret,
    "oracle_is_constant": oracle_is_constant,
}
"""What a structural claim on rewards may name."""
