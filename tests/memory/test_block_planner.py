"""The best block against all blocks."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from pearl.environments.memory_states import reachable_states
from pearl.environments.random_memory import RandomMemory
from pearl.memory.block_planner import best_block


def value(states, scores, state: int, memory: int, block) -> float:
    total = 0.0
    for i, action in enumerate(block):
        total += scores[state, action] if i >= memory else 0.0
        state = states.following[state, action]
    return total


@pytest.mark.parametrize("draw", range(4))
@pytest.mark.parametrize(("memory", "informative"), [(1, 5), (2, 4), (3, 1), (3, 5)])
def test_equals_all_blocks(draw: int, memory: int, informative: int) -> None:
    instance = RandomMemory(draw=draw, n_actions=2, memory=memory)
    states = reachable_states(instance)
    scores = states.rewards(instance.theta_star)
    values = [
        (value(states, scores, 0, memory, block), block)
        for block in itertools.product(range(2), repeat=memory + informative)
    ]
    found = best_block(scores, states.following, 0, memory, informative, 1e-12)
    best = max(total for total, _ in values)
    assert value(states, scores, 0, memory, found) == pytest.approx(best, rel=1e-12)
    first = next(block for total, block in values if total >= best - 1e-13)
    assert tuple(found.tolist()) == first


@pytest.mark.parametrize("state", [0, 5, 26])
def test_what_was_played_before_decides_nothing(state: int) -> None:
    instance = RandomMemory(draw=5, n_actions=3, memory=3)
    states = reachable_states(instance)
    scores = states.rewards(instance.theta_star)
    blocks = [best_block(scores, states.following, s, 3, 20, 1e-12) for s in (0, state)]
    assert np.array_equal(*blocks)


def test_ties_go_to_the_lowest_action() -> None:
    states = reachable_states(RandomMemory(n_actions=3, memory=2))
    scores = np.full((9, 3), 0.1)
    assert not best_block(scores, states.following, 4, 2, 30, 1e-12).any()
