"""Howard iteration against value iteration and linear solves; the span of Lemma 4.1."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pearl.environments.memory_states import reachable_states
from pearl.environments.random_memory import RandomMemory
from pearl.errors import PearlError
from pearl.memory.howard import improvement_budget, policy_iteration, policy_values


def value_iteration(rewards, following, discount, tolerance):
    values = np.zeros(len(rewards))
    while True:
        ahead = (rewards + discount * values[following]).max(axis=1)
        if np.abs(ahead - values).max() * discount / (1 - discount) <= tolerance:
            return ahead
        values = ahead


@pytest.mark.parametrize(("discount", "agreement"), [(0.9, 1e-13), (0.999, 2e-9)])
@pytest.mark.parametrize("draw", range(5))
def test_equals_value_iteration(draw: int, discount: float, agreement: float) -> None:
    instance = RandomMemory(draw=draw)
    states = reachable_states(instance)
    assert len(states) == 4**3
    rewards = states.rewards(instance.theta_star)
    plan = policy_iteration(rewards, states.following, discount, 1.0, 10_000)
    assert plan.converged
    assert plan.improvements <= 10
    assert plan.residual <= 1e-12
    best = value_iteration(rewards, states.following, discount, agreement / 20)
    assert np.abs(plan.values - best).max() <= agreement
    assert plan.span <= 2 * 3


def random_graph(seed: int, n: int, n_actions: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    following = rng.integers(0, n, size=(n, n_actions), dtype=np.int32)
    return rng.uniform(-1, 1, (n, n_actions)), following


@settings(deadline=None, max_examples=60)
@given(seed=st.integers(0, 10**6), n=st.integers(1, 40), discount=st.floats(0.01, 0.999))
def test_a_policy_is_valued_as_by_a_linear_solve(seed: int, n: int, discount: float) -> None:
    rewards, following = random_graph(seed, n, 3)
    policy = np.random.default_rng(seed + 1).integers(0, 3, n, dtype=np.int32)
    moves = np.zeros((n, n))
    moves[np.arange(n), following[np.arange(n), policy]] = 1
    solved = np.linalg.solve(np.eye(n) - discount * moves, rewards[np.arange(n), policy])
    found = policy_values(rewards, following, policy, discount)
    np.testing.assert_allclose(found, solved, atol=1e-12 / (1 - discount))


@settings(deadline=None, max_examples=60)
@given(seed=st.integers(0, 10**6), n=st.integers(1, 30), discount=st.floats(0.1, 0.99))
def test_no_policy_is_better_on_any_graph(seed: int, n: int, discount: float) -> None:
    rewards, following = random_graph(seed, n, 3)
    plan = policy_iteration(rewards, following, discount, 1.0, 10_000)
    best = value_iteration(rewards, following, discount, 1e-10)
    np.testing.assert_allclose(plan.values, best, atol=1e-9)
    chosen = policy_values(rewards, following, plan.policy, discount)
    np.testing.assert_allclose(chosen, plan.values, atol=1e-9)


def test_rounding_ties_end_and_go_to_the_lowest_action() -> None:
    """All policies are worth the same up to rounding, on cycles of different lengths."""
    n = 60
    rng = np.random.default_rng(0)
    following = rng.integers(0, n, size=(n, 4), dtype=np.int32)
    rewards = np.full((n, 4), 0.1) * (1 + 1e-15 * rng.standard_normal((n, 4)))
    plan = policy_iteration(rewards, following, 0.999, 1.0, 10_000)
    assert plan.converged
    assert plan.improvements == 0
    assert not plan.policy.any()


def test_the_budget_ends_the_improvements() -> None:
    rewards, following = random_graph(2, 200, 4)
    whole = policy_iteration(rewards, following, 0.99, 1.0, 1000)
    assert whole.converged
    assert whole.improvements >= 2
    cut = policy_iteration(rewards, following, 0.99, 1.0, 1)
    assert not cut.converged
    assert cut.improvements == 1
    assert (cut.values <= whole.values + 1e-12).all()
    myopic = policy_iteration(rewards, following, 0.99, 1.0, 0)
    first = rewards.argmax(axis=1).astype(np.int32)
    assert np.array_equal(myopic.values, policy_values(rewards, following, first, 0.99))


def test_the_budget_of_the_theorem() -> None:
    assert improvement_budget(2) == math.ceil(4 * math.log(2))
    assert improvement_budget(10**6) == 27_631_022


def test_rewards_beyond_their_bound_are_told_by_the_residual() -> None:
    rewards, following = random_graph(3, 200, 2)
    with pytest.raises(PearlError, match="residual"):
        policy_iteration(rewards, following, 0.9, 1e-30, 100)
    rewards[:] = np.nan
    with pytest.raises(PearlError, match="residual"):
        policy_iteration(rewards, following, 0.9, 1.0, 100)


@pytest.mark.parametrize("draw", range(20))
@pytest.mark.parametrize("discount", [0.5, 0.99, 0.9999])
def test_lemma_4_1_on_random_instances(draw: int, discount: float) -> None:
    instance = RandomMemory(
        draw=draw, n_actions=3, memory=1 + draw % 4, feature_bound=2.0, norm_bound=3.0
    )
    states = reachable_states(instance)
    rewards = states.rewards(instance.theta_star)
    plan = policy_iteration(rewards, states.following, discount, 6.0, 1000)
    assert 0 < plan.span <= 2 * 6 * instance.memory


@pytest.mark.parametrize("memory", [1, 2, 3, 5])
@pytest.mark.parametrize("discount", [0.5, 0.9, 0.999])
def test_an_adversarial_reward_nearly_attains_the_span(memory: int, discount: float) -> None:
    """+1 as long as the history holds only 1s and -1 elsewhere, until M equal actions washed it.

    After history 1...1 everything pays RS; after 0...0 the first M rounds pay -RS whatever is
    played: span / (2RSM) = (1 - gamma^M) / ((1 - gamma) M).
    """
    histories = list(itertools.product((0, 1), repeat=memory))
    numbers = {history: i for i, history in enumerate(histories)}
    following = np.array(
        [[numbers[(*history[1:], a)] for a in (0, 1)] for history in histories], dtype=np.int32
    )
    rewards = np.array([[1.0 if all(history) else -1.0] * 2 for history in histories])
    plan = policy_iteration(rewards, following, discount, 1.0, 1000)
    expected = (1 - discount**memory) / ((1 - discount) * memory)
    assert plan.span / (2 * memory) == pytest.approx(expected, rel=1e-12)
