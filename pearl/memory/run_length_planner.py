"""Exact plans on the run-length instance's states: the last action and the length of its run.

With the run capped at M there are d M states; a round pays only at run M, and only for repeating
the action. This is the slow and literal planner, the measure of the event-driven loops.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pearl.memory.ties import TIE_TOLERANCE, tied_best

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
States = NDArray[np.int64]

NEGLIGIBLE = 1e-20
"""A discount factor that adds nothing to a value in double precision."""


class RunStates:
    """The states (i, l) of d actions and runs l = 1, ..., M, numbered i M + l - 1.

    Attributes:
        next: int64[d M, d], the state after each action.
    """

    def __init__(self, dimension: int, memory: int) -> None:
        self.dimension, self.memory = dimension, memory
        last = np.repeat(np.arange(dimension), memory)
        run = np.tile(np.arange(1, memory + 1), dimension)
        fresh = np.arange(dimension) * memory
        self.next: States = np.tile(fresh, (dimension * memory, 1))
        states = np.arange(dimension * memory)
        self.next[states, last] = last * memory + np.minimum(run + 1, memory) - 1

    def number(self, last: int, run: int) -> int:
        """Return the state of the last action and its run, capped at M."""
        return last * self.memory + min(run, self.memory) - 1

    def rewards(self, scores: Vector) -> Matrix:
        """Return float64[d M, d]: `scores`[i] for repeating i at run M, 0 elsewhere."""
        table = np.zeros_like(self.next, dtype=np.float64)
        arms = np.arange(self.dimension)
        table[arms * self.memory + self.memory - 1, arms] = scores
        return table


def action_values(states: RunStates, scores: Vector, discount: float, bound: float) -> Matrix:
    """Return Q of the optimal discounted values, float64[d M, d], by Howard's policy iteration.

    The incumbent action stays unless another improves Q by more than 1e-12 B / (1 - gamma).

    Args:
        states: the d M states.
        scores: float64[d], the optimistic reward of each action at run M, within [-B, B].
        discount: gamma.
        bound: B = R S.
    """
    rewards = states.rewards(scores)
    tolerance = TIE_TOLERANCE * bound / (1 - discount)
    everywhere = np.arange(len(rewards))
    policy = rewards.argmax(axis=1)
    while True:
        value = _evaluated(states.next[everywhere, policy], rewards[everywhere, policy], discount)
        found: Matrix = rewards + discount * value[states.next]
        better = found.max(axis=1) > found[everywhere, policy] + tolerance
        if not better.any():
            return found
        policy = np.where(better, found.argmax(axis=1), policy)


def best_action(values: Vector, discount: float, bound: float) -> int:
    """Return the lowest action whose Q is within 1e-12 B / (1 - gamma) of the largest."""
    tolerance = TIE_TOLERANCE * bound / (1 - discount)
    return int(np.flatnonzero(values >= values.max() - tolerance)[0])


def best_block(states: RunStates, scores: Vector, length: int) -> list[int]:
    """Return M + L actions that maximise the sum of the scores of the last L rounds.

    A round's score depends on the block's own last M actions, whatever was played before the
    block. By backward induction; ties, to 1e-12 of the best, go to the lowest action.

    Args:
        states: the d M states.
        scores: float64[d], the score of each action at run M, of either sign.
        length: L >= 1.
    """
    memory, rewards = states.memory, states.rewards(scores)
    to_go = np.zeros(len(rewards))
    values = []
    for rounds_before in range(memory + length - 1, 0, -1):
        paid = rewards if rounds_before >= memory else np.zeros_like(rewards)
        values.append(paid + to_go[states.next])
        to_go = values[-1].max(axis=1)
    first = to_go[states.number(0, 1) + memory * np.arange(states.dimension)]
    block = [int(tied_best(first)[0])]
    state = states.number(block[0], 1)
    for table in reversed(values):
        block.append(int(tied_best(table[state])[0]))
        state = int(states.next[state, block[-1]])
    return block


def _evaluated(following: States, rewards: Vector, discount: float) -> Vector:
    """Return the discounted sums along a policy, by doubling the number of rounds summed."""
    value, factor = rewards.copy(), discount
    while factor > NEGLIGIBLE:
        value = value + factor * value[following]
        following, factor = following[following], factor * factor
    return value
