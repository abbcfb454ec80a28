"""The farthest point of an ellipsoid: against dense samples, scipy's roots and hard cases."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq

from pearl.memory.farthest_point import farthest_point, widest_direction


def score(action: np.ndarray, centre: np.ndarray, spread: np.ndarray, radius: float) -> np.ndarray:
    widths = np.einsum("...d,de,...e->...", action, spread, action)
    return action @ centre + radius * np.sqrt(widths)


def random_ellipsoid(seed: int, dimension: int) -> tuple[np.ndarray, np.ndarray, float]:
    rng = np.random.default_rng(seed)
    root = rng.standard_normal((dimension, dimension))
    spread = root @ root.T + 0.01 * np.eye(dimension)
    return rng.standard_normal(dimension), spread, float(rng.uniform(0.05, 3))


def circle(points: int) -> np.ndarray:
    angles = np.linspace(0, 2 * np.pi, points)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def sphere(points: int) -> np.ndarray:
    """Evenly spread points: a Fibonacci lattice."""
    z = np.linspace(-1, 1, points)
    angles = np.pi * (1 + 5**0.5) * np.arange(points)
    ring = np.sqrt(1 - z**2)
    return np.stack([ring * np.cos(angles), ring * np.sin(angles), z], axis=1)


@settings(deadline=None)  # the first call compiles
@given(seed=st.integers(0, 10_000), dimension=st.integers(1, 12))
def test_it_lies_on_the_boundary_and_optimism_equals_its_length(seed: int, dimension: int) -> None:
    centre, spread, radius = random_ellipsoid(seed, dimension)
    point = farthest_point(centre, spread, radius)
    off = point - centre
    assert off @ np.linalg.solve(spread, off) == pytest.approx(radius**2, rel=1e-9)
    length = np.linalg.norm(point)
    assert score(point / length, centre, spread, radius) == pytest.approx(length, rel=1e-11)


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize(("dimension", "actions"), [(2, circle(40_001)), (3, sphere(200_000))])
def test_no_action_of_a_dense_sample_scores_higher(
    seed: int, dimension: int, actions: np.ndarray
) -> None:
    centre, spread, radius = random_ellipsoid(seed, dimension)
    best = score(actions, centre, spread, radius).max()
    length = np.linalg.norm(farthest_point(centre, spread, radius))
    assert best <= length * (1 + 1e-12)
    assert best >= length * (1 - 1e-3)


@pytest.mark.parametrize("seed", range(20))
def test_the_multiplier_is_the_root_that_scipy_finds(seed: int) -> None:
    centre, spread, radius = random_ellipsoid(seed, 6)
    values, axes = np.linalg.eigh(spread)
    parts = axes.T @ centre

    def excess(mu: float) -> float:
        return float((parts**2 * values / (mu - values) ** 2).sum() - radius**2)

    mu = brentq(excess, values[-1] * (1 + 1e-13), values[-1] + 1e6, xtol=1e-14, rtol=1e-14)
    expected = axes @ (mu * parts / (mu - values))
    assert farthest_point(centre, spread, radius) == pytest.approx(expected, rel=1e-8)


def test_a_ball_around_the_origin_ties_to_the_lowest_coordinate() -> None:
    assert farthest_point(np.zeros(4), np.eye(4), 2.0).tolist() == [2, 0, 0, 0]
    assert widest_direction(np.diag([1.0, 3.0, 3.0])).tolist() == [0, 1, 0]


def test_a_tie_does_not_hang_on_the_basis_of_equal_axes() -> None:
    known = np.array([1.0, 0.0, 0.0])
    noisy = np.eye(3) - 0.5 * np.outer(known, known) + 1e-16 * np.ones((3, 3))
    assert widest_direction(noisy) == pytest.approx([0, 1, 0], abs=1e-12)


def test_the_hard_case_leaves_the_centre_for_the_widest_axis() -> None:
    # Centre on the narrow axis: with mu = 4 the part there is 4 x .6 / 3 = .8, and what is left of
    # the radius, 1 - .2^2, points along the second axis.
    point = farthest_point(np.array([0.6, 0.0]), np.diag([1.0, 4.0]), 1.0)
    assert point == pytest.approx([0.8, 2 * np.sqrt(1 - 0.04)])
    actions = circle(100_001)
    best = score(actions, np.array([0.6, 0.0]), np.diag([1.0, 4.0]), 1.0).max()
    assert np.linalg.norm(point) == pytest.approx(best, rel=1e-8)


def test_beyond_the_hard_case_the_widest_axis_has_no_part() -> None:
    point = farthest_point(np.array([9.0, 0.0]), np.diag([1.0, 4.0]), 1.0)
    assert point == pytest.approx([10.0, 0.0])
