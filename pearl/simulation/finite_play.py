"""The three ways to switch on listed memory states: at doubling, in blocks, every round."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pearl.environments.memory_instance import MemoryInstance
from pearl.environments.memory_states import MemoryStates
from pearl.memory.block_length import block_length
from pearl.memory.block_planner import best_block
from pearl.memory.finite_method import FiniteMethod
from pearl.memory.howard import Plan, improvement_budget, policy_iteration
from pearl.memory.mirror_descent import MirrorDescent, MirrorDescentRadius, slope_regularization
from pearl.memory.radius import ConfidenceRadius
from pearl.memory.switching import LOG_LIMIT
from pearl.memory.ties import TIE_TOLERANCE
from pearl.simulation.finite_learning import (
    RidgeSums,
    Rounds,
    play_episode,
    play_myopic,
    widths,
)
from pearl.simulation.trajectory import Fact

Vector = NDArray[np.float64]
Played = tuple[Rounds, list[int], dict[str, Fact]]


def play_rare_switch(
    instance: MemoryInstance[int], states: MemoryStates, method: FiniteMethod, noise: Vector
) -> Played:
    """RSM-LinUCB: Algorithm 1, its J_k by Algorithm 3."""
    horizon, bound = len(noise), instance.feature_bound * instance.norm_bound
    discount = 1 - 1 / horizon if method.discount is None else method.discount
    radius, sums = _radius(instance, method), _sums(instance, method)
    rounds = Rounds(states, instance.theta_star, noise)
    starts: list[int] = []
    plans: list[Plan] = []
    while rounds.left:
        starts.append(rounds.done + 1)
        scores = sums.scores(states.features, radius.at(starts[-1]))
        optimistic = np.clip(scores, -bound, bound)[states.feature_of]
        plans.append(
            policy_iteration(
                optimistic, states.following, discount, bound, improvement_budget(horizon)
            )
        )
        play_episode(rounds, sums, plans[-1].policy, LOG_LIMIT)
    facts: dict[str, Fact] = {
        "howard/improvements": max(plan.improvements for plan in plans),
        "howard/budget": improvement_budget(horizon),
        "howard/unfinished": sum(not plan.converged for plan in plans),
        "howard/span": max(plan.span for plan in plans) / (2 * bound * instance.memory),
    }
    return rounds, starts, facts


def play_blocks(
    instance: MemoryInstance[int], states: MemoryStates, method: FiniteMethod, noise: Vector
) -> Played:
    """OFUL-memory or, with mirror descent, GLBM-SCB: blocks of M + L, the last cut at T."""
    assert method.block is not None
    memory = instance.memory
    length = block_length(
        method.block, memory=memory, horizon=len(noise), dimension=instance.dimension
    )
    learner = _Descent if method.estimator == "mirror_descent" else _Ridge
    learned = learner(instance, method, length)
    rounds = Rounds(states, instance.theta_star, noise)
    starts: list[int] = []
    while rounds.left:
        starts.append(rounds.done + 1)
        scores = learned.scores(states.features)[states.feature_of]
        block = best_block(scores, states.following, rounds.state, memory, length, TIE_TOLERANCE)
        features, rewards = rounds.play(block[: rounds.left])
        learned.absorb(features[memory:], rewards[memory:])
    return rounds, starts, {"block_length": length, "informative_rounds": learned.rounds}


def play_every_round(
    instance: MemoryInstance[int], states: MemoryStates, method: FiniteMethod, noise: Vector
) -> Played:
    """Myopic LinUCB: the best score of phi(s_t, a), not clipped, ties to the lowest action."""
    radius = _radius(instance, method)
    radii = np.array([radius.at(t) for t in range(1, len(noise) + 1)])
    rounds = Rounds(states, instance.theta_star, noise)
    play_myopic(rounds, _sums(instance, method), radii, TIE_TOLERANCE)
    return rounds, [], {}


class _Ridge:
    """OFUL-memory's estimate and scores; beta with the informative rounds used."""

    def __init__(self, instance: MemoryInstance[int], method: FiniteMethod, length: int) -> None:
        self.rounds = 0
        self._radius, self._sums = _radius(instance, method), _sums(instance, method)

    def scores(self, features: NDArray[np.float64]) -> Vector:
        return self._sums.scores(features, self._radius.at(self.rounds))

    def absorb(self, features: NDArray[np.float64], rewards: Vector) -> None:
        self._sums.absorb(features, rewards)
        self.rounds += len(rewards)


class _Descent:
    """GLBM-SCB's estimate and scores, with lambda = L / d in the method's unit."""

    def __init__(self, instance: MemoryInstance[int], method: FiniteMethod, length: int) -> None:
        d = instance.dimension
        regularization = slope_regularization(method.unit, length / d, instance.noise)
        self._descent = MirrorDescent(d, regularization, instance.norm_bound, instance.noise)
        self._radius = MirrorDescentRadius(
            dimension=d,
            regularization=regularization,
            norm_bound=instance.norm_bound,
            feature_bound=instance.feature_bound,
            noise=instance.noise,
            delta=method.delta,
        )

    @property
    def rounds(self) -> int:
        return self._descent.rounds

    def scores(self, features: NDArray[np.float64]) -> Vector:
        bonus = self._radius.at(self.rounds) * widths(features, self._descent.slope)
        return np.asarray(features @ self._descent.estimate + bonus)

    def absorb(self, features: NDArray[np.float64], rewards: Vector) -> None:
        for feature, reward in zip(features, rewards, strict=True):
            self._descent.update(feature, float(reward))


def _regularization(instance: MemoryInstance[int], method: FiniteMethod) -> float:
    if method.regularization is not None:
        return method.regularization
    return instance.dimension * instance.noise**2 / instance.norm_bound**2


def _sums(instance: MemoryInstance[int], method: FiniteMethod) -> RidgeSums:
    return RidgeSums(instance.dimension, _regularization(instance, method))


def _radius(instance: MemoryInstance[int], method: FiniteMethod) -> ConfidenceRadius:
    return ConfidenceRadius(
        dimension=instance.dimension,
        regularization=_regularization(instance, method),
        norm_bound=instance.norm_bound,
        feature_bound=instance.feature_bound,
        noise=instance.noise,
        delta=method.delta,
    )
