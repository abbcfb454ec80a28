"""Proposition 5's algebra as properties, and where its d / s and 1 don't hold."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pearl.theory.forgetting import bounds, inefficiency, inverse_with, length_ratio, subspace


@st.composite
def cases(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    d = draw(st.integers(1, 12))
    s = draw(st.integers(1, d))
    index = draw(st.integers(0, 1000))
    values = draw(st.lists(st.floats(1e-3, 1.0), min_size=d, max_size=d))
    return inverse_with(np.array(values), index), subspace(d, s, index)


@given(cases(), st.floats(1e-3, 10.0))
def test_discounting_is_within_the_bounds(
    case: tuple[np.ndarray, np.ndarray], share: float
) -> None:
    inverse, basis = case
    low, high = bounds(inverse, basis.shape[1])
    ratio = inefficiency(share * inverse, basis)
    assert low * (1 - 1e-9) <= ratio <= high * (1 + 1e-9)


@given(cases())
def test_an_isotropic_inverse_makes_it_d_over_s(case: tuple[np.ndarray, np.ndarray]) -> None:
    d, s = case[1].shape
    assert inefficiency(0.3 * np.eye(d), case[1]) == pytest.approx(d / s)


def test_d_over_s_is_off_by_the_condition_number_at_worst() -> None:
    d, s, kappa = 8, 2, 50.0
    basis = np.eye(d)[:, :s]
    small_in_v = np.diag([1.0] * s + [kappa] * (d - s))
    assert inefficiency(small_in_v, basis) > 10 * d / s
    assert inefficiency(np.linalg.inv(small_in_v), basis) < 1.1


@given(cases(), st.lists(st.floats(0.01, 5.0), min_size=12, max_size=12))
def test_injection_within_v_spends_nothing_outside(
    case: tuple[np.ndarray, np.ndarray], weights: list[float]
) -> None:
    basis = case[1]
    change = (basis * np.array(weights[: basis.shape[1]])) @ basis.T
    assert inefficiency(change, basis) == pytest.approx(1.0)


@given(cases(), st.floats(0.1, 5.0))
def test_injection_along_g_costs_its_length_over_its_length_in_v(
    case: tuple[np.ndarray, np.ndarray], eta: float
) -> None:
    basis = case[1]
    g = basis[:, 0] + np.arange(1.0, len(basis) + 1.0) / len(basis)
    if np.linalg.norm(basis.T @ g) < 0.1:
        return
    assert inefficiency(eta * np.outer(g, g), basis) == pytest.approx(length_ratio(g, basis))
    assert length_ratio(g, basis) >= 1.0 - 1e-12
    assert length_ratio(basis[:, 0], basis) == pytest.approx(1.0)
