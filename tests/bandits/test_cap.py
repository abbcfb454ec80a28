"""The spectral cap of Eq. (9), found by the top pair alone, against the full eigendecomposition."""

from __future__ import annotations

import numpy as np
import pytest
from direct_steps import method, step
from hypothesis import given, settings
from hypothesis import strategies as st

from pearl.bandits.state import State

ERROR = 0.5  # |r - mu| with r = 1 and the zero head's mu = 1/2


def shrunk_by(inverse: np.ndarray, g: np.ndarray) -> np.ndarray:
    image = inverse @ g
    return inverse - np.outer(image, image) / (1.0 + g @ image)


def fully_capped(inverse: np.ndarray, ceiling: float) -> np.ndarray:
    values, vectors = np.linalg.eigh(inverse)
    return (vectors * np.minimum(values, ceiling)) @ vectors.T


def learned(d: int, lam: float, seen: int, scale: float, rng: np.random.Generator) -> np.ndarray:
    """Return A^-1 after `seen` observations; below d of them, 1/lambda is a multiple eigenvalue."""
    g = scale * np.maximum(rng.standard_normal((seen, d)), 0.0)
    return np.linalg.inv(lam * np.eye(d) + g.T @ g)


@settings(max_examples=300, deadline=None)
@given(
    d=st.integers(1, 24),
    seen=st.sampled_from([0, 1, 2, 5, 40]),
    lam=st.sampled_from([1.0, 0.1, 0.01, 3.0, 50.0]),
    eta=st.sampled_from([0.01, 0.3, 2.0, 30.0, 1e3, 1e6]),
    scale=st.sampled_from([0.1, 1.0, 6.0]),
    seed=st.integers(0, 2**32 - 1),
)
def test_equals_the_full_eigendecomposition(
    d: int, seen: int, lam: float, eta: float, scale: float, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    before = learned(d, lam, seen, scale, rng)
    g = scale * np.maximum(rng.standard_normal(d), 0.0)
    state = State((before + before.T) / 2, np.array([0.3]))
    injected, capped, _ = step(state, method(eta=eta, regularization=lam), g[None], 1.0)
    grown = shrunk_by(before, g) + eta * ERROR**2 * np.outer(g, g)
    expected = fully_capped(grown, 1.0 / lam)
    assert injected
    excess = np.linalg.eigvalsh(grown)[-1] * lam - 1.0
    if abs(excess) > 1e-9:
        assert capped == (excess > 0.0)
    # a matrix with a top eigenvalue of 10^5 / lambda is itself rounded at 10^-11 / lambda
    rounding = 1e-15 * max(excess, 0.0) / lam
    assert np.abs(state.inverse - expected).max() <= 1e-10 / lam + rounding
    assert np.array_equal(state.inverse, state.inverse.T)
    values = np.linalg.eigvalsh(state.inverse)
    assert values[0] > 0.0
    assert values[-1] <= (1.0 + 1e-9) / lam


def test_at_most_one_eigenvalue_is_lifted_above() -> None:
    rng = np.random.default_rng(1)
    for seen in (0, 3, 200):
        before = learned(40, 1.0, seen, 1.0, rng)
        g = np.maximum(rng.standard_normal(40), 0.0)
        grown = shrunk_by(before, g) + 1e3 * np.outer(g, g)
        assert (np.linalg.eigvalsh(grown) > 1.0 + 1e-9).sum() == 1


@pytest.mark.parametrize("lam", [1.0, 0.25])
@pytest.mark.parametrize("forgetting", ["directional", "always_directional"])
def test_injecting_again_and_again_stays_below_the_prior(lam: float, forgetting: str) -> None:
    """The cap fires hundreds of times in a row; the full one, applied beside, stays within 1e-10.

    Every step starts from the reference's matrix, so that errors don't hide behind each other.
    """
    rng = np.random.default_rng(7)
    d, fired = 16, 0
    state = State(np.eye(d) / lam, np.array([0.5]))
    rules = method(eta=3.0, regularization=lam, forgetting=forgetting, threshold=0.0, beta=0.9)
    for _ in range(1500):
        g = np.maximum(rng.standard_normal((1, d)), 0.0)
        before = state.inverse.copy()
        reward = rng.random()
        injected, capped, _ = step(state, rules, g, reward)
        expected = shrunk_by(before, g[0])
        if injected:
            expected += 3.0 * (reward - 0.5) ** 2 * np.outer(g[0], g[0])
            expected = fully_capped(expected, 1.0 / lam)
        assert np.abs(state.inverse - expected).max() < 1e-10 / lam
        values = np.linalg.eigvalsh(state.inverse)
        assert 0.0 < values[0] <= values[-1] <= (1.0 + 1e-9) / lam
        fired += capped
        assert injected or forgetting == "directional"
    assert fired > 100


def test_full_size() -> None:
    rng = np.random.default_rng(3)
    d = 128
    for seen in (0, 60, 2000):
        before = learned(d, 1.0, seen, 0.3, rng)
        g = np.maximum(rng.standard_normal(d), 0.0)
        state = State((before + before.T) / 2, np.array([0.3]))
        _, capped, _ = step(state, method(eta=1.0), g[None], 1.0)
        expected = fully_capped(shrunk_by(before, g) + 0.25 * np.outer(g, g), 1.0)
        assert capped
        assert np.abs(state.inverse - expected).max() < 1e-10


def test_the_default_rate_cannot_reach_the_prior() -> None:
    """At eta = .01 and lambda = 1 an injection is capped only where |g|^2 > 99 (e = 1)."""
    d = 8
    for squared, expected in ((98.9, False), (5000.0, True)):
        g = np.full(d, np.sqrt(squared / d))
        state = State(np.eye(d), np.array([0.3]))
        _, capped, _ = step(state, method(eta=0.04), g[None], 1.0)  # .04 x .5^2 = .01 x 1^2
        assert capped == expected


def test_nothing_to_inject_along() -> None:
    state = State(np.eye(3), np.array([0.3]))
    injected, capped, _ = step(state, method(eta=10.0), np.zeros((1, 3)), 1.0)
    assert (injected, capped) == (True, False)
    assert np.array_equal(state.inverse, np.eye(3))
