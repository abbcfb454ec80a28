"""The best whole block of a fixed length on listed memory states, by backward induction.

A block of M + L actions is chosen for the scores of its last L rounds alone; by then its own
actions make up the history, so that what was played before it decides nothing.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pearl.compiled import compiled

Matrix = NDArray[np.float64]
Ints = NDArray[np.int32]


def best_block(
    scores: Matrix, following: Ints, state: int, memory: int, informative: int, tie: float
) -> Ints:
    """Return int32[M + L], the actions that maximise the sum of the last L scores.

    It takes (M + L) N K steps and 2 (M + L) N bytes.

    Args:
        scores: float64[N, K], of either sign.
        following: int32[N, K], the state f(s, a).
        state: where the block begins.
        memory: M >= 1.
        informative: L >= 1.
        tie: what lies within this fraction of the best ties with it; the lowest action is taken.
    """
    choices = np.empty((memory + informative, len(scores)), dtype=np.uint16)
    _choose(scores, following, memory, tie, choices)
    block = np.empty(len(choices), dtype=np.int32)
    for i, choice in enumerate(choices):
        block[i] = choice[state]
        state = following[state, block[i]]
    return block


@compiled
def _choose(
    scores: Matrix, following: Ints, memory: int, tie: float, choices: NDArray[np.uint16]
) -> None:
    """Fill the best action of every round of the block and state."""
    n, n_actions = scores.shape
    ahead, now = np.zeros(n), np.empty(n)
    values = np.empty(n_actions)
    for i in range(len(choices) - 1, -1, -1):
        for s in range(n):
            for a in range(n_actions):
                values[a] = ahead[following[s, a]]
                if i >= memory:
                    values[a] += scores[s, a]
            best = values.max()
            for a in range(n_actions):
                if values[a] >= best - tie * abs(best):
                    choices[i, s] = a
                    break
            now[s] = best
        ahead, now = now, ahead
