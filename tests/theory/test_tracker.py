"""Lemma 1 as a property."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pearl.theory.tracker import floor, response, tracked

BETA = st.floats(0.01, 0.99)
UNIT = st.floats(0.0, 1.0)


@given(BETA, UNIT, UNIT, st.lists(UNIT, min_size=1, max_size=40))
def test_the_tracker_is_above_the_lemmas_floor(
    beta: float, delta: float, start: float, above: list[float]
) -> None:
    errors = [delta + (1.0 - delta) * share for share in above]
    for n, value in enumerate(tracked(start, errors, beta), 1):
        assert value >= floor(delta, beta, n) - 1e-12


@given(BETA, UNIT)
def test_the_floor_is_met_by_constant_errors_from_zero(beta: float, delta: float) -> None:
    values = tracked(0.0, [delta] * 12, beta)
    assert values == pytest.approx([floor(delta, beta, n) for n in range(1, 13)], abs=1e-12)


@given(BETA)
def test_half_is_reached_within_the_response_and_not_before(beta: float) -> None:
    steps = response(beta)
    assert floor(1.0, beta, steps) >= 0.5 - 1e-12
    assert steps == 1 or floor(1.0, beta, steps - 1) < 0.5 + 1e-12
    assert math.isclose(response(0.3), 1)
