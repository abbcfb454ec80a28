"""Mirror descent on the run-length instance, reward by reward; memory.mirror_descent, compiled.

Features are multiples of coordinate vectors, so H is diagonal: an update moves one entry of the
estimate, and the projection on the ball in H's norm solves one equation in one unknown.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pearl.compiled import compiled

Floats = NDArray[np.float64]


class DescentRules(NamedTuple):
    """What an update needs: `values` are R S u, per action once it pays."""

    values: Floats
    feature_bound: float
    norm_bound: float
    noise: float


@compiled
def _project(theta: Floats, slope: Floats, bound: float) -> None:
    """Move theta to the nearest point of the ball |theta| <= bound in the norm of diagonal H.

    Newton's steps on 1 / |theta(nu)| - 1 / bound from nu = 0; see memory.mirror_descent.
    """
    nu = 0.0
    while True:
        square, decay = 0.0, 0.0
        for i in range(len(theta)):
            inverse = 1.0 / (slope[i] + nu)
            entry = slope[i] * theta[i] * inverse
            square += entry * entry
            decay += entry * entry * inverse
        length = math.sqrt(square)
        following = nu + (length / bound - 1.0) * square / decay
        if not following > nu:
            break
        nu = following
        if length <= bound * (1.0 + 1e-14):
            break
    for i in range(len(theta)):
        theta[i] *= slope[i] / (slope[i] + nu)


@compiled
def descend(
    rules: DescentRules, sums: Floats, theta: Floats, slope: Floats, arm: int, s: int, n: int
) -> None:
    """Take in n informative rounds of an action from round s on, in their order."""
    gain = rules.feature_bound / rules.noise**2
    limit = rules.norm_bound**2
    others = 0.0
    for i in range(len(theta)):
        if i != arm:
            others += theta[i] * theta[i]
    for t in range(s, s + n):
        reward = rules.values[arm] + rules.noise * (sums[t] - sums[t - 1])
        slope[arm] += gain * rules.feature_bound
        theta[arm] -= gain * (rules.feature_bound * theta[arm] - reward) / slope[arm]
        if others + theta[arm] * theta[arm] > limit:
            _project(theta, slope, rules.norm_bound)
            others = 0.0
            for i in range(len(theta)):
                if i != arm:
                    others += theta[i] * theta[i]
