"""The event-driven engine: from each history, what a method plays, in whole runs of one action."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pearl.environments.run_length import RunLength, trailing_run
from pearl.memory.block_length import block_length
from pearl.memory.mirror_descent import MirrorDescentRadius, slope_regularization
from pearl.memory.run_length_method import RunLengthMethod
from pearl.memory.switching import LOG_LIMIT
from pearl.memory.ties import TIE_TOLERANCE, tied_best
from pearl.simulation.run_length_descent import DescentRules, descend
from pearl.simulation.run_length_play import Play
from pearl.simulation.run_length_ridge import (
    Record,
    Rules,
    play_blocks,
    play_myopic,
    play_rare,
)

Vector = NDArray[np.float64]


def play_events(instance: RunLength, method: RunLengthMethod, sums: Vector) -> list[Play]:
    """Return one play a history; learners in blocks play the same from each.

    Args:
        instance: where.
        method: who.
        sums: float64[T + 1], prefix sums of the noise over sigma.
    """
    horizon, histories = len(sums) - 1, instance.histories
    if method.switching == "blocks":
        length = length_of(instance, method, horizon)
        learner = _descent if method.estimator == "mirror_descent" else _ridge_blocks
        return [learner(instance, method, sums, length)] * len(histories)
    rules = _rules(instance, method, horizon)
    plays = []
    for history in histories:
        if method.switching == "determinant":
            episodes = _most_episodes(instance, horizon)
            record = _record(episodes + _most_idle(instance, horizon), episodes)
            play_rare(rules, sums, *trailing_run(history), record)
        else:
            record = _record(horizon, 0)
            play_myopic(rules, sums, *trailing_run(history), record)
        plays.append(_play(record))
    return plays


def length_of(instance: RunLength, method: RunLengthMethod, horizon: int) -> int:
    """Return L of a method that plays blocks."""
    assert method.block is not None
    return block_length(
        method.block, memory=instance.memory, horizon=horizon, dimension=instance.dimension
    )


def descent_radius(
    instance: RunLength, method: RunLengthMethod, length: int
) -> MirrorDescentRadius:
    """Return GLBM-SCB's radius, with lambda = L / d in the unit that the method names."""
    return MirrorDescentRadius(
        dimension=instance.dimension,
        regularization=slope_regularization(
            method.unit, length / instance.dimension, instance.noise
        ),
        norm_bound=instance.norm_bound,
        feature_bound=instance.feature_bound,
        noise=instance.noise,
        delta=method.delta,
    )


def _ridge_blocks(instance: RunLength, method: RunLengthMethod, sums: Vector, length: int) -> Play:
    horizon = len(sums) - 1
    blocks = -(-horizon // (instance.memory + length))
    record = _record(3 * blocks + _most_idle(instance, horizon), blocks)
    play_blocks(_rules(instance, method, horizon), sums, length, record)
    return _play(record)


def _descent(instance: RunLength, method: RunLengthMethod, sums: Vector, length: int) -> Play:
    horizon, memory, bound = len(sums) - 1, instance.memory, instance.feature_bound
    radius = descent_radius(instance, method, length)
    rules = DescentRules(instance.values, bound, instance.norm_bound, instance.noise)
    theta = np.zeros(instance.dimension)
    slope = np.full(instance.dimension, radius.regularization)
    runs: list[tuple[int, int]] = []
    starts, informative = [], 0
    for start in range(1, horizon + 1, memory + length):
        rounds = min(memory + length, horizon - start + 1)
        starts.append(start)
        scores = bound * (theta + radius.at(informative) / np.sqrt(slope))
        if scores.max() < 0:
            runs += idle_block(rounds, memory)
            continue
        arm = int(tied_best(scores)[0])
        runs.append((arm, rounds))
        if rounds > memory:
            descend(rules, sums, theta, slope, arm, start + memory, rounds - memory)
            informative += rounds - memory
    arms, lengths = np.array(runs, dtype=np.int64).T
    return Play(arms, lengths, np.array(starts, dtype=np.int64), informative)


def idle_block(rounds: int, memory: int) -> list[tuple[int, int]]:
    """Return a block of the lowest actions whose every feature is zero."""
    whole, rest = divmod(rounds, memory + 1)
    return [(0, memory), (1, 1)] * whole + ([(0, rest)] if rest else [])


def _rules(instance: RunLength, method: RunLengthMethod, horizon: int) -> Rules:
    return Rules(
        values=instance.values,
        memory=instance.memory,
        horizon=horizon,
        feature_bound=instance.feature_bound,
        reward_bound=instance.reward_bound,
        regularization=instance.regularization,
        noise=instance.noise,
        width=math.sqrt(instance.regularization) * instance.norm_bound,
        spread=2 * math.log(1 / method.delta),
        discount=method.discount,
        tie=TIE_TOLERANCE,
        limit=LOG_LIMIT,
    )


def _record(runs: int, plans: int) -> Record:
    return Record(
        np.empty(runs, dtype=np.int64),
        np.empty(runs, dtype=np.int64),
        np.empty(plans, dtype=np.int64),
        np.zeros(3, dtype=np.int64),
    )


def _play(record: Record) -> Play:
    runs, plans, informative = (int(count) for count in record.counts)
    return Play(
        record.arms[:runs].copy(),
        record.lengths[:runs].copy(),
        record.starts[:plans].copy(),
        informative,
    )


def _most_episodes(instance: RunLength, horizon: int) -> int:
    """Bound the episodes: each but the last doubles one of V's d entries, to 1e-12."""
    growth = horizon * instance.feature_bound**2 / instance.regularization
    return 2 + instance.dimension * (1 + math.ceil(math.log2(1 + growth)))


def _most_idle(instance: RunLength, horizon: int) -> int:
    """Bound the runs of a play that keeps every feature zero."""
    return 2 * (horizon // (instance.memory + 1)) + 3
