"""Planning by Equation (18) against every union of small trees."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import cholesky

from pearl.environments.prefix_tree import PrefixTree
from pearl.memory.cache_method import CacheMethod
from pearl.memory.directions import directional_widths, draw_directions, plan
from pearl.memory.tree_planner import best_union
from pearl.memory.tree_reference import every_union


def random_case(seed: int) -> tuple[PrefixTree, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    d = int(rng.integers(2, 12))
    parent = np.array([-1] + [int(rng.integers(0, v)) for v in range(1, d)])
    tree = PrefixTree(parent, np.setdiff1d(np.arange(d), parent))
    return tree, rng.normal(size=d), rng.normal(size=(4, d))


def planned(tree, estimate, widths, *, bound=1.0, tie="first", paths=2):
    method = CacheMethod(planner="prefix_tree", switching="determinant", tie=tie)
    return plan(tree, estimate, widths, radius=3.0, paths=paths, bound=bound, method=method)


def score(tree, estimate, widths, actions) -> float:
    x = tree.union(actions) / np.sqrt(tree.segments)
    return float(x @ estimate + 3.0 / 1.5 * np.abs(widths @ x).max())


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("paths", [1, 2, 4])
def test_unclipped_is_the_best_of_all_unions(seed: int, paths: int) -> None:
    tree, estimate, widths = random_case(seed)
    chosen, _ = every_union(tree, estimate, paths)
    scores = [score(tree, estimate, widths, np.flatnonzero(one)) for one in chosen]
    found = planned(tree, estimate, widths, tie="unclipped", paths=paths)
    assert score(tree, estimate, widths, found.actions) == pytest.approx(max(scores), rel=1e-12)
    assert found.candidates == 8
    assert found.actions.dtype == np.int32
    assert 1 <= len(found.actions) <= paths


@pytest.mark.parametrize("seed", range(40))
def test_when_the_bound_caps_all_the_tie_rule_plans(seed: int) -> None:
    tree, estimate, widths = random_case(seed)
    objectives = [estimate + sign * 2.0 * row for row in widths for sign in (1, -1)]
    candidates = [best_union(tree, weights, 2)[1].tolist() for weights in objectives]
    first = planned(tree, estimate, widths, bound=-100.0)
    assert first.capped == first.candidates == 8
    assert first.actions.tolist() == candidates[0]
    by_estimate = planned(tree, estimate, widths, bound=-100.0, tie="estimate")
    worth = [tree.union(actions) @ estimate for actions in candidates]
    assert by_estimate.actions.tolist() == candidates[int(np.argmax(worth))]
    assert first.lowest == pytest.approx(
        min(score(tree, estimate, widths, actions) for actions in candidates)
    )


@pytest.mark.parametrize("seed", range(10))
def test_a_high_bound_changes_nothing(seed: int) -> None:
    tree, estimate, widths = random_case(seed)
    estimate = estimate + 10
    plans = [
        planned(tree, estimate, widths, bound=1e3, tie=tie)
        for tie in ("first", "unclipped", "estimate")
    ]
    assert {tuple(one.actions) for one in plans} == {tuple(plans[0].actions)}
    assert plans[0].capped == 0


@pytest.mark.parametrize("seed", range(10))
def test_a_score_that_equals_the_bound_is_capped(seed: int) -> None:
    tree, estimate, widths = random_case(seed)
    lowest = planned(tree, estimate, widths).lowest
    assert planned(tree, estimate, widths, bound=lowest).capped == 8
    assert planned(tree, estimate, widths, bound=np.nextafter(lowest, np.inf)).capped < 8


def test_the_square_root() -> None:
    rng = np.random.default_rng(0)
    root = rng.normal(size=(6, 6))
    gram = root @ root.T + np.eye(6)
    rows = directional_widths(cholesky(gram, lower=True), np.eye(6))
    np.testing.assert_allclose(rows.T @ rows, np.linalg.inv(gram), rtol=1e-10)
    assert np.array_equal(rows, np.tril(rows))  # L = C^-T is upper triangular


def test_directions_belong_to_seed_and_plan() -> None:
    draws = [draw_directions(seed, number, 3, 5) for seed in (0, 1) for number in (0, 1)]
    assert np.array_equal(draws[0], draw_directions(0, 0, 3, 5))
    assert np.array_equal(draws[0], draw_directions(0, 0, 4, 5)[:3])
    assert all(not np.array_equal(draws[i], draws[j]) for i in range(4) for j in range(i))
    many = draw_directions(0, 7, 400, 50)
    assert abs(many.mean()) < 0.03
    assert many.std() == pytest.approx(1, abs=0.02)
