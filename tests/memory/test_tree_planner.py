"""The planner against brute force, and against the paper's plain program on larger trees."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pearl.environments.prefix_tree import PrefixTree
from pearl.errors import SettingError
from pearl.memory.tree_planner import best_union, best_unions, best_values
from pearl.memory.tree_reference import every_union, plain_values

Weigh = Callable[[np.random.Generator, int], np.ndarray]

WEIGHTS: dict[str, Weigh] = {
    "gaussian": lambda rng, d: rng.normal(size=d),
    "small integers, many ties": lambda rng, d: rng.integers(-2, 3, size=d).astype(float),
    "negative above positive": lambda rng, d: rng.choice([-7.0, -4.0, 3.0, 4.0, 5.0], size=d),
    "all negative": lambda rng, d: -rng.integers(1, 5, size=d).astype(float),
    "zeros": lambda rng, d: np.zeros(d),
    "far apart": lambda rng, d: rng.normal(size=d) * 10.0 ** rng.integers(-6, 7, size=d),
}


def random_tree(rng: np.random.Generator, nodes: int, inner: float) -> PrefixTree:
    """A chain-like, bushy or mixed tree; inner nodes end actions with chance `inner`."""
    lean = rng.integers(3)
    parent = [-1]
    for v in range(1, nodes):
        low = max(0, v - 2) if lean == 0 else 0
        high = min(v, 2) if lean == 1 else v
        parent.append(int(rng.integers(low, high)))
    leaves = np.setdiff1d(np.arange(nodes), parent)
    others = np.flatnonzero(rng.random(nodes) < inner)
    return PrefixTree(np.array(parent), np.union1d(leaves, others))


def small_tree(rng: np.random.Generator, most_actions: int) -> PrefixTree:
    while True:
        tree = random_tree(rng, int(rng.integers(1, 14)), float(rng.choice([0.0, 0.3, 1.0])))
        if len(tree.actions) <= most_actions:
            return tree


def check_attained(tree: PrefixTree, weights: np.ndarray, paths: int) -> float:
    """The actions returned attain the value to the last bit and need no path in vain."""
    value, actions = best_union(tree, weights, paths)
    assert 1 <= len(actions) <= paths
    assert np.all(np.diff(actions) > 0)
    union = tree.union(actions)
    worth = 0.0
    for weight in weights[union]:
        worth += weight
    assert value == worth
    inner = np.zeros(tree.segments, dtype=bool)
    inner[tree.parent[1:][union[1:]]] = True
    assert not inner[tree.actions[actions]].any()
    return value


@pytest.mark.parametrize("kind", WEIGHTS)
def test_equals_brute_force_on_small_trees(kind: str) -> None:
    rng = np.random.default_rng(len(kind))
    for _ in range(700):
        tree = small_tree(rng, 9)
        weights = WEIGHTS[kind](rng, tree.segments)
        paths = int(rng.integers(1, len(tree.actions) + 3))
        chosen, worth = every_union(tree, weights, paths)
        value = check_attained(tree, weights, paths)
        scale = np.abs(weights).sum()
        assert value == pytest.approx(worth.max(), rel=0, abs=1e-14 * scale)
        if np.all(weights == np.rint(weights)):
            fewest = chosen[worth == worth.max()].sum(axis=1).min()
            assert len(best_union(tree, weights, paths)[1]) == fewest


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_equals_brute_force_on_drawn_trees(data: st.DataObject) -> None:
    nodes = data.draw(st.integers(1, 10), label="nodes")
    parent = [-1] + [data.draw(st.integers(0, v - 1)) for v in range(1, nodes)]
    leaves = set(range(nodes)) - set(parent)
    extra = data.draw(st.sets(st.integers(0, nodes - 1)), label="inner endpoints")
    tree = PrefixTree(np.array(parent), np.array(sorted(leaves | extra)))
    weight = st.integers(-6, 6).map(float)
    weights = np.array(data.draw(st.lists(weight, min_size=nodes, max_size=nodes)))
    for paths in range(1, len(tree.actions) + 2):
        _, worth = every_union(tree, weights, paths)
        assert check_attained(tree, weights, paths) == worth.max()


@pytest.mark.parametrize("kind", WEIGHTS)
def test_curve_equals_plain_program_on_larger_trees(kind: str) -> None:
    rng = np.random.default_rng(len(kind))
    for inner in (0.0, 0.3, 1.0):
        for paths in (1, 7, 60, 250):
            tree = random_tree(rng, 200, inner)
            weights = WEIGHTS[kind](rng, tree.segments)
            plain = plain_values(tree, weights, paths)
            tolerance = 1e-14 * np.abs(weights).sum()
            curve = best_values(tree, weights, paths)
            np.testing.assert_allclose(curve, plain, rtol=0, atol=tolerance)
            value = check_attained(tree, weights, paths)
            assert value == pytest.approx(plain[-1], rel=0, abs=tolerance)


def test_plain_program_equals_brute_force() -> None:
    rng = np.random.default_rng(5)
    for _ in range(200):
        tree = small_tree(rng, 8)
        weights = WEIGHTS["negative above positive"](rng, tree.segments)
        plain = plain_values(tree, weights, len(tree.actions) + 1)
        for paths, value in enumerate(plain, start=1):
            assert value == every_union(tree, weights, paths)[1].max()


def test_a_node_that_ends_no_action_must_go_on_to_a_child() -> None:
    # 0 - 1 - {2, 3}: the cheapest way is a losing leaf, and two leaves lose less than one
    tree = PrefixTree(np.array([-1, 0, 1, 1, 0]), np.array([2, 3, 4]))
    weights = np.array([10.0, -8.0, 3.0, 3.0, -9.0])
    value, actions = best_union(tree, weights, 1)
    assert (value, actions.tolist()) == (5.0, [0])
    value, actions = best_union(tree, weights, 2)
    assert (value, actions.tolist()) == (8.0, [0, 1])


def test_ties_take_few_paths_and_low_numbers() -> None:
    star = PrefixTree(np.array([-1, 0, 0, 0, 0]), np.array([1, 2, 3, 4]))
    assert best_union(star, np.zeros(5), 3)[1].tolist() == [0]
    assert best_union(star, np.array([0.0, 1, 2, 1, 1]), 3)[1].tolist() == [0, 1, 2]
    with_root = PrefixTree(star.parent, np.arange(5))
    assert best_union(with_root, np.zeros(5), 3)[1].tolist() == [0]


def test_ties_between_branches_that_need_two_paths() -> None:
    # 1 and 2 are each worth 1 with one leaf and 4 with two; 7 and 8 are worth 2 each
    parent = np.array([-1, 0, 0, 1, 1, 2, 2, 0, 0])
    weights = np.array([0.0, -2, -2, 3, 3, 3, 3, 2, 2])
    tree = PrefixTree(parent, np.array([3, 4, 5, 6, 7, 8]))
    assert best_union(tree, np.where(np.arange(9) < 7, weights, -1), 2)[1].tolist() == [0, 1]
    assert best_union(tree, weights, 2)[1].tolist() == [4, 5]
    assert best_union(tree, weights, 4)[1].tolist() == [0, 1, 4, 5]


def test_one_node() -> None:
    tree = PrefixTree(np.array([-1]), np.array([0]))
    for weight in (-2.5, 0.0, 3.0):
        value, actions = best_union(tree, np.array([weight]), 4)
        assert (value, actions.tolist()) == (weight, [0])
    assert best_values(tree, np.array([-2.5]), 3).tolist() == [-2.5] * 3


def test_a_batch_equals_single_calls() -> None:
    rng = np.random.default_rng(8)
    tree = random_tree(rng, 120, 0.5)
    weights = rng.normal(size=(20, 120))
    values, actions = best_unions(tree, weights, 15)
    for k in range(20):
        value, chosen = best_union(tree, weights[k], 15)
        assert values[k] == value
        assert actions[k, : len(chosen)].tolist() == chosen.tolist()
        assert np.all(actions[k, len(chosen) :] == -1)


def test_curve_never_falls_and_ends_flat() -> None:
    rng = np.random.default_rng(9)
    tree = random_tree(rng, 60, 0.4)
    curve = best_values(tree, rng.normal(size=60), 100)
    assert all(a <= b for a, b in pairwise(curve))
    assert curve[-1] == curve[len(tree.actions) - 1]


def test_refuses_what_it_cannot_plan() -> None:
    tree = PrefixTree(np.array([-1, 0]), np.array([1]))
    with pytest.raises(SettingError, match="at least one path"):
        best_union(tree, np.zeros(2), 0)
    with pytest.raises(ValueError, match=r"\[n, 2\]"):
        best_union(tree, np.zeros(3), 1)
    with pytest.raises(ValueError, match="finite"):
        best_union(tree, np.array([0.0, np.nan]), 1)
