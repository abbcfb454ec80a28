"""Mirror descent against ridge regression, its projection against a general solver."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from pearl.memory.mirror_descent import (
    MirrorDescent,
    MirrorDescentRadius,
    nearest_in_ball,
    slope_regularization,
)


def drawn(seed: int, d: int, rounds: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.standard_normal((rounds, d)) / np.sqrt(d), rng.standard_normal(rounds)


def definite(seed: int, d: int, spread: float = 1.0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    axes, _ = np.linalg.qr(rng.standard_normal((d, d)))
    return (axes * np.exp(spread * rng.standard_normal(d))) @ axes.T


@pytest.mark.parametrize("unit", ["gram", "slope"])
def test_is_ridge_while_no_projection_binds(unit: str) -> None:
    noise, given_lambda, d = 0.25, 1.7, 4
    features, rewards = drawn(0, d, 60)
    lambda_h = slope_regularization(unit, given_lambda, noise)
    learner = MirrorDescent(d, lambda_h, 1e6, noise)
    for x, y in zip(features, rewards, strict=True):
        learner.update(x, y)
    gram = noise**2 * lambda_h * np.eye(d) + features.T @ features
    np.testing.assert_allclose(
        learner.estimate, np.linalg.solve(gram, features.T @ rewards), rtol=1e-10
    )
    np.testing.assert_allclose(learner.slope, gram / noise**2, rtol=1e-13)
    x = features[3]
    width = np.sqrt(x @ np.linalg.solve(gram / noise**2, x))
    assert learner.width(x) == pytest.approx(width, rel=1e-12)
    assert learner.rounds == 60


def test_the_units_of_lambda() -> None:
    assert slope_regularization("slope", 3.0, 0.5) == 3.0
    assert slope_regularization("gram", 3.0, 0.5) == 12.0


def test_one_step_by_hand() -> None:
    """H = 2, x = 1, sigma = 1/2: H~ = 6, theta' = 4 y / 6; the second reward exceeds the ball."""
    learner = MirrorDescent(1, 2.0, 1.0, 0.5)
    learner.update(np.array([1.0]), 0.9)
    assert learner.estimate[0] == pytest.approx(0.6, abs=1e-15)
    assert learner.slope[0, 0] == 6.0
    learner.update(np.array([1.0]), 3.0)
    assert learner.estimate[0] == pytest.approx(1.0, abs=1e-15)
    learner.update(np.array([1.0]), 0.3)
    assert learner.estimate[0] == pytest.approx(1.0 - 4 * 0.7 / 14, abs=1e-15)


def test_the_order_of_rewards_matters_once_a_projection_binds() -> None:
    x = np.array([1.0])
    one, other = MirrorDescent(1, 2.0, 0.1, 0.5), MirrorDescent(1, 2.0, 0.1, 0.5)
    for y in (1.0, -1.0):
        one.update(x, y)
    for y in (-1.0, 1.0):
        other.update(x, y)
    assert one.estimate[0] < 0 < other.estimate[0]


@pytest.mark.parametrize("seed", range(6))
def test_projection_equals_a_general_solver(seed: int) -> None:
    d, radius = 2 + seed % 3, 0.5
    metric = definite(seed, d)
    point = 3 * np.random.default_rng(seed).standard_normal(d)
    assert np.linalg.norm(point) > radius
    solved = minimize(
        lambda u: (u - point) @ metric @ (u - point),
        point / np.linalg.norm(point) * radius,
        jac=lambda u: 2 * metric @ (u - point),
        constraints={
            "type": "ineq",
            "fun": lambda u: radius**2 - u @ u,
            "jac": lambda u: -2 * u,
        },
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 1000},
    )
    np.testing.assert_allclose(nearest_in_ball(point, metric, radius), solved.x, atol=1e-6)


@settings(deadline=None, max_examples=150)
@given(
    seed=st.integers(0, 10**6),
    d=st.integers(1, 8),
    spread=st.floats(0, 6),
    length=st.floats(1e-6, 1e6),
    radius=st.floats(1e-3, 1e3),
)
def test_projection_meets_its_optimality_conditions(seed, d, spread, length, radius) -> None:
    metric = definite(seed, d, spread)
    direction = np.random.default_rng(seed + 1).standard_normal(d)
    point = length * radius * direction / np.linalg.norm(direction)
    found = nearest_in_ball(point, metric, radius)
    if np.linalg.norm(point) <= radius:
        assert np.array_equal(found, point)
        return
    assert np.linalg.norm(found) == pytest.approx(radius, rel=1e-12)
    pull = metric @ (point - found)
    nu = float(pull @ found) / radius**2
    assert nu >= 0
    scale = np.linalg.norm(metric, 2) * np.linalg.norm(point)
    assert np.linalg.norm(pull - nu * found) <= 1e-9 * scale


@settings(deadline=None, max_examples=50)
@given(seed=st.integers(0, 10**6), d=st.integers(1, 5), bound=st.floats(0.01, 10))
def test_estimates_stay_in_the_ball_and_the_slope_grows(seed, d, bound) -> None:
    features, rewards = drawn(seed, d, 30)
    learner = MirrorDescent(d, 0.5, bound, 0.25)
    before = -np.inf
    for x, y in zip(features, 5 * rewards, strict=True):
        learner.update(x, y)
        assert np.linalg.norm(learner.estimate) <= bound * (1 + 1e-12)
        now = np.linalg.slogdet(learner.slope)[1]
        assert now >= before
        before = now


def test_a_projection_shortens_the_way_to_every_point_of_the_ball() -> None:
    metric = definite(3, 4)
    point = np.array([2.0, -1.0, 0.5, 3.0])
    found = nearest_in_ball(point, metric, 1.0)
    rng = np.random.default_rng(4)
    for _ in range(50):
        inside = rng.standard_normal(4)
        inside *= rng.random() / np.linalg.norm(inside)
        after, before = found - inside, point - inside
        assert after @ metric @ after <= before @ metric @ before


def test_radius_by_hand() -> None:
    beta = MirrorDescentRadius(2, 3.0, 0.5, 2.0, 0.25, 0.05)
    assert beta.at(0) == pytest.approx(np.sqrt(4 * 3 * 0.25 + 2 * np.log(20)))
    expected = 3.0 + 2 * np.log(20) + 12 * np.log(1 + 7 * 4 / (2 * 3 * 0.0625))
    assert beta.at(7) == pytest.approx(np.sqrt(expected))
