"""A step of torch's Adam, compiled: float32, every entry in plain arithmetic and sqrt.

Every entry moves at every step, as in torch: embeddings that the batch doesn't hold drift on with
their moments.
"""

from __future__ import annotations

import math

import numpy as np

from pearl.bandits.network import Adam, Floats32, Weights
from pearl.compiled import compiled

_BETA1, _BETA2, _EPSILON = 0.9, 0.999, 1e-8


@compiled
def descend(weights: Weights, adam: Adam, gradient: Weights, learning_rate: float) -> None:
    """Move the weights by one step against the gradient; weights and state change in place."""
    adam.steps[0] += 1
    step, spread = factors(adam.steps[0], learning_rate)
    m, v = adam.m, adam.v
    move(weights.users, m.users, v.users, gradient.users, step, spread)
    move(weights.w1, m.w1, v.w1, gradient.w1, step, spread)
    move(weights.b1, m.b1, v.b1, gradient.b1, step, spread)
    move(weights.w2, m.w2, v.w2, gradient.w2, step, spread)
    move(weights.b2, m.b2, v.b2, gradient.b2, step, spread)
    move(weights.head, m.head, v.head, gradient.head, step, spread)
    move(weights.bias, m.bias, v.bias, gradient.bias, step, spread)


@compiled
def factors(steps: int, learning_rate: float) -> tuple[np.float32, np.float32]:
    """Return what the moments' start at 0 makes of the step and of the spread in step `steps`."""
    decay1, decay2 = _power(_BETA1, steps), _power(_BETA2, steps)
    step = np.float32(learning_rate / (1.0 - decay1))
    return step, np.float32(1.0 / math.sqrt(1.0 - decay2))


@compiled
def _power(base: float, exponent: int) -> float:
    """base^exponent in about log2(exponent) squarings; pow of libm isn't the same everywhere."""
    result = 1.0
    while exponent > 0:
        if exponent % 2 == 1:
            result *= base
        base *= base
        exponent //= 2
    return result


@compiled
def move(
    w: Floats32, m: Floats32, v: Floats32, gradient: Floats32, step: np.float32, spread: np.float32
) -> None:
    """m, v: the moments; w -= step m / (sqrt(v) spread + epsilon)."""
    new1, new2 = np.float32(1.0 - _BETA1), np.float32(1.0 - _BETA2)
    old2, epsilon = np.float32(_BETA2), np.float32(_EPSILON)
    flat_w, flat_m = w.reshape(-1), m.reshape(-1)
    flat_v, flat_g = v.reshape(-1), gradient.reshape(-1)
    for i in range(len(flat_w)):
        g = flat_g[i]
        flat_m[i] += new1 * (g - flat_m[i])
        flat_v[i] = old2 * flat_v[i] + new2 * (g * g)
        flat_w[i] -= step * flat_m[i] / (np.sqrt(flat_v[i]) * spread + epsilon)
