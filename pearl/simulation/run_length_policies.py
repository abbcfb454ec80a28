"""The learners as the paper writes them: full matrices, one round at a time, for reading.

Each policy has `act(round, history)`, which takes the last M actions, oldest first, and returns an
action, and `learn(feature, reward)`. The event-driven loops are tested against these.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pearl.environments.run_length import RunLength, trailing_run
from pearl.memory.run_length_method import RunLengthMethod
from pearl.memory.run_length_planner import RunStates, action_values, best_action, best_block
from pearl.memory.switching import doubled
from pearl.memory.ties import tied_best
from pearl.simulation.run_length_estimators import Descent, Estimator, Ridge, paying_scores
from pearl.simulation.run_length_events import length_of

Vector = NDArray[np.float64]


class Policy(Protocol):
    """What the round-by-round loop needs of a learner."""

    starts: list[int]
    """Rounds at which a plan was made that lasts."""

    @property
    def informative(self) -> int:
        """Rounds with a feature that isn't zero, learned from."""

    def act(self, round_: int, history: Sequence[int]) -> int:
        """Return the action to play."""

    def learn(self, feature: Vector, reward: float) -> None:
        """Take in the round's feature (d) and reward."""


@dataclass
class RareSwitch:
    """RSM-LinUCB: Algorithm 1 with J_k by Howard's policy iteration on (last action, run)."""

    instance: RunLength
    method: RunLengthMethod
    starts: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.ridge = Ridge(self.instance, self.method.delta)
        self.states = RunStates(self.instance.dimension, self.instance.memory)
        self.frozen = self.ridge.log_determinant()

    @property
    def informative(self) -> int:
        """Rounds learned from."""
        return self.ridge.rounds

    def act(self, round_: int, history: Sequence[int]) -> int:
        """Take the best action by Equation (4); plan anew first if the determinant has doubled."""
        discount, bound = self.method.discount, self.instance.reward_bound
        if not self.starts or doubled(self.ridge.log_determinant() - self.frozen):
            self.starts.append(round_)
            self.frozen = self.ridge.log_determinant()
            scores = np.clip(paying_scores(self.instance, self.ridge, round_), -bound, bound)
            self.values = action_values(self.states, scores, discount, bound)
        state = self.states.number(*trailing_run(history))
        return best_action(self.values[state], discount, bound)

    def learn(self, feature: Vector, reward: float) -> None:
        """Update V and b."""
        self.ridge.update(feature, reward)


@dataclass
class Blocks:
    """OFUL-memory and GLBM-SCB: the best whole block, of which the last L rounds are learned."""

    instance: RunLength
    method: RunLengthMethod
    horizon: int
    starts: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.length = length_of(self.instance, self.method, self.horizon)
        self.estimator: Estimator = Ridge(self.instance, self.method.delta)
        if self.method.estimator == "mirror_descent":
            self.estimator = Descent(self.instance, self.method, self.length)
        self.states = RunStates(self.instance.dimension, self.instance.memory)
        self.block: list[int] = []
        self.played = 0

    @property
    def informative(self) -> int:
        """Rounds with a feature that isn't zero, learned from."""
        return self.estimator.rounds

    def act(self, round_: int, history: Sequence[int]) -> int:
        """Play the block's next action; plan the next block where this one has ended."""
        if self.played == len(self.block):
            scores = paying_scores(self.instance, self.estimator, self.informative)
            self.block = best_block(self.states, scores, self.length)
            self.starts.append(round_)
            self.played = 0
        self.played += 1
        return self.block[self.played - 1]

    def learn(self, feature: Vector, reward: float) -> None:
        """Update by a round of the last L; a feature of zero changes nothing."""
        if self.played > self.instance.memory and feature.any():
            self.estimator.update(feature, reward)


@dataclass
class Myopic:
    """Myopic LinUCB: the best score of phi(s, a), every round; ties to the lowest action."""

    instance: RunLength
    method: RunLengthMethod
    starts: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.ridge = Ridge(self.instance, self.method.delta)

    @property
    def informative(self) -> int:
        """Rounds learned from."""
        return self.ridge.rounds

    def act(self, round_: int, history: Sequence[int]) -> int:
        """Score every action after this history."""
        features = [self.instance.feature(history, arm) for arm in range(self.instance.dimension)]
        scores = np.array([self.ridge.score(feature, round_) for feature in features])
        return int(tied_best(scores)[0])

    def learn(self, feature: Vector, reward: float) -> None:
        """Update V and b."""
        self.ridge.update(feature, reward)


def policy_of(instance: RunLength, method: RunLengthMethod, horizon: int) -> Policy:
    """Return the learner that a method names."""
    if method.switching == "blocks":
        return Blocks(instance, method, horizon)
    if method.switching == "every_round":
        return Myopic(instance, method)
    return RareSwitch(instance, method)
