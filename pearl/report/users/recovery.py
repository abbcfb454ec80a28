"""Figure 1 (b): the flipped users alone, and where PEARL is said to part from Greedy."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import stats

from pearl.experiments import Experiment
from pearl.report.contrasts import At, Contrast, Point
from pearl.report.rewards.plan import Column, GridPlan, Line, Plan, Value
from pearl.report.rewards.reading import Rewards
from pearl.report.rewards.table import RewardTable
from pearl.report.rows import MethodRuns, Runs
from pearl.report.statistics import Floats
from pearl.report.users.layouts import RIVAL
from pearl.report.users.strata import with_series

FLIPPED, ROUNDS = "recovery/flipped", "recovery/t"
PARTING, INTERACTIONS = 2000, 36_560
"""The interaction by which the paper sees PEARL apart from Greedy, of all that it plays."""
AT_PARTING = f"strata/flipped_at_{PARTING}"
PLACES: dict[str, tuple[str, At]] = {
    "start": (FLIPPED, "first"),
    f"interaction {PARTING:,}": (AT_PARTING, "last"),
    "end": (FLIPPED, "last"),
}


def at_parting(_experiment: Experiment, rewards: Rewards) -> Rewards:
    """Add the flipped users' rolling mean at interaction 2,000 of 36,560, or at that part of a
    shorter run."""

    def made(_runs: Runs, run: MethodRuns) -> dict[str, Floats]:
        values, rounds = run.series.get(FLIPPED), run.series.get(ROUNDS)
        if values is None or rounds is None or not values.shape[1]:
            return {}
        found = []
        for own, t in zip(values, rounds, strict=True):
            wanted = PARTING * t[-1] / INTERACTIONS
            found.append([own[min(int(np.searchsorted(t, wanted)), len(t) - 1)]])
        return {AT_PARTING: np.array(found)}

    return with_series(rewards, made)


def recovery_flipped(experiment: Experiment, rewards: Rewards) -> Plan:
    """Lay out the flipped users' rolling reward at three places, a row a method."""
    values, lines = [], []
    for m in experiment.methods:
        row = rewards.label(m)
        for column, (series, at) in PLACES.items():
            values.append(Value(row, column, Contrast((Point(m, at=at, series=series),))))
        places = tuple((row, column) for column in PLACES)
        lines.append(Line(row, places, leads=m == experiment.reference))
    columns = tuple(Column(name, "reward") for name in PLACES)
    grid = GridPlan("Flipped users along the curve", "method", columns, tuple(lines))
    remarks = (
        "Mean reward over the flipped users' last interactions (the rolling window)."
        f" In shorter runs interaction {PARTING:,} stands for the same part of the run.",
    )
    return Plan(tuple(values), (), (grid,), "", remarks)


def parts_from_rival(table: RewardTable) -> tuple[str, ...]:
    """Say from which interaction on PEARL's curve lies significantly above Greedy's, point by
    point."""
    rewards, ours = table.rewards, table.experiment.reference
    runs = [rewards.method_of(Point(name)) for name in (ours, RIVAL)]
    first, second = runs
    if first is None or second is None or first.seeds != second.seeds or len(first.seeds) < 2:
        return ()
    if FLIPPED not in first.series or FLIPPED not in second.series:
        return ()
    difference = first.series[FLIPPED] - second.series[FLIPPED]
    t = first.series[ROUNDS].mean(axis=0)
    told: Any = stats.ttest_1samp(difference, 0.0, axis=0, alternative="greater")
    above = told.pvalue < 0.025
    mine, other = f"{rewards.label(ours)}'s curve", f"{rewards.label(RIVAL)}'s"
    where = "at no point"
    if above.any():
        begun = t[int(np.argmax(above))]
        where = f"at {int(above.sum())} of {len(t)} points, first at interaction {begun:,.0f},"
    test = "paired t test, 5% two-sided, each point for itself"
    return (f"{mine} lies {where} significantly above {other} ({test}).",)
