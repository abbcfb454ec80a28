"""Small KV caches with made-up demand, and games on them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest
from scipy.sparse import csr_array
from threadpoolctl import threadpool_limits

from pearl.environments.kv_cache import Counts, KVCache
from pearl.environments.kv_settings import KVCacheSettings
from pearl.environments.prefix_tree import PrefixTree
from pearl.memory.optimum import comparator
from pearl.simulation.kv_game import Game

MakeGame = Callable[..., Game]


def small_instance(seed: int, nodes: int, memory: int, regularization: float) -> KVCache:
    """A random tree and 30 requests with large, different token counts on their paths.

    S is chosen so that lambda = d sigma^2 / S^2 is the given one.
    """
    rng = np.random.default_rng(seed)
    parent = np.array([-1] + [int(rng.integers(0, v)) for v in range(1, nodes)])
    leaves = np.setdiff1d(np.arange(nodes), parent)
    inner = np.flatnonzero(rng.random(nodes) < 0.3)
    tree = PrefixTree(parent, np.union1d(leaves, inner))
    on_path = np.stack([tree.union([i]) for i in range(len(tree.actions))])
    asked = on_path[rng.integers(0, len(tree.actions), size=30)]
    reuse = asked * rng.integers(1, 20_000, size=(30, nodes))
    settings = KVCacheSettings(memory=memory, norm_margin=1.0)
    bound = np.sqrt(nodes / (4 * settings.requests_per_round * regularization))
    return KVCache(
        tree=tree,
        settings=settings,
        reuse=csr_array(reuse),
        demand=reuse.sum(axis=0),
        theta_star=np.sqrt(nodes) / settings.token_scale * reuse.mean(axis=0),
        theta_calibration=np.full(nodes, bound / np.sqrt(nodes)),
        split_label="made up",
        counts=Counts(1, 1, 30),
        operator_norm=1.0,
    )


@pytest.fixture(autouse=True, scope="session")
def one_blas_thread() -> Iterator[None]:
    with threadpool_limits(limits=1):
        yield


@pytest.fixture(scope="session")
def make_game() -> MakeGame:
    def make(
        *,
        seed: int = 0,
        nodes: int = 12,
        memory: int = 5,
        regularization: float = 1.0,
        horizon: int = 100,
    ) -> Game:
        instance = small_instance(seed, nodes, memory, regularization)
        return Game.of(instance, comparator(instance).tokens, seed, horizon)

    return make
