"""The learners as the paper writes them: full matrices, one round at a time, for reading.

Each policy has `act(round, resident)`, which takes the segments still resident (bool[d], g(s_t))
and returns an action, and `learn(feature, reward)`. The fast loops are tested against these.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky

from pearl.memory.cache_method import CacheMethod
from pearl.memory.choice import choose
from pearl.memory.direction_images import ROOT_ROUNDS, root_step
from pearl.memory.directions import Plan, draw_directions
from pearl.memory.random_union import random_union
from pearl.memory.switching import doubled
from pearl.simulation.episode_plan import plan_episode
from pearl.simulation.kv_game import Game

Vector = NDArray[np.float64]
Resident = NDArray[np.bool_]


class Policy(Protocol):
    """What the round-by-round loop needs of a learner."""

    starts: list[int]
    """Rounds at which a plan was made that lasts."""

    def act(self, round_: int, resident: Resident) -> int:
        """Return the action to refresh."""

    def learn(self, feature: Vector, reward: float) -> None:
        """Take in the round's feature x (d) and reward."""


@dataclass
class RareSwitch:
    """RSM-LinUCB: Algorithm 1 with the planner of Equation (18)."""

    game: Game
    method: CacheMethod
    seed: int
    starts: list[int] = field(default_factory=list)
    plans: list[Plan] = field(default_factory=list)

    def __post_init__(self) -> None:
        instance = self.game.instance
        regularization = self.game.radius(self.method).regularization
        self.gram = regularization * np.eye(instance.tree.segments)
        self.response = np.zeros(instance.tree.segments)
        self.inverse = np.linalg.inv(self.gram)
        self.log_ratio = 0.0

    def act(self, round_: int, resident: Resident) -> int:
        """Refresh the plan's next path; make a new plan first if the determinant has doubled."""
        if not self.starts or doubled(self.log_ratio):
            self._plan(round_)
        cycle = self.plans[-1].actions
        return int(cycle[(round_ - self.starts[-1]) % len(cycle)])

    def learn(self, feature: Vector, reward: float) -> None:
        """Update V, b, V^-1 and log(det V / det Vbar), the last two by the rank-one identities."""
        direction = self.inverse @ feature
        gain = float(feature @ direction)
        self.log_ratio += math.log1p(gain)
        self.inverse -= np.outer(direction, direction) / (1 + gain)
        self.gram += np.outer(feature, feature)
        self.response += reward * feature

    def _plan(self, round_: int) -> None:
        factor = np.asarray(cholesky(self.gram, lower=True))
        estimate = np.asarray(np.linalg.solve(self.gram, self.response), dtype=np.float64)
        episode = len(self.starts)
        self.plans.append(
            plan_episode(self.game, self.method, self.seed, episode, round_, factor, estimate)
        )
        self.starts.append(round_)
        self.inverse = np.linalg.inv(self.gram)
        self.log_ratio = 0.0


@dataclass
class Myopic:
    """Myopic LinUCB: the best score of the cache as it is after one more refresh, every round."""

    game: Game
    method: CacheMethod
    seed: int
    starts: list[int] = field(default_factory=list)
    tied_rounds: int = 0

    def __post_init__(self) -> None:
        instance = self.game.instance
        self.paths = np.stack([instance.tree.union([i]) for i in range(len(instance.tree.actions))])
        regularization = self.game.radius(self.method).regularization
        self.gram = regularization * np.eye(instance.tree.segments)
        self.response = np.zeros(instance.tree.segments)
        # L with L L' = V^-1, see memory.direction_images
        self.root = np.eye(instance.tree.segments) / math.sqrt(regularization)

    def act(self, round_: int, resident: Resident) -> int:
        """Score every action's feature with beta of this round and take the best."""
        instance = self.game.instance
        features = (resident | self.paths) / math.sqrt(instance.tree.segments)
        radius = self.game.radius(self.method).at(round_)
        estimates = features @ np.linalg.solve(self.gram, self.response)
        scores = estimates + radius * self._width(round_, features)
        self.tied_rounds += int((scores >= instance.reward_bound).sum() >= 2)
        return choose(scores, estimates, instance.reward_bound, self.method.tie)

    def learn(self, feature: Vector, reward: float) -> None:
        """Update V, b and L."""
        direction = np.linalg.solve(self.gram, feature)
        step = root_step(float(feature @ direction))
        self.root -= step * np.outer(direction, feature @ self.root)
        self.gram += np.outer(feature, feature)
        self.response += reward * feature

    def _width(self, round_: int, features: NDArray[np.float64]) -> Vector:
        if self.method.bonus == "ellipsoid":
            squares = np.einsum("ad,da->a", features, np.linalg.solve(self.gram, features.T))
            return np.asarray(np.sqrt(squares))
        anew = self.method.redraw == "each_plan"
        if anew and (round_ - 1) % ROOT_ROUNDS == 0:
            self.root[:] = np.linalg.inv(cholesky(self.gram, lower=True)).T
        gaussians = draw_directions(
            self.seed, round_ - 1 if anew else 0, self.method.directions, len(self.gram)
        )
        widths = features @ self.root @ gaussians.T
        if self.method.bonus == "directions":
            widths = np.abs(widths)
        return np.asarray(widths.max(axis=1) / self.method.constant)


@dataclass
class RandomUnion:
    """A random union of paths, refreshed in turn."""

    game: Game
    seed: int
    starts: list[int] = field(default_factory=lambda: [1])

    def __post_init__(self) -> None:
        self.cycle = random_union(self.game.instance.tree, self.game.paths, self.seed)

    def act(self, round_: int, resident: Resident) -> int:
        """Refresh the next path."""
        return int(self.cycle[(round_ - 1) % len(self.cycle)])

    def learn(self, feature: Vector, reward: float) -> None:
        """Learn nothing."""
