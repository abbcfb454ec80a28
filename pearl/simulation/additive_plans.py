"""The loops that follow a plan for many rounds: determinant doubling and fixed blocks."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import inv

from pearl.memory.additive_method import AdditiveMethod
from pearl.memory.additive_planner import Belief, Plan, Planner
from pearl.memory.mirror_updates import MirrorUpdates
from pearl.memory.periodic_ascent import block_rounds, discounted
from pearl.memory.switching import LOG_LIMIT
from pearl.simulation.additive_game import Game, plan_facts
from pearl.simulation.additive_stretch import Stretch, learn_until_doubled
from pearl.simulation.trajectory import Trajectory

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]


def play_doubling(game: Game, method: AdditiveMethod, seed: int) -> Trajectory:
    """Run RSM-LinUCB: a new plan whenever the determinant doubled."""
    instance = game.instance
    weights = discounted(instance.memory, method.discount)
    planner = Planner(method, instance.scale, weights, seed)
    radius = game.radius(method)
    gram = instance.regularization * np.eye(instance.dimension)
    response = np.zeros(instance.dimension)
    history = instance.empty_history()
    means = np.zeros(game.horizon)
    plans: list[Plan] = []
    starts: list[int] = []
    played = 0
    while played < game.horizon:
        spread = inv(gram)
        plan = planner.plan(history, Belief(spread @ response, spread, radius.at(played + 1)))
        plans.append(plan)
        starts.append(played + 1)
        stretch = Stretch.of(history, plan.cycle, instance.scale)
        rounds = learn_until_doubled(
            stretch.early,
            stretch.steady,
            instance.theta_star,
            game.noise[played:],
            gram,
            response,
            LOG_LIMIT,
            means[played:],
        )
        history = stretch.history_after(rounds)
        played += rounds
    return game.trajectory(means, starts, len(plans), plan_facts(plans, instance))


class BlockLearner(Protocol):
    """An estimate that takes a block's informative rounds at its end."""

    def belief(self) -> Belief:
        """Return the confidence set of the rounds taken so far."""

    def absorb(self, features: Matrix, rewards: Vector) -> None:
        """Take rounds in their order: features as rows (n x d) and rewards (n)."""


class RidgeBlocks:
    """OFUL-memory's estimate: V and b of the informative rounds alone."""

    def __init__(self, game: Game, method: AdditiveMethod) -> None:
        self.radius = game.radius(method)
        self.gram = game.instance.regularization * np.eye(game.instance.dimension)
        self.response = np.zeros(game.instance.dimension)
        self.rounds = 0

    def belief(self) -> Belief:
        """Return the ridge estimate's confidence set."""
        spread = inv(self.gram)
        return Belief(spread @ self.response, spread, self.radius.at(self.rounds))

    def absorb(self, features: Matrix, rewards: Vector) -> None:
        """Add the outer products of the features and what they were rewarded with."""
        self.gram += features.T @ features
        self.response += rewards @ features
        self.rounds += len(rewards)


class MirrorBlocks:
    """GLBM-SCB's estimate: ordered mirror-descent updates, lambda = L / d."""

    def __init__(self, game: Game, method: AdditiveMethod) -> None:
        instance = game.instance
        self.radius = game.mirror_radius(method)
        self.updates = MirrorUpdates(
            instance.dimension, self.radius.regularization, instance.norm_bound, instance.noise
        )
        self.rounds = 0

    def belief(self) -> Belief:
        """Return mirror descent's confidence set, in the norm of H."""
        spread = inv(self.updates.slope)
        return Belief(self.updates.estimate.copy(), spread, self.radius.at(self.rounds))

    def absorb(self, features: Matrix, rewards: Vector) -> None:
        """Update with each round in its order."""
        self.updates.absorb(features, rewards)
        self.rounds += len(rewards)


def play_blocks(game: Game, method: AdditiveMethod, seed: int) -> Trajectory:
    """Run OFUL-memory or GLBM-SCB: blocks of M + L rounds of which the last L inform."""
    instance = game.instance
    memory, informative = instance.memory, game.informative(method)
    planner = Planner(method, instance.scale, block_rounds(memory, informative), seed)
    blocks = RidgeBlocks if method.estimator == "ridge" else MirrorBlocks
    learner: BlockLearner = blocks(game, method)
    history = instance.empty_history()
    means = np.zeros(game.horizon)
    plans: list[Plan] = []
    starts: list[int] = []
    played = 0
    while played < game.horizon:
        plan = planner.plan(history, learner.belief())
        plans.append(plan)
        starts.append(played + 1)
        stretch = Stretch.of(history, plan.cycle, instance.scale)
        rounds = min(memory + informative, game.horizon - played)
        features = stretch.features(0, rounds)
        means[played : played + rounds] = features @ instance.theta_star
        rewards = means[played : played + rounds] + game.noise[played : played + rounds]
        learner.absorb(features[memory:], rewards[memory:])
        history = stretch.history_after(rounds)
        played += rounds
    facts = plan_facts(plans, instance) | {"informative_rounds": informative}
    return game.trajectory(means, starts, len(plans), facts)
