"""What a loop over the run-length instance leaves, and the averages over its histories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pearl.compiled import compiled
from pearl.environments.run_length import RunLength, trailing_run
from pearl.simulation.trajectory import Fact, Trajectory

Vector = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Play:
    """All T actions played from one history, as runs.

    Attributes:
        arms: int64[n], the actions.
        lengths: int64[n] >= 1, for how many rounds each is played; the sum is T.
        starts: int64, the rounds (from 1) at which a plan was made; empty where every round is.
        informative: rounds that were learned from.
    """

    arms: Ints
    lengths: Ints
    starts: Ints
    informative: int

    @property
    def actions(self) -> Ints:
        """int64[T], the action of every round."""
        return np.repeat(self.arms, self.lengths)

    @property
    def switches(self) -> int:
        """How often an action differs from the one before it, the first of all left out."""
        return int((np.diff(self.arms) != 0).sum())


@dataclass(frozen=True, eq=False)
class Paid:
    """Stretches of rounds with a reward: action, first and last round, from how many histories."""

    arms: Ints
    firsts: Ints
    lasts: Ints
    weights: Ints


def paid(instance: RunLength, plays: Sequence[Play]) -> Paid:
    """Return the stretches that pay, of one play a history; equal plays are counted together.

    After its first run a play pays the same whatever history it began from.
    """
    found: list[tuple[Ints, Ints, Ints, Ints]] = []
    shared: dict[int, list[int]] = {}
    for h, play in enumerate(plays):
        shared.setdefault(id(play), []).append(h)
    for histories in shared.values():
        play = plays[histories[0]]
        arms, lengths = _merged(play)
        ends = np.cumsum(lengths)
        firsts = ends - lengths + 1 + instance.memory
        for h in histories:
            last, run = trailing_run(instance.histories[h])
            wait = instance.memory - min(run, instance.memory) if last == arms[0] else None
            first = firsts[:1] if wait is None else np.array([1 + wait])
            found.append((arms[:1], first, ends[:1], np.ones(1, dtype=np.int64)))
        weights = np.full(len(arms) - 1, len(histories))
        found.append((arms[1:], firsts[1:], ends[1:], weights))
    columns = [np.concatenate(column) for column in zip(*found, strict=True)]
    kept = columns[1] <= columns[2]
    return Paid(*(column[kept] for column in columns))


def trajectory(
    instance: RunLength, optimum: Vector, plays: Sequence[Play], facts: dict[str, Fact]
) -> Trajectory:
    """Return the run: regret and facts are means over the histories, one play each.

    Args:
        instance: with n histories.
        optimum: float64[T], OPT_t averaged over them.
        plays: what was played from each history.
        facts: what else is known of the method.
    """
    horizon, n = len(optimum), len(instance.histories)
    stretches = paid(instance, plays)
    regret = optimum - cumulative(stretches, instance.values, horizon) / n
    spans = stretches.weights * (stretches.lasts - stretches.firsts + 1)
    best = instance.values[stretches.arms] == instance.values.max()
    total = n * horizon
    common: dict[str, Fact] = {
        "final_regret": float(regret[-1]),
        "optimum": float(optimum[-1]),
        "episodes": float(np.mean([len(play.starts) or horizon for play in plays])),
        "switches": float(np.mean([play.switches for play in plays])),
        "informative_rounds": float(np.mean([play.informative for play in plays])),
        "waiting_share": float(1 - spans.sum() / total),
        "inferior_share": float(spans[~best].sum() / total),
    }
    return Trajectory(
        regret=regret,
        episode_starts=plays[0].starts,
        facts=common | facts | instance_facts(instance),
    )


def instance_facts(instance: RunLength) -> dict[str, Fact]:
    """Return what the report says of the instance."""
    return {
        "instance/actions": instance.dimension,
        "instance/memory": instance.memory,
        "instance/feature_bound": instance.feature_bound,
        "instance/norm_bound": instance.norm_bound,
        "instance/theta_star_norm": float(np.linalg.norm(instance.theta_star)),
        "instance/regularization": instance.regularization,
        "instance/second_best": float(np.sort(instance.direction)[-2] / instance.direction.max()),
    }


def cumulative(stretches: Paid, values: Vector, horizon: int) -> Vector:
    """Return float64[T]: the mean rewards to date, summed over the histories.

    Args:
        stretches: the rounds that pay.
        values: float64[d], what each action then pays.
        horizon: T.
    """
    times = np.concatenate([stretches.firsts, stretches.lasts + 1])
    order = np.argsort(times, kind="stable")
    arms = np.tile(stretches.arms, 2)[order]
    changes = np.concatenate([stretches.weights, -stretches.weights])[order]
    total = np.empty(horizon)
    _fill(times[order], arms, changes, values, total)
    return total


@compiled
def _fill(times: Ints, arms: Ints, changes: Ints, values: Vector, total: Vector) -> None:
    """Between two changes the sum is a straight line; at them it is taken from whole counts."""
    earning = np.zeros(len(values), dtype=np.int64)
    earned = np.zeros(len(values), dtype=np.int64)
    t, k = 1, 0
    while t <= len(total):
        while k < len(times) and times[k] <= t:
            earning[arms[k]] += changes[k]
            k += 1
        end = len(total) + 1
        if k < len(times):
            end = min(end, times[k])
        base, rate = 0.0, 0.0
        for i in range(len(values)):
            base += earned[i] * values[i]
            rate += earning[i] * values[i]
            earned[i] += earning[i] * (end - t)
        for s in range(t, end):
            total[s - 1] = base + rate * (s - t + 1)
        t = end


def _merged(play: Play) -> tuple[Ints, Ints]:
    """Return the play's runs with equal neighbours joined."""
    breaks = np.flatnonzero(np.diff(play.arms)) + 1
    begin = np.concatenate([[0], breaks]).astype(np.int64)
    return play.arms[begin], np.add.reduceat(play.lengths, begin)
