"""Residency by latest refreshes against the last M actions kept as a list."""

from __future__ import annotations

import numpy as np
import pytest

from pearl.environments.prefix_tree import PrefixTree
from pearl.memory.random_union import random_union
from pearl.memory.residency import cycle_features, empty_cache, refresh_cycle, unions

TREE = PrefixTree(np.array([-1, 0, 0, 1, 1, 2, 5]), np.array([1, 2, 3, 4, 6]))


@pytest.mark.parametrize("memory", [1, 2, 3, 5, 20])
def test_cycles_one_after_another(memory: int) -> None:
    rng = np.random.default_rng(memory)
    last = empty_cache(TREE.segments)
    played: list[int] = []
    for _ in range(30):
        cycle = rng.choice(5, size=rng.integers(1, 6), replace=False).astype(np.int32)
        rounds = int(rng.integers(1, 12))
        first = len(played) + 1
        before = last.copy()
        found = cycle_features(
            last, TREE.path_offsets, TREE.path_nodes, cycle, first, rounds, memory
        )
        assert np.array_equal(last, before)
        refresh_cycle(last, TREE.path_offsets, TREE.path_nodes, cycle, first, rounds)
        for n in range(rounds):
            played.append(int(cycle[n % len(cycle)]))
            assert np.array_equal(found[n] > 0, TREE.union(played[-memory - 1 :]))
            assert set(np.unique(found[n])) <= {0.0, 1.0}


def test_a_segment_stays_for_exactly_m_further_rounds() -> None:
    last = empty_cache(TREE.segments)
    paths = TREE.path_offsets, TREE.path_nodes
    refresh_cycle(last, *paths, np.array([4], dtype=np.int32), 1, 1)
    available = cycle_features(last, *paths, np.array([0], dtype=np.int32), 2, 5, 3)
    assert available[:, 6].tolist() == [1, 1, 1, 0, 0]
    assert available[:, 0].tolist() == [1, 1, 1, 1, 1]


def test_unions() -> None:
    padded = np.array([[0, 4], [2, -1], [-1, -1]], dtype=np.int32)
    covered = unions(TREE.path_offsets, TREE.path_nodes, padded, TREE.segments)
    for row, actions in zip(covered, ([0, 4], [2], []), strict=True):
        assert np.array_equal(row > 0, TREE.union(actions))


def test_random_unions() -> None:
    drawn = [random_union(TREE, 3, seed).tolist() for seed in range(200)]
    assert all(len(set(actions)) == 3 and actions == sorted(actions) for actions in drawn)
    assert drawn[0] == random_union(TREE, 3, 0).tolist()
    assert len({tuple(actions) for actions in drawn}) == 10
    assert random_union(TREE, 9, 0).tolist() == [0, 1, 2, 3, 4]
