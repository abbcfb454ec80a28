"""OPT_1, ..., OPT_T of an instance with finitely many memory states, by dynamic programming."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pearl.compiled import compiled
from pearl.environments.memory_instance import Matrix, MemoryInstance, Vector
from pearl.environments.memory_states import MemoryStates, reachable_states

Ints = NDArray[np.int32]


def optimum_by_states(instance: MemoryInstance[int], horizon: int) -> Vector:
    """Return OPT_1, ..., OPT_horizon, float64[horizon], from the instance's reachable states.

    Raises:
        SettingError: as `reachable_states`.
    """
    states = reachable_states(instance)
    return largest_sums(states, states.rewards(instance.theta_star), horizon)


def largest_sums(states: MemoryStates, rewards: Matrix, horizon: int) -> Vector:
    """Return the largest sum of the first 1, 2, ..., horizon rewards from state 0.

    W_t(s), the largest sum of t rewards that ends in s, costs N K steps a round.

    Args:
        states: N states, K actions.
        rewards: float64[N, K].
        horizon: T >= 0.
    """
    return _largest_sums(states.following, rewards, horizon)


@compiled
def _largest_sums(following: Ints, rewards: Matrix, horizon: int) -> Vector:
    n, n_actions = following.shape
    sums = np.full(n, -np.inf)
    sums[0] = 0.0
    ahead = np.empty(n)
    best = np.empty(horizon)
    for t in range(horizon):
        ahead[:] = -np.inf
        for s in range(n):
            if sums[s] > -np.inf:
                for a in range(n_actions):
                    total = sums[s] + rewards[s, a]
                    if total > ahead[following[s, a]]:
                        ahead[following[s, a]] = total
        sums, ahead = ahead, sums
        best[t] = sums.max()
    return best
