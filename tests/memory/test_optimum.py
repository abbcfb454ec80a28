"""The comparator against every refresh sequence of tiny instances, and its order's own rewards."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from pearl.environments.prefix_tree import PrefixTree
from pearl.errors import PearlError
from pearl.memory import optimum
from pearl.memory.optimum import Comparator, ordered_paths
from pearl.memory.tree_reference import plain_values

TREES = {
    "star": ([-1, 0, 0, 0, 0], [1, 2, 3, 4]),
    "two branches": ([-1, 0, 1, 1, 0, 4], [2, 3, 5]),
    "inner endpoints": ([-1, 0, 1, 1, 0], [0, 1, 2, 3, 4]),
    "chain": ([-1, 0, 1, 2], [1, 3]),
}


def tree_of(name: str) -> PrefixTree:
    parent, actions = TREES[name]
    return PrefixTree(np.array(parent), np.array(actions))


def tokens_by_round(
    tree: PrefixTree, demand: np.ndarray, memory: int, sequence: tuple[int, ...]
) -> list[int]:
    """The environment's rule, spelled out: available while t - last <= M, from an empty cache."""
    last = np.full(tree.segments, -(10**6))
    served = []
    for t, action in enumerate(sequence):
        last[tree.path(action)] = t
        served.append(int(demand[t - last <= memory].sum()))
    return served


@pytest.mark.parametrize("name", TREES)
@pytest.mark.parametrize("memory", [1, 2])
def test_equals_the_best_of_all_refresh_sequences(name: str, memory: int) -> None:
    tree = tree_of(name)
    rng = np.random.default_rng(memory)
    for _ in range(3):
        demand = rng.integers(0, 9, size=tree.segments)
        tokens, order = ordered_paths(tree, demand, memory + 1)
        comparator = Comparator(tokens, order, scale=1)
        for horizon in (1, 2, 5 if len(tree.actions) < 5 else 4):
            best = max(
                sum(tokens_by_round(tree, demand, memory, sequence))
                for sequence in product(range(len(tree.actions)), repeat=horizon)
            )
            assert comparator.cumulative(horizon)[-1] == best


def test_cycling_the_order_attains_every_round() -> None:
    rng = np.random.default_rng(3)
    for _ in range(40):
        d = int(rng.integers(2, 40))
        parent = np.array([-1] + [int(rng.integers(0, v)) for v in range(1, d)])
        tree = PrefixTree(parent, np.setdiff1d(np.arange(d), parent))
        demand = rng.integers(0, 50, size=d)
        memory = int(rng.integers(1, 12))
        tokens, order = ordered_paths(tree, demand, memory + 1)
        sequence = tuple(int(order[t % len(order)]) for t in range(40))
        served = tokens_by_round(tree, demand, memory, sequence)
        assert served == [int(tokens[min(t, memory)]) for t in range(40)]


def test_values_equal_the_plain_program() -> None:
    rng = np.random.default_rng(4)
    for _ in range(50):
        d = int(rng.integers(1, 80))
        parent = np.array([-1] + [int(rng.integers(0, v)) for v in range(1, d)])
        inner = np.flatnonzero(rng.random(d) < 0.5)
        tree = PrefixTree(parent, np.union1d(np.setdiff1d(np.arange(d), parent), inner))
        demand = rng.integers(0, 10**6, size=d)
        tokens, _ = ordered_paths(tree, demand, 30)
        assert tokens.tolist() == plain_values(tree, demand.astype(float), 30).tolist()


def test_order_stops_where_demand_is_covered() -> None:
    tokens, order = ordered_paths(tree_of("two branches"), np.array([1, 2, 0, 3, 4, 0]), 5)
    assert order.tolist() == [1, 2]
    assert tokens.tolist() == [6, 10, 10, 10, 10]
    tokens, order = ordered_paths(tree_of("star"), np.zeros(5, dtype=np.int64), 3)
    assert order.tolist() == [0]
    assert tokens.tolist() == [0, 0, 0]


def test_cumulative_values() -> None:
    comparator = Comparator(np.array([3, 5]), np.array([0, 1], dtype=np.int32), scale=2)
    assert comparator.value.tolist() == [1.5, 2.5]
    assert comparator.cumulative(4).tolist() == [1.5, 4.0, 6.5, 9.0]
    assert comparator.cumulative(0).tolist() == []


def test_an_order_that_misses_the_optimum_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(optimum, "best_values", lambda tree, weights, paths: np.full(paths, 7.0))
    with pytest.raises(PearlError, match="the exact optimum F_1 is 7"):
        ordered_paths(tree_of("chain"), np.array([1, 1, 1, 1]), 2)


def test_negative_demand_is_an_error() -> None:
    with pytest.raises(PearlError, match=">= 0"):
        ordered_paths(tree_of("chain"), np.array([1, -1, 1, 1]), 2)
