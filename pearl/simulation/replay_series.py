"""A contextual run's facts, curves and series, from what its interactions left.

Every sum is taken in a fixed order, so that the numbers are the same on every machine.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from pearl.bandits import step
from pearl.simulation.calibration import calibration, last_tenth
from pearl.simulation.recovery import POINTS, recovery
from pearl.simulation.replay_log import Log
from pearl.simulation.trajectory import Fact, Trajectory

Array = NDArray[np.float64]


def trajectory(log: Log, changed: NDArray[np.bool_], instance: Mapping[str, Fact]) -> Trajectory:
    """Return what a run leaves behind.

    Args:
        log: its interactions.
        changed: bool[U], the users whose preferences changed: where there are such and others, the
            two groups are told apart.
        instance: the world's own facts.
    """
    flipped = changed[log.users]
    groups = {"flipped": flipped, "stable": ~flipped}
    epochs = int(log.epoch[-1]) + 1
    if any(len(np.unique(log.epoch[members])) < epochs for members in groups.values()):
        groups = {}  # an epoch without a group's users has no mean reward for it
    facts: dict[str, Fact] = {
        "mean_reward": math.fsum(log.reward) / len(log),
        "last_epoch_reward": float(_by_epoch(log, log.reward)[-1]),
        "final_regret": math.fsum(log.regret),
        "episodes": len(log.updates) + 1,
        "updates": len(log.updates),
        "parameters": log.parameters,
    }
    series = _rewards(log, groups)
    if log.steps is not None:
        facts |= _prediction_facts(log, log.steps)
        series |= _predictions(log, log.steps)
    everyone = np.ones(len(log), dtype=np.bool_)
    rolled = recovery(log.reward, {"all": everyone, **groups})
    rounds = np.arange(1, len(log) + 1)
    return Trajectory(
        regret=np.cumsum(log.regret),
        episode_starts=np.concatenate([[1], log.updates[log.updates < len(log)] + 1]),
        facts=facts | dict(instance),
        curves={"reward": np.cumsum(log.reward) / rounds},
        series=series | {f"recovery/{name}": values for name, values in rolled.items()},
    )


def _rewards(log: Log, groups: Mapping[str, NDArray[np.bool_]]) -> dict[str, Array]:
    ends = np.cumsum(np.bincount(log.epoch)) - 1
    return {
        "epoch/reward": _by_epoch(log, log.reward),
        "epoch/reward_to_date": np.cumsum(log.reward)[ends] / (ends + 1),
        "epoch/regret": _by_epoch(log, log.regret),
        "epoch/regret_to_date": np.cumsum(log.regret)[ends] / (ends + 1),
        **{
            f"epoch/reward_{name}": _by_epoch(log, log.reward, members)
            for name, members in groups.items()
        },
    }


def _over_time(log: Log, said: step.Log) -> dict[str, Array]:
    """Return means over equal parts of the run, at most 120; "t" is where a part ends."""
    ends = np.arange(1, min(POINTS, len(log)) + 1) * len(log) // min(POINTS, len(log))
    width = np.diff(ends, prepend=0)

    def mean(values: Array) -> Array:
        total = np.cumsum(values)[ends - 1]
        return np.diff(total, prepend=0.0) / width

    return {
        "time/t": ends.astype(np.float64),
        "time/uncertainty": mean(said.uncertainties),
        "time/tracker": mean(said.errors),
    }


def _predictions(log: Log, said: step.Log) -> dict[str, Array]:
    end = last_tenth(len(log))
    bins = calibration(said.means[end], log.reward[end])
    return {
        "epoch/error": _by_epoch(log, np.abs(log.reward - said.means)),
        "epoch/tracker": _by_epoch(log, said.errors),
        "epoch/uncertainty": _by_epoch(log, said.uncertainties),
        "epoch/injection_rate": _by_epoch(log, said.injected.astype(np.float64)),
        "epoch/cap_rate": _by_epoch(log, said.capped.astype(np.float64)),
        **_over_time(log, said),
        "reliability/predicted": bins.predicted,
        "reliability/observed": bins.observed,
        "reliability/count": bins.count,
    }


def _prediction_facts(log: Log, said: step.Log) -> dict[str, Fact]:
    end = last_tenth(len(log))
    bins = calibration(said.means[end], log.reward[end])
    return {
        "ece": bins.ece,
        "ece_floor": bins.ece_floor,
        "injections": int(said.injected.sum()),
        "caps": int(said.capped.sum()),
    }


def _by_epoch(log: Log, values: Array, members: NDArray[np.bool_] | None = None) -> Array:
    """Return the mean over each epoch's interactions, or over the members among them."""
    weights = np.ones(len(log)) if members is None else members.astype(np.float64)
    count = np.bincount(log.epoch, weights=weights)
    return np.bincount(log.epoch, weights=values * weights) / np.maximum(count, 1)
