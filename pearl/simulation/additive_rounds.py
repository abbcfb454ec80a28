"""The round-by-round loop on the additive instance: every method, literally.

Each round's feature is computed from the M actions before it, inverses and determinants from V
itself: nothing is kept in step. Slow, and the measure of the fast loops.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import inv

from pearl.memory.additive_method import AdditiveMethod
from pearl.memory.additive_planner import Belief, Plan, Planner
from pearl.memory.farthest_point import farthest_point
from pearl.memory.mirror_descent import MirrorDescent
from pearl.memory.periodic_ascent import block_rounds, discounted
from pearl.memory.switching import doubled
from pearl.simulation.additive_game import Game, plan_facts
from pearl.simulation.trajectory import Trajectory

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]


class Policy(Protocol):
    """What the loop asks of a method."""

    starts: list[int]
    plans: list[Plan]

    def act(self, t: int, history: Matrix) -> Vector:
        """Return round t's action (d) for the last M actions, oldest first."""

    def learn(self, feature: Vector, reward: float) -> None:
        """Take what the round showed."""


def play_rounds(game: Game, method: AdditiveMethod, seed: int) -> Trajectory:
    """Run any method one round at a time."""
    instance = game.instance
    policy = _policy(game, method, seed)
    history = instance.empty_history()
    means = np.zeros(game.horizon)
    for t in range(1, game.horizon + 1):
        action = policy.act(t, history)
        feature = instance.feature(history, action)
        means[t - 1] = feature @ instance.theta_star
        policy.learn(feature, means[t - 1] + game.noise[t - 1])
        history = np.vstack([history[1:], action])
    extra = plan_facts(policy.plans, instance) if policy.plans else {}
    return game.trajectory(means, policy.starts, len(policy.starts) or game.horizon, extra)


class Ridge:
    """V and b."""

    def __init__(self, game: Game) -> None:
        self.gram = game.instance.regularization * np.eye(game.instance.dimension)
        self.response = np.zeros(game.instance.dimension)
        self.rounds = 0

    def learn(self, feature: Vector, reward: float) -> None:
        """Add one round."""
        self.gram += np.outer(feature, feature)
        self.response += reward * feature
        self.rounds += 1

    def belief(self, radius: float) -> Belief:
        """Return the confidence set of the given radius."""
        spread = inv(self.gram)
        return Belief(spread @ self.response, spread, radius)


class Doubling:
    """Algorithm 1: plan at determinant doubling, repeat the plan until the next."""

    def __init__(self, game: Game, method: AdditiveMethod, seed: int) -> None:
        weights = discounted(game.instance.memory, method.discount)
        self.planner = Planner(method, game.instance.scale, weights, seed)
        self.radius = game.radius(method)
        self.ridge = Ridge(game)
        self.starts: list[int] = []
        self.plans: list[Plan] = []
        self._at_start = -np.inf

    def act(self, t: int, history: Matrix) -> Vector:
        """Return the plan's next action; a new plan where det V doubled."""
        log_det = np.linalg.slogdet(self.ridge.gram)[1]
        if doubled(log_det - self._at_start):
            self._at_start = log_det
            self.starts.append(t)
            belief = self.ridge.belief(self.radius.at(t))
            self.plans.append(self.planner.plan(history, belief))
        cycle = self.plans[-1].cycle
        return np.asarray(cycle[(t - self.starts[-1]) % len(cycle)])

    def learn(self, feature: Vector, reward: float) -> None:
        """Add every round."""
        self.ridge.learn(feature, reward)


class Blocks:
    """Fixed blocks of M + L rounds of which the last L inform, at the block's end."""

    def __init__(self, game: Game, method: AdditiveMethod, seed: int) -> None:
        instance = game.instance
        self.memory, self.informative = instance.memory, game.informative(method)
        weights = block_rounds(self.memory, self.informative)
        self.planner = Planner(method, instance.scale, weights, seed)
        self.starts: list[int] = []
        self.plans: list[Plan] = []
        self._position = 0
        self._ridge = Ridge(game)
        self._mirror: MirrorDescent | None = None
        if method.estimator == "ridge":
            self._ridge_radius = game.radius(method)
        else:
            self._mirror_radius = game.mirror_radius(method)
            self._mirror = MirrorDescent(
                instance.dimension,
                self._mirror_radius.regularization,
                instance.norm_bound,
                instance.noise,
            )

    def act(self, t: int, history: Matrix) -> Vector:
        """Return the block's next action; a new plan at a block's start."""
        if not self.starts or self._position == self.memory + self.informative:
            self._position = 0
            self.starts.append(t)
            self.plans.append(self.planner.plan(history, self._belief()))
        cycle = self.plans[-1].cycle
        return np.asarray(cycle[self._position % len(cycle)])

    def learn(self, feature: Vector, reward: float) -> None:
        """Add the round if it is informative; nobody looks before the block ends."""
        if self._position >= self.memory:
            if self._mirror is None:
                self._ridge.learn(feature, reward)
            else:
                self._mirror.update(feature, reward)
        self._position += 1

    def _belief(self) -> Belief:
        if self._mirror is None:
            return self._ridge.belief(self._ridge_radius.at(self._ridge.rounds))
        spread = inv(self._mirror.slope)
        radius = self._mirror_radius.at(self._mirror.rounds)
        return Belief(self._mirror.estimate, spread, radius)


class Myopic:
    """LinUCB on phi(s_t, a), every round."""

    def __init__(self, game: Game, method: AdditiveMethod) -> None:
        self.instance = game.instance
        self.radius = game.radius(method)
        self.ridge = Ridge(game)
        self.starts: list[int] = []
        self.plans: list[Plan] = []

    def act(self, t: int, history: Matrix) -> Vector:
        """Return the action of the largest score for the current memory."""
        held = self.instance.memory_matrix(history)
        belief = self.ridge.belief(self.radius.at(t))
        centre, spread = held @ belief.estimate, held @ belief.spread @ held
        farthest = farthest_point(centre, spread, belief.radius)
        return np.asarray(farthest / np.linalg.norm(farthest))

    def learn(self, feature: Vector, reward: float) -> None:
        """Add every round."""
        self.ridge.learn(feature, reward)


def _policy(game: Game, method: AdditiveMethod, seed: int) -> Policy:
    if method.switching == "determinant":
        return Doubling(game, method, seed)
    if method.switching == "blocks":
        return Blocks(game, method, seed)
    return Myopic(game, method)
