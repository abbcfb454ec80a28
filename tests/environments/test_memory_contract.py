"""Every instance keeps the contract of a linear bandit with memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from memory_instances import EVERY, FINITE, small_additive
from scipy.optimize import minimize

from pearl.environments.finite_optimum import largest_sums
from pearl.environments.memory_instance import (
    GivesMemoryMap,
    MemoryInstance,
    MergesHistories,
    mean_reward,
    transition,
)
from pearl.environments.memory_states import reachable_states
from pearl.memory.howard import policy_iteration

every = pytest.mark.parametrize("name", EVERY)
finite = pytest.mark.parametrize("name", FINITE)
ROUNDING = 1e-12


def random_actions(instance: MemoryInstance[Any], rng: np.random.Generator, n: int) -> list[Any]:
    """n random actions; half of the time the last one is repeated, so that runs occur."""
    chosen: list[Any] = []
    for _ in range(n):
        if chosen and rng.random() < 0.5:
            chosen.append(chosen[-1])
        elif instance.actions is None:
            drawn = rng.standard_normal(instance.dimension)
            chosen.append(rng.random() ** 0.2 * drawn / np.linalg.norm(drawn))
        else:
            chosen.append(int(rng.integers(len(instance.actions))))
    return chosen


def histories(instance: MemoryInstance[Any], seed: int, n: int) -> list[tuple[Any, ...]]:
    history, met = instance.initial, [instance.initial]
    for action in random_actions(instance, np.random.default_rng(seed), n):
        history = transition(history, action)
        met.append(history)
    return met


@every
def test_the_bounds_hold(name: str) -> None:
    instance = EVERY[name]
    assert len(instance.initial) == instance.memory
    assert instance.theta_star.shape == (instance.dimension,)
    assert np.linalg.norm(instance.theta_star) <= instance.norm_bound * (1 + ROUNDING)
    if instance.actions is not None:
        assert np.linalg.norm(instance.actions, axis=1).max() <= 1 + ROUNDING
    actions = random_actions(instance, np.random.default_rng(1), 200)
    for history, action in zip(histories(instance, 2, 200), actions, strict=False):
        phi = instance.feature(history, action)
        assert np.linalg.norm(phi) <= instance.feature_bound * (1 + ROUNDING)


@every
def test_the_memory_matrix_makes_the_feature(name: str) -> None:
    instance = EVERY[name]
    assert isinstance(instance, GivesMemoryMap)
    bound = getattr(instance, "map_bound", instance.feature_bound)
    actions = random_actions(instance, np.random.default_rng(3), 100)
    for history, action in zip(histories(instance, 4, 100), actions, strict=False):
        matrix = instance.memory_matrix(history)
        assert np.linalg.norm(matrix, 2) <= bound * (1 + ROUNDING)
        vector = action if instance.actions is None else instance.actions[action]
        np.testing.assert_allclose(
            matrix.T @ vector, instance.feature(history, action), atol=ROUNDING
        )


@every
@settings(deadline=None, max_examples=30)
@given(seed=st.integers(0, 10**6))
def test_two_histories_coincide_after_the_same_m_actions(name: str, seed: int) -> None:
    instance = EVERY[name]
    rng = np.random.default_rng(seed)
    one, other = instance.initial, histories(instance, seed + 1, 3 * instance.memory)[-1]
    for action in random_actions(instance, rng, instance.memory):
        one, other = transition(one, action), transition(other, action)
    if isinstance(instance, MergesHistories):
        assert instance.state(one) == instance.state(other)
    action = random_actions(instance, rng, 1)[0]
    assert np.array_equal(instance.feature(one, action), instance.feature(other, action))


@finite
def test_all_states_coincide_after_the_same_m_actions(name: str) -> None:
    instance = FINITE[name]
    states = reachable_states(instance)
    for seed in range(20):
        at = np.arange(len(states))
        for action in random_actions(instance, np.random.default_rng(seed), instance.memory):
            at = states.following[at, action]
        assert len(set(at.tolist())) == 1


@finite
def test_merged_states_tell_features_and_what_follows(name: str) -> None:
    """Histories with equal states are interchangeable: the listed tables follow every play."""
    instance = FINITE[name]
    states = reachable_states(instance)
    history, state = instance.initial, 0
    for action in random_actions(instance, np.random.default_rng(5), 400):
        phi = states.features[states.feature_of[state, action]]
        assert np.array_equal(phi, instance.feature(history, action))
        history, state = transition(history, action), int(states.following[state, action])


@finite
@pytest.mark.parametrize("discount", [0.5, 0.99, 0.9999])
def test_values_span_at_most_what_lemma_4_1_says(name: str, discount: float) -> None:
    instance = FINITE[name]
    states = reachable_states(instance)
    bound = instance.feature_bound * instance.norm_bound
    drawn = np.random.default_rng(6).uniform(-bound, bound, len(states.features))
    extremes = np.where(drawn > 0, bound, -bound)
    for rewards in (states.features @ instance.theta_star, drawn, extremes):
        table = rewards[states.feature_of]
        plan = policy_iteration(table, states.following, discount, bound, 1000)
        assert plan.converged
        assert plan.span <= 2 * bound * instance.memory


@every
@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 10**6))
def test_no_actions_beat_the_optimum_at_any_time(name: str, seed: int) -> None:
    instance = EVERY[name]
    horizon = 8 * instance.memory
    actions = random_actions(instance, np.random.default_rng(seed), horizon)
    history, rewards = instance.initial, []
    for action in actions:
        rewards.append(mean_reward(instance, history, action))
        history = transition(history, action)
    regret = instance.optimum(horizon) - np.cumsum(rewards)
    bound = instance.feature_bound * instance.norm_bound
    assert (regret >= -1e-9 * bound * np.arange(1, horizon + 1)).all()


@finite
def test_the_optimum_is_the_best_over_all_plays(name: str) -> None:
    instance = FINITE[name]
    states = reachable_states(instance)
    best = largest_sums(states, states.rewards(instance.theta_star), 60)
    np.testing.assert_allclose(instance.optimum(60), best, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("horizon", [1, 2, 4, 6])
def test_the_additive_optimum_is_what_a_general_solver_finds(horizon: int) -> None:
    instance = small_additive()
    d = instance.dimension

    def lost(flat: np.ndarray) -> float:
        history, total = instance.initial, 0.0
        for action in flat.reshape(horizon, d):
            action = action / max(1.0, float(np.linalg.norm(action)))
            total += mean_reward(instance, history, action)
            history = transition(history, action)
        return -total

    rng = np.random.default_rng(7)
    found = [minimize(lost, rng.standard_normal(horizon * d)).fun for _ in range(6)]
    best = instance.optimum(horizon)[-1]
    assert -min(found) == pytest.approx(best, rel=1e-6)
    assert -min(found) <= best * (1 + ROUNDING)
