"""A random instance with finitely many actions: a memory map drawn anew for every history.

Nothing is alike between histories, so it is the general case in small: order matters, actions
interact, and a planner that looks one round ahead is lost.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pearl.environments.finite_optimum import optimum_by_states
from pearl.environments.memory_instance import Matrix, Vector
from pearl.randomness import generator


@dataclass(frozen=True, eq=False)
class RandomMemory:
    """K random unit actions and, for each of the K^M histories, a random A(s) with |A(s)| = R.

    Attributes:
        draw: which instance, >= 0; it has nothing to do with a run's seed.
    """

    draw: int = 0
    n_actions: int = 4
    memory: int = 3
    dimension: int = 3
    feature_bound: float = 1.0
    norm_bound: float = 1.0
    noise: float = 0.25

    @cached_property
    def actions(self) -> Matrix:
        """float64[K, d], norms 1."""
        drawn = self._normal("actions", self.n_actions, self.dimension)
        return np.asarray(drawn / np.linalg.norm(drawn, axis=1, keepdims=True))

    @cached_property
    def theta_star(self) -> Vector:
        """float64[d], norm S."""
        drawn = self._normal("theta", self.dimension)
        return np.asarray(self.norm_bound * drawn / np.linalg.norm(drawn))

    @property
    def initial(self) -> tuple[int, ...]:
        """The first action M times."""
        return (0,) * self.memory

    @cached_property
    def maps(self) -> Matrix:
        """float64[K^M, d, d], A(s) in the histories' lexicographic order."""
        drawn = self._normal("maps", self.n_actions**self.memory, self.dimension, self.dimension)
        norms = np.linalg.norm(drawn, 2, axis=(1, 2), keepdims=True)
        return np.asarray(self.feature_bound * drawn / norms)

    def memory_matrix(self, history: tuple[int, ...]) -> Matrix:
        """Return A(s)."""
        number = 0
        for action in history:
            number = number * self.n_actions + action
        return np.asarray(self.maps[number])

    def feature(self, history: tuple[int, ...], action: int) -> Vector:
        """Return A(s)' a."""
        return np.asarray(self.memory_matrix(history).T @ self.actions[action])

    def optimum(self, horizon: int) -> Vector:
        """Return OPT_1, ..., OPT_horizon."""
        return optimum_by_states(self, horizon)

    def _normal(self, what: str, *shape: int) -> Matrix:
        return generator(self.draw, f"random_memory/{what}").standard_normal(shape)
