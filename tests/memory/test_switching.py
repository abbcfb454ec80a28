"""The closed forms of determinant doubling against determinants taken round by round."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import cholesky

from pearl.memory.switching import Transient, doubled, rounds_until_doubled


def log_det(matrix: np.ndarray) -> float:
    return float(np.linalg.slogdet(matrix)[1])


@settings(deadline=None, derandomize=True)
@given(seed=st.integers(0, 10**6), d=st.integers(1, 9), rounds=st.integers(0, 12))
def test_transient(seed: int, d: int, rounds: int) -> None:
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(d, d))
    start = root @ root.T + 0.1 * np.eye(d)
    features, steady = rng.normal(size=(rounds, d)), rng.normal(size=d)
    transient = Transient.of(cholesky(start, lower=True), features)
    grams = [start]
    for x in features:
        grams.append(grams[-1] + np.outer(x, x))
    expected = [log_det(gram) - log_det(start) for gram in grams[1:]]
    np.testing.assert_allclose(transient.log_ratios(), expected, rtol=1e-8, atol=1e-8)
    gain = steady @ np.linalg.solve(grams[-1], steady)
    assert transient.gain(steady) == pytest.approx(gain, rel=1e-6)
    after = log_det(grams[-1] + 3 * np.outer(steady, steady)) - log_det(grams[-1])
    assert math.log1p(3 * gain) == pytest.approx(after, rel=1e-6)


def test_equality_fires() -> None:
    assert doubled(math.log(2))
    assert doubled(math.fsum([math.log(1.1), math.log(2 / 1.1)]))
    assert not doubled(math.log(2) - 1e-11)
    assert rounds_until_doubled(0.0, 1.0) == 1
    assert rounds_until_doubled(0.0, 0.25) == 4
    assert rounds_until_doubled(math.log(1.5), 1 / 3) == 1


@given(ratio=st.floats(0, 0.69), gain=st.floats(1e-3, 100))
def test_the_first_round_that_doubles(ratio: float, gain: float) -> None:
    rounds = rounds_until_doubled(ratio, gain)
    fires = [n for n in range(1, rounds + 2) if doubled(ratio + math.log1p(n * gain))]
    assert fires[0] == rounds


def test_tiny_gains_take_one_closed_form() -> None:
    rounds = rounds_until_doubled(0.1, 1e-12)
    assert rounds == pytest.approx((2 / math.exp(0.1) - 1) * 1e12, rel=1e-9)


@pytest.mark.parametrize("gain", [0.0, -1.0, math.nan])
def test_a_round_must_add_information(gain: float) -> None:
    with pytest.raises(ValueError, match="information"):
        rounds_until_doubled(0.0, gain)
