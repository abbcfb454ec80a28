"""Small instances of every kind in the contract of bandits with memory."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from pearl.environments.additive import Additive
from pearl.environments.kv_memory_map import action_vectors, memory_matrix, operator_norm
from pearl.environments.memory_instance import MemoryInstance
from pearl.environments.prefix_tree import PrefixTree
from pearl.environments.random_memory import RandomMemory
from pearl.environments.run_length import RunLength, trailing_run
from pearl.memory.optimum import ordered_paths

NOTHING = -1
"""Stands in a history for a round before the first, in which nothing was refreshed."""


@dataclass(frozen=True)
class OneHistory:
    """The run-length instance from one of its histories."""

    whole: RunLength
    number: int = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.whole, name)

    @property
    def actions(self) -> np.ndarray:
        return np.eye(self.whole.dimension)

    @property
    def initial(self) -> tuple[int, ...]:
        return tuple(self.whole.histories[self.number].tolist())

    def state(self, history: tuple[int, ...]) -> tuple[int, int]:
        return trailing_run(history)

    def optimum(self, horizon: int) -> np.ndarray:
        alone = RunLength(
            self.whole.direction,
            self.whole.memory,
            self.whole.feature_bound,
            self.whole.norm_bound,
            self.whole.noise,
            self.whole.regularization,
            self.whole.histories[self.number : self.number + 1],
        )
        return alone.optimum(horizon)


@dataclass(frozen=True)
class AdditiveContract:
    """The additive instance: actions are vectors, its history starts with zeros."""

    whole: Additive
    actions: None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self.whole, name)

    @property
    def initial(self) -> tuple[np.ndarray, ...]:
        return tuple(self.whole.empty_history())

    def memory_matrix(self, history: tuple[np.ndarray, ...]) -> np.ndarray:
        return self.whole.memory_matrix(np.array(history))

    def feature(self, history: tuple[np.ndarray, ...], action: np.ndarray) -> np.ndarray:
        return self.whole.feature(np.array(history), action)

    def optimum(self, horizon: int) -> np.ndarray:
        return np.cumsum(self.whole.optimal_rewards(horizon))


@dataclass(frozen=True)
class SmallCache:
    """A prefix cache in the paper's notation: phi = (0, x), theta* = (0, theta)."""

    tree: PrefixTree
    demand: np.ndarray
    memory: int
    noise: float = 1 / 12
    feature_bound: float = 1.0
    token_scale: int = 100_000

    @property
    def dimension(self) -> int:
        return 1 + self.tree.segments

    @cached_property
    def theta_star(self) -> np.ndarray:
        return np.append(0.0, np.sqrt(self.tree.segments) * self.demand / self.token_scale)

    @property
    def norm_bound(self) -> float:
        return float(np.linalg.norm(self.theta_star))

    @property
    def map_bound(self) -> float:
        return operator_norm(self.tree, self.memory)

    @cached_property
    def actions(self) -> np.ndarray:
        return action_vectors(self.tree)

    @property
    def initial(self) -> tuple[int, ...]:
        return (NOTHING,) * self.memory

    def resident(self, history: tuple[int, ...]) -> np.ndarray:
        return self.tree.union([action for action in history if action != NOTHING])

    def memory_matrix(self, history: tuple[int, ...]) -> np.ndarray:
        return memory_matrix(self.tree, self.resident(history))

    def feature(self, history: tuple[int, ...], action: int) -> np.ndarray:
        available = self.resident((*history, action))
        return np.append(0.0, available / np.sqrt(self.tree.segments))

    def optimum(self, horizon: int) -> np.ndarray:
        tokens, _ = ordered_paths(self.tree, self.demand, self.memory + 1)
        return np.cumsum(tokens[np.minimum(np.arange(horizon), self.memory)]) / self.token_scale


def small_run_length(memory: int = 3, dimension: int = 3, scale: float = 1.0) -> RunLength:
    """Three arms of different value, from three histories."""
    direction = np.arange(1.0, dimension + 1)[::-1]
    histories = [np.resize(np.roll(np.arange(dimension), j), memory) for j in range(dimension)]
    return RunLength(
        direction=direction / np.linalg.norm(direction),
        memory=memory,
        feature_bound=scale,
        norm_bound=1.0,
        noise=0.25,
        regularization=0.2,
        histories=np.array(histories, dtype=np.int64),
    )


def small_cache(seed: int = 0, nodes: int = 7, memory: int = 2) -> SmallCache:
    """A random tree whose segments are asked for in different numbers of tokens."""
    rng = np.random.default_rng(seed)
    parent = np.array([-1] + [int(rng.integers(0, v)) for v in range(1, nodes)])
    leaves = np.setdiff1d(np.arange(nodes), parent)
    demand = rng.integers(1, 20_000, size=nodes)
    return SmallCache(PrefixTree(parent, leaves), demand, memory)


def small_additive(memory: int = 2, dimension: int = 2) -> AdditiveContract:
    """In the plane."""
    theta = 3.0 * np.arange(1.0, dimension + 1) / np.linalg.norm(np.arange(1.0, dimension + 1))
    return AdditiveContract(Additive(theta, memory, 2.0, 3.0, 0.25, 0.625))


FINITE: dict[str, MemoryInstance[int]] = {
    "random": RandomMemory(draw=1, n_actions=3, memory=3, feature_bound=2.0, norm_bound=3.0),
    "run_length": OneHistory(small_run_length()),
    "run_length_other_history": OneHistory(small_run_length(memory=5, scale=4.0), number=2),
    "kv_cache": small_cache(),
    "kv_cache_deeper": small_cache(seed=3, nodes=9, memory=3),
}
EVERY: dict[str, MemoryInstance[Any]] = {
    **FINITE,
    "additive": small_additive(),
    "additive_long": small_additive(memory=12, dimension=4),
}
