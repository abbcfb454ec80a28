"""The round-by-round loop over the run-length instance, literally."""

from __future__ import annotations

from collections import deque

import numpy as np
from numpy.typing import NDArray

from pearl.environments.run_length import RunLength
from pearl.memory.run_length_method import RunLengthMethod
from pearl.simulation.run_length_play import Play
from pearl.simulation.run_length_policies import policy_of

Vector = NDArray[np.float64]


def play_rounds(
    instance: RunLength, method: RunLengthMethod, sums: Vector
) -> tuple[list[Play], Vector]:
    """Play every history one round at a time; slow, and the measure of the event-driven loops.

    Args:
        instance: where.
        method: who.
        sums: float64[T + 1], prefix sums of the noise over sigma.

    Returns:
        One play a history, and float64[T], the mean over the histories of the mean rewards to
        date, summed round by round.
    """
    horizon = len(sums) - 1
    noise = instance.noise * np.diff(sums)
    plays, earned = [], np.zeros(horizon)
    for history in instance.histories:
        policy = policy_of(instance, method, horizon)
        recent = deque(history.tolist(), maxlen=instance.memory)
        actions = np.empty(horizon, dtype=np.int64)
        for t in range(1, horizon + 1):
            arm = policy.act(t, recent)
            feature = instance.feature(recent, arm)
            mean = float(feature @ instance.theta_star)
            policy.learn(feature, mean + noise[t - 1])
            recent.append(arm)
            actions[t - 1] = arm
            earned[t - 1] += mean
        starts = np.array(policy.starts, dtype=np.int64)
        plays.append(Play(actions, np.ones_like(actions), starts, policy.informative))
    return plays, np.cumsum(earned) / len(plays)
