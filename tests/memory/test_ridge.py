"""The ridge regression against plain sums, and its radius against published values."""

from __future__ import annotations

import numpy as np
import pytest

from pearl.memory.radius import ConfidenceRadius
from pearl.memory.ridge import Ridge


@pytest.mark.parametrize(("start", "radius"), [(1, 1.47411), (1000, 2.67481), (10**6, 3.59482)])
def test_radius(start: int, radius: float) -> None:
    beta = ConfidenceRadius(
        dimension=10,
        regularization=0.625,
        norm_bound=1.0,
        feature_bound=1.0,
        noise=0.25,
        delta=0.05,
    )
    assert beta.at(start) == pytest.approx(radius, abs=5e-6)


def test_radius_scales_with_its_bounds() -> None:
    wide = ConfidenceRadius(10, 2.5, 3.0, 2.0, 0.0, 0.05)
    assert wide.at(7) == pytest.approx(np.sqrt(2.5) * 3)
    noisy = ConfidenceRadius(10, 2.5, 0.0, 2.0, 0.5, 0.05)
    assert noisy.at(7) == pytest.approx(
        0.5 * np.sqrt(2 * np.log(20) + 10 * np.log(1 + 7 * 4 / (2.5 * 10)))
    )


def rounds_of(rng: np.random.Generator, rounds: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    return (rng.random((rounds, d)) < 0.4).astype(float), rng.integers(0, 10**6, size=rounds)


def test_equals_plain_sums() -> None:
    rng = np.random.default_rng(0)
    resident, tokens = rounds_of(rng, 50, 7)
    ridge = Ridge(7, 0.3, 1e-6)
    ridge.absorb(resident[:20], tokens[:20])
    ridge.absorb(resident[20:], tokens[20:])
    x, y = resident / np.sqrt(7), tokens * 1e-6
    gram = 0.3 * np.eye(7) + x.T @ x
    np.testing.assert_allclose(ridge.gram(), gram, rtol=1e-13)
    np.testing.assert_allclose(ridge.response(), x.T @ y, rtol=1e-13)
    factor = ridge.factor()
    assert np.array_equal(factor, np.tril(factor))
    np.testing.assert_allclose(factor @ factor.T, gram, rtol=1e-12)
    np.testing.assert_allclose(ridge.estimate(factor), np.linalg.solve(gram, x.T @ y), rtol=1e-10)


def test_the_initial_gram_matrix() -> None:
    ridge = Ridge(4, 10.0, 1.0)
    assert np.array_equal(ridge.gram(), 10 * np.eye(4))
    assert not ridge.estimate(ridge.factor()).any()


def test_repetition_is_exact() -> None:
    """A million rounds at once leave the same bits as one after another, in any order."""
    rng = np.random.default_rng(1)
    resident, tokens = rounds_of(rng, 3, 9)
    repeats = [1, 400, 7]
    at_once, in_turn = Ridge(9, 0.7, 1e-6), Ridge(9, 0.7, 1e-6)
    for row, token, n in zip(resident, tokens, repeats, strict=True):
        at_once.absorb_repeated(row, n, int(n * token))
    for i in reversed(range(3)):
        for _ in range(repeats[i]):
            in_turn.absorb(resident[i : i + 1], tokens[i : i + 1])
    assert np.array_equal(at_once.gram(), in_turn.gram())
    assert np.array_equal(at_once.response(), in_turn.response())
    gram = at_once.gram()
    assert np.array_equal(gram, gram.T)
