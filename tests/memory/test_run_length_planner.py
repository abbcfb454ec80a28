"""The literal planner against brute force and against the comparison of constant actions."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pearl.memory.run_length_planner import RunStates, action_values, best_action, best_block


def test_states_remember_the_last_action_and_its_run() -> None:
    states = RunStates(dimension=3, memory=2)
    assert states.next[states.number(1, 1)].tolist() == [
        states.number(0, 1),
        states.number(1, 2),
        states.number(2, 1),
    ]
    assert states.next[states.number(1, 2), 1] == states.number(1, 2) == states.number(1, 9)
    table = states.rewards(np.array([5.0, 6.0, 7.0]))
    assert table.sum() == 18
    assert table[states.number(2, 2), 2] == 7


@pytest.mark.parametrize("discount", [0.5, 0.9, 0.99])
@pytest.mark.parametrize("memory", [1, 2, 5])
def test_policy_iteration_agrees_with_value_iteration(memory: int, discount: float) -> None:
    states = RunStates(3, memory)
    for seed in range(20):
        scores = np.random.default_rng(seed).uniform(-1, 1, 3)
        rewards, value = states.rewards(scores), np.zeros(3 * memory)
        for _ in range(int(40 / (1 - discount))):
            value = (rewards + discount * value[states.next]).max(axis=1)
        found = action_values(states, scores, discount, 1.0)
        np.testing.assert_allclose(
            found, rewards + discount * value[states.next], rtol=0, atol=1e-10 / (1 - discount)
        )


@settings(max_examples=100, deadline=None, derandomize=True)
@given(
    scores=st.lists(st.floats(0.01, 1), min_size=2, max_size=4),
    memory=st.integers(1, 6),
    discount=st.sampled_from([0.5, 0.9, 0.9999]),
    data=st.data(),
)
def test_constant_actions_attain_j_where_a_score_is_positive(
    scores, memory, discount, data
) -> None:
    d = len(scores)
    last, run = data.draw(st.integers(0, d - 1)), data.draw(st.integers(1, memory))
    waits = [memory - run if arm == last else memory for arm in range(d)]
    returns = np.array(
        [discount**w * s / (1 - discount) for w, s in zip(waits, scores, strict=True)]
    )
    states = RunStates(d, memory)
    values = action_values(states, np.array(scores), discount, 1.0)[states.number(last, run)]
    assert values.max() == pytest.approx(returns.max(), rel=1e-12)
    assert best_action(values, discount, 1.0) == best_action(returns, discount, 1.0)


def test_equal_values_go_to_the_lowest_action() -> None:
    assert best_action(np.array([1.0, 2.0 - 1e-13, 2.0]), 0.9, 1.0) == 1
    assert best_action(np.array([1.0, 2.0 - 1e-10, 2.0]), 0.9, 1.0) == 2


@pytest.mark.parametrize("scores", [[0.3, 0.7], [0.7, 0.7], [-0.2, 0.1], [-0.2, -0.1], [1.0, -2.0]])
@pytest.mark.parametrize(("memory", "length"), [(1, 1), (1, 4), (2, 3), (3, 2), (2, 7)])
def test_a_block_is_the_best_of_all_sequences(scores, memory: int, length: int) -> None:
    def worth(block):
        informs = (i for i in range(memory, len(block)) if len({*block[i - memory : i + 1]}) == 1)
        return sum(scores[block[i]] for i in informs)

    every = product(range(2), repeat=memory + length)
    chosen = best_block(RunStates(2, memory), np.array(scores), length)
    assert len(chosen) == memory + length
    assert worth(chosen) == pytest.approx(max(worth(block) for block in every), abs=1e-12)


def test_a_block_of_negative_scores_keeps_every_feature_zero() -> None:
    assert best_block(RunStates(3, 2), -np.ones(3), 5) == [0, 0, 1, 0, 0, 1, 0]
