"""Propositions 1 and 2 as properties; Proposition 3(a) as a counterexample."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pearl.theory.regret import Round, flipped, gaps, regret_of_a_population, regret_of_fixed

UNIT = st.floats(0.0, 1.0)
ARMS = st.integers(2, 8)


@st.composite
def rounds(draw: st.DrawFn) -> Round:
    k = draw(ARMS)
    rewards, means, sigmas = (draw(arrays(float, k, elements=UNIT)) for _ in range(3))
    return Round(rewards, means, sigmas, draw(st.floats(0.0, 20.0)))


@given(rounds())
def test_regret_is_within_proposition_1(one: Round) -> None:
    assert 0.0 <= one.regret <= one.bound + 1e-9


def test_proposition_1_needs_the_rewards_of_all_arms() -> None:
    # the error of the chosen arm alone doesn't bound the regret
    one = Round(np.array([0.5, 1.0]), np.array([0.5, 0.0]), np.zeros(2), 0.0)
    assert one.regret == 0.5 > 2.0 * abs(one.rewards[0] - one.means[0])
    assert one.regret <= one.bound


@given(rounds())
def test_exploring_costs_at_most_what_the_proof_shows(one: Round) -> None:
    assert -1e-12 <= one.exploration_cost <= one.exploration_ceiling + 1e-9


@given(arrays(float, (5, 4), elements=UNIT))
def test_a_flip_is_its_own_inverse_and_reverses_the_order(before: np.ndarray) -> None:
    after = flipped(before)
    assert flipped(after) == pytest.approx(before, abs=1e-12)
    assert after.max(1) == pytest.approx(before.max(1), abs=1e-12)
    assert (np.argmax(before, 1) == np.argmin(after, 1)).all() or len(np.unique(before)) < 20


@given(arrays(float, (6, 4), elements=UNIT))
def test_a_perfect_greedy_model_loses_the_whole_gap(before: np.ndarray) -> None:
    assert regret_of_fixed(before, before) == pytest.approx(gaps(before), abs=1e-12)


@given(arrays(float, (6, 4), elements=UNIT), arrays(float, (6, 4), elements=UNIT))
def test_no_fixed_model_loses_more(before: np.ndarray, model: np.ndarray) -> None:
    lost = regret_of_fixed(before, model)
    assert (lost >= -1e-12).all()
    assert (lost <= gaps(before) + 1e-12).all()


def test_proposition_2_fails_for_an_imperfect_model() -> None:
    before = np.array([[0.2, 0.9]])
    assert regret_of_fixed(before, -before) == 0.0 < gaps(before)


@given(
    arrays(float, (6, 4), elements=UNIT),
    arrays(float, (6, 4), elements=UNIT),
    st.floats(0.0, 0.5),
)
def test_equation_16_holds_for_any_fixed_model_while_at_most_half_of_the_users_flip(
    before: np.ndarray, model: np.ndarray, share: float
) -> None:
    gap = float(gaps(before).mean())
    assert regret_of_a_population(before, model, share) >= share * gap - 1e-12
    assert regret_of_a_population(before, model, 0.5) == pytest.approx(0.5 * gap, abs=1e-12)


def test_equation_16_fails_for_an_imperfect_model_when_more_than_half_flip() -> None:
    before, model = np.array([[0.2, 0.9], [0.9, 0.2]]), np.array([[0.2, 0.9], [0.2, 0.9]])
    # right on one slate, wrong on the other: regret .7 or 0, whoever flips
    assert regret_of_a_population(before, model, 0.75) == pytest.approx(0.35)
    assert gaps(before).mean() * 0.75 == pytest.approx(0.525)
    assert regret_of_a_population(before, before, 0.75) == pytest.approx(0.525)


@given(arrays(float, 4, elements=UNIT), st.floats(0.01, 1.0), st.floats(0.01, 20.0))
def test_proposition_3_fails_with_equal_uncertainties(
    means: np.ndarray, sigma: float, alpha: float
) -> None:
    one = Round(means, means, np.full(4, sigma), alpha)
    stated = alpha * sigma
    assert one.exploration_cost <= 1e-12 * (1.0 + stated) < stated
