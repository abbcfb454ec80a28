"""OFUL-memory and GLBM-SCB as they are written: full matrices, one round at a time, for reading.

The counterpart of kv_blocks, as kv_policies is that of the other fast loops.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky

from pearl.memory.cache_method import CacheMethod
from pearl.memory.cache_radius import informative_rounds
from pearl.memory.direction_images import ROOT_ROUNDS, root_step
from pearl.memory.directions import Plan, draw_directions, plan
from pearl.memory.mirror_descent import MirrorDescent
from pearl.simulation.kv_game import Game

Vector = NDArray[np.float64]


@dataclass
class FixedBlocks:
    """Blocks of M + L rounds, of which the last L are learned from."""

    game: Game
    method: CacheMethod
    seed: int
    starts: list[int] = field(default_factory=list)
    plans: list[Plan] = field(default_factory=list)
    projections: int = 0

    def __post_init__(self) -> None:
        instance = self.game.instance
        self.radius = self.game.radius(self.method)
        self.informative = informative_rounds(instance, self.method, self.game.horizon)
        dimension = instance.tree.segments
        self.gram = self.radius.regularization * np.eye(dimension)
        self.response = np.zeros(dimension)
        self.root = np.eye(dimension)
        # sigma cancels in the updates: with sigma = 1 H is V
        self.descent = MirrorDescent(
            dimension, self.radius.regularization, instance.norm_bound, noise=1.0
        )
        self.learned = 0
        self.within = 0

    def act(self, round_: int, resident: NDArray[np.bool_]) -> int:
        """Refresh the plan's next path; make a new plan first where a block begins."""
        self.within = (round_ - 1) % (self.game.instance.memory + self.informative)
        if self.within == 0:
            self._plan(round_)
        cycle = self.plans[-1].actions
        return int(cycle[self.within % len(cycle)])

    def learn(self, feature: Vector, reward: float) -> None:
        """Update V, b, L and the mirror descent's estimate in the block's last L rounds."""
        if self.within < self.game.instance.memory:
            return
        direction = np.linalg.solve(self.gram, feature)
        step = root_step(float(feature @ direction))
        self.root -= step * np.outer(direction, feature @ self.root)
        self.gram += np.outer(feature, feature)
        self.response += reward * feature
        self.learned += 1
        if self.method.estimator == "mirror_descent":
            self.descent.update(feature, reward)
            on_the_ball = np.linalg.norm(self.descent.estimate) >= self.descent.norm_bound - 1e-14
            self.projections += int(on_the_ball)

    def facts(self) -> dict[str, float]:
        """Return what explains the run."""
        found: dict[str, float] = {"informative_rounds": self.informative}
        if self.method.estimator == "mirror_descent":
            found["projections"] = self.projections
        return found

    def _plan(self, round_: int) -> None:
        instance, block = self.game.instance, len(self.starts)
        if block % ROOT_ROUNDS == 0:
            self.root[:] = np.linalg.inv(cholesky(self.gram, lower=True)).T
        count, dimension = self.method.directions, instance.tree.segments
        images = self.root @ draw_directions(self.seed, block, count, dimension).T
        self.plans.append(
            plan(
                instance.tree,
                self._estimate(),
                images.T,
                radius=self.radius.at(self.learned),
                paths=self.game.paths,
                bound=instance.reward_bound,
                method=self.method,
            )
        )
        self.starts.append(round_)

    def _estimate(self) -> Vector:
        if self.method.estimator == "mirror_descent":
            return self.descent.estimate
        return np.asarray(np.linalg.solve(self.gram, self.response), dtype=np.float64)
