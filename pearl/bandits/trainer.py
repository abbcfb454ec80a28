"""The trainer, compiled: forward, backward and Adam in float32, bit-equal on every machine.

No BLAS, no fused or reordered arithmetic, no libm but sqrt: every output of a matrix product is one
sum in a fixed order, and the innermost loops run over independent outputs, which vectorise as they
are. Adam is torch's: every entry moves at every step, embeddings that the batch doesn't hold too.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pearl.bandits.network import Adam, Floats32, Weights
from pearl.compiled import compiled

Ints = NDArray[np.int64]

_BETA1, _BETA2, _EPSILON = 0.9, 0.999, 1e-8
_LOG2E = 1.4426950408889634
_LN2_HIGH = 6.93147180369123816490e-01  # 32 bits: a multiple by a small integer is exact
_LN2_LOW = 1.90821492927058770002e-10


class _Batch(NamedTuple):
    """Work space of a gradient step: n rows, K inputs, d outputs a layer."""

    x: Floats32  # (n, K)
    g1: Floats32  # (n, d), what comes out of the first layer
    g2: Floats32  # (n, d)
    slope1: Floats32  # (n, d), 0 where ReLU or dropout closes, else 1 / (1 - p)
    slope2: Floats32  # (n, d)
    d1: Floats32  # (n, d), the loss by the first layer's pre-activations
    d2: Floats32  # (n, d)
    logits: Floats32  # (n,)
    d_logits: Floats32  # (n,)
    w2_turned: Floats32  # (d, d)
    e_turned: Floats32  # (d, E)
    d_embedding: Floats32  # (n, E), the loss by the damped embedding


@compiled
def exp(x: float) -> float:
    """e^x in pure arithmetic, within 1 ulp; 0 below -708, infinite above 709."""
    if x < -708.0:
        return 0.0
    if x > 709.0:
        return np.inf
    k = math.floor(x * _LOG2E + 0.5)
    r = (x - k * _LN2_HIGH) - k * _LN2_LOW
    # Taylor's series on |r| <= ln(2) / 2: the first term left out is 5e-18
    p = 1.0 / 6227020800.0
    p = p * r + 1.0 / 479001600.0
    p = p * r + 1.0 / 39916800.0
    p = p * r + 1.0 / 3628800.0
    p = p * r + 1.0 / 362880.0
    p = p * r + 1.0 / 40320.0
    p = p * r + 1.0 / 5040.0
    p = p * r + 1.0 / 720.0
    p = p * r + 1.0 / 120.0
    p = p * r + 1.0 / 24.0
    p = p * r + 1.0 / 6.0
    p = p * r + 0.5
    return math.ldexp(1.0 + (r + r * r * p), int(k))


@compiled
def sigmoid(x: float) -> float:
    """1 / (1 + e^-x) in pure arithmetic."""
    e = exp(-abs(x))
    return 1.0 / (1.0 + e) if x >= 0.0 else e / (1.0 + e)


@compiled
def log1p(y: float) -> float:
    """log(1 + y) for y in [0, 1] in pure arithmetic."""
    z = y / (2.0 + y)
    total = 0.0
    for n in range(33, 0, -2):
        total = total * z * z + 1.0 / n
    return 2.0 * z * total


@compiled
def multiply(a: Floats32, b: Floats32, out: Floats32) -> None:
    """out += a b, every entry of it summed in the order of a's columns."""
    n, depth = a.shape
    width = b.shape[1]
    whole = depth - depth % 4
    for i in range(0, n - 1, 2):
        p, q = out[i], out[i + 1]
        for k in range(0, whole, 4):
            p0, p1, p2, p3 = a[i, k], a[i, k + 1], a[i, k + 2], a[i, k + 3]
            q0, q1, q2, q3 = a[i + 1, k], a[i + 1, k + 1], a[i + 1, k + 2], a[i + 1, k + 3]
            b0, b1, b2, b3 = b[k], b[k + 1], b[k + 2], b[k + 3]
            for j in range(width):
                p[j] = (((p[j] + p0 * b0[j]) + p1 * b1[j]) + p2 * b2[j]) + p3 * b3[j]
                q[j] = (((q[j] + q0 * b0[j]) + q1 * b1[j]) + q2 * b2[j]) + q3 * b3[j]
        for k in range(whole, depth):
            p0, q0, b0 = a[i, k], a[i + 1, k], b[k]
            for j in range(width):
                p[j] += p0 * b0[j]
                q[j] += q0 * b0[j]
    if n % 2 == 1:
        p = out[n - 1]
        for k in range(depth):
            p0, b0 = a[n - 1, k], b[k]
            for j in range(width):
                p[j] += p0 * b0[j]


@compiled
def _gather(
    s: _Batch,
    weights: Weights,
    stated: Floats32,
    embeddings: Floats32,
    share: Floats32,
    users: Ints,
    arms: Ints,
) -> None:
    """Fill the inputs [s_u; share_u e(u); z]."""
    S, E, Z = stated.shape[1], weights.users.shape[1], embeddings.shape[1]
    for i in range(len(users)):
        u, x = users[i], s.x[i]
        for j in range(S):
            x[j] = stated[u, j]
        for j in range(E):
            x[S + j] = share[u] * weights.users[u, j]
        for j in range(Z):
            x[S + E + j] = embeddings[arms[i], j]


@compiled
def _layer(
    x: Floats32,
    w: Floats32,
    b: Floats32,
    kept: NDArray[np.bool_],
    scale: np.float32,
    g: Floats32,
    slope: Floats32,
) -> None:
    """Fill g = dropout(relu(x w + b)) and its slope."""
    zero = np.float32(0.0)
    for i in range(len(x)):
        g[i] = b
    multiply(x, w, g)
    for i in range(len(x)):
        row, steep, keeps = g[i], slope[i], kept[i]
        for j in range(len(b)):
            t = scale if keeps[j] and row[j] > zero else zero
            steep[j] = t
            row[j] *= t


@compiled
def _forward(s: _Batch, weights: Weights, kept: NDArray[np.bool_], scale: np.float32) -> None:
    _layer(s.x, weights.w1, weights.b1, kept[:, 0], scale, s.g1, s.slope1)
    _layer(s.g1, weights.w2, weights.b2, kept[:, 1], scale, s.g2, s.slope2)
    for i in range(len(s.x)):
        logit = weights.bias[0]
        for j in range(len(weights.head)):
            logit += s.g2[i, j] * weights.head[j]
        s.logits[i] = logit


@compiled
def _squared(logits: Floats32, rewards: Floats32, d_logits: Floats32) -> float:
    """Return the sum of (mu - r)^2 and fill the mean's gradient."""
    total, n = 0.0, len(logits)
    for i in range(n):
        mu = sigmoid(float(logits[i]))
        error = mu - float(rewards[i])
        total += error * error
        d_logits[i] = 2.0 * error * mu * (1.0 - mu) / n
    return total


@compiled
def _bradley_terry(logits: Floats32, d_logits: Floats32) -> float:
    """Return the sum of -log sigmoid(better - worse) and fill the mean's gradient."""
    total, n = 0.0, len(logits) // 2
    for i in range(n):
        margin = float(logits[2 * i]) - float(logits[2 * i + 1])
        total += max(0.0, -margin) + log1p(exp(-abs(margin)))
        slope = sigmoid(-margin) / n
        d_logits[2 * i] = -slope
        d_logits[2 * i + 1] = slope
    return total


@compiled
def _backward(s: _Batch, weights: Weights, gradient: Weights, stated: int) -> None:
    """Fill the gradient of everything but the embeddings; those of the batch go to d_embedding."""
    n, d, E = len(s.x), len(weights.head), weights.users.shape[1]
    for array in (gradient.b1, gradient.b2, gradient.head, gradient.bias):
        array[:] = np.float32(0.0)
    for i in range(n):
        slope = s.d_logits[i]
        gradient.bias[0] += slope
        for j in range(d):
            gradient.head[j] += slope * s.g2[i, j]
            s.d2[i, j] = slope * weights.head[j] * s.slope2[i, j]
            gradient.b2[j] += s.d2[i, j]
    gradient.w2[:] = np.float32(0.0)
    multiply(s.g1.T, s.d2, gradient.w2)

    for j in range(d):
        for k in range(d):
            s.w2_turned[k, j] = weights.w2[j, k]
    s.d1[:] = np.float32(0.0)
    multiply(s.d2, s.w2_turned, s.d1)
    for i in range(n):
        for j in range(d):
            s.d1[i, j] *= s.slope1[i, j]
            gradient.b1[j] += s.d1[i, j]
    gradient.w1[:] = np.float32(0.0)
    multiply(s.x.T, s.d1, gradient.w1)

    if E > 0:
        for j in range(E):
            for k in range(d):
                s.e_turned[k, j] = weights.w1[stated + j, k]
        s.d_embedding[:] = np.float32(0.0)
        multiply(s.d1, s.e_turned, s.d_embedding)


@compiled
def _adam(
    w: Floats32,
    m: Floats32,
    v: Floats32,
    gradient: Floats32,
    step: np.float32,
    spread: np.float32,
) -> None:
    """One step of Adam: step = rate / (1 - b1^t), spread = 1 / sqrt(1 - b2^t)."""
    flat_w, flat_m, flat_v, flat_g = w.ravel(), m.ravel(), v.ravel(), gradient.ravel()
    fresh1, fresh2 = np.float32(1.0 - _BETA1), np.float32(1.0 - _BETA2)
    old2, epsilon = np.float32(_BETA2), np.float32(_EPSILON)
    for i in range(len(flat_w)):
        g = flat_g[i]
        flat_m[i] += fresh1 * (g - flat_m[i])
        flat_v[i] = old2 * flat_v[i] + fresh2 * (g * g)
        flat_w[i] -= step * flat_m[i] / (np.sqrt(flat_v[i]) * spread + epsilon)


@compiled
def train(
    weights: Weights,
    adam: Adam,
    stated: Floats32,
    embeddings: Floats32,
    share: Floats32,
    users: Ints,
    arms: Ints,
    rewards: Floats32,
    kept: NDArray[np.bool_],
    dropout: float,
    batch: int,
    learning_rate: float,
    pairwise: bool,
) -> float:
    """Pass once over rows in their order, one step of Adam every `batch` rows.

    Args:
        weights, adam: change in place.
        stated, embeddings: stated features (U, S) and arms' features (M, Z).
        share: the factor of every user's learned embedding (U,).
        users, arms: every row's user and arm (n,).
        rewards: every row's reward (n,); unused where pairwise.
        kept: the outputs of both layers that dropout keeps (n, 2, d).
        dropout: the probability that the kept were drawn with.
        batch: rows a step, even where pairwise.
        learning_rate: Adam's.
        pairwise: rows 2i and 2i + 1 are the better and the worse of a pair: Bradley-Terry; else
            mean squared error of the sigmoid.

    Returns:
        The loss, summed over rows or pairs.
    """
    S, E, Z, d = stated.shape[1], weights.users.shape[1], embeddings.shape[1], len(weights.head)
    rows = min(batch, len(users))
    space = _Batch(
        np.empty((rows, S + E + Z), np.float32),
        np.empty((rows, d), np.float32),
        np.empty((rows, d), np.float32),
        np.empty((rows, d), np.float32),
        np.empty((rows, d), np.float32),
        np.empty((rows, d), np.float32),
        np.empty((rows, d), np.float32),
        np.empty(rows, np.float32),
        np.empty(rows, np.float32),
        np.empty((d, d), np.float32),
        np.empty((d, E), np.float32),
        np.empty((rows, E), np.float32),
    )
    gradient = Weights(
        np.zeros_like(weights.users),
        np.empty_like(weights.w1),
        np.empty_like(weights.b1),
        np.empty_like(weights.w2),
        np.empty_like(weights.b2),
        np.empty_like(weights.head),
        np.empty_like(weights.bias),
    )
    scale = np.float32(1.0 / (1.0 - dropout))
    decay1, decay2 = 1.0, 1.0
    for _ in range(adam.steps[0]):
        decay1 *= _BETA1
        decay2 *= _BETA2
    total = 0.0
    for start in range(0, len(users), batch):
        end = min(start + batch, len(users))
        n = end - start
        s = space
        if n < rows:
            s = _Batch(
                space.x[:n],
                space.g1[:n],
                space.g2[:n],
                space.slope1[:n],
                space.slope2[:n],
                space.d1[:n],
                space.d2[:n],
                space.logits[:n],
                space.d_logits[:n],
                space.w2_turned,
                space.e_turned,
                space.d_embedding[:n],
            )
        _gather(s, weights, stated, embeddings, share, users[start:end], arms[start:end])
        _forward(s, weights, kept[start:end], scale)
        if pairwise:
            total += _bradley_terry(s.logits, s.d_logits)
        else:
            total += _squared(s.logits, rewards[start:end], s.d_logits)
        _backward(s, weights, gradient, S)
        for i in range(n):
            u = users[start + i]
            for j in range(E):
                gradient.users[u, j] += share[u] * s.d_embedding[i, j]
        adam.steps[0] += 1
        decay1 *= _BETA1
        decay2 *= _BETA2
        step = np.float32(learning_rate / (1.0 - decay1))
        spread = np.float32(1.0 / math.sqrt(1.0 - decay2))
        _adam(weights.users, adam.m.users, adam.v.users, gradient.users, step, spread)
        _adam(weights.w1, adam.m.w1, adam.v.w1, gradient.w1, step, spread)
        _adam(weights.b1, adam.m.b1, adam.v.b1, gradient.b1, step, spread)
        _adam(weights.w2, adam.m.w2, adam.v.w2, gradient.w2, step, spread)
        _adam(weights.b2, adam.m.b2, adam.v.b2, gradient.b2, step, spread)
        _adam(weights.head, adam.m.head, adam.v.head, gradient.head, step, spread)
        _adam(weights.bias, adam.m.bias, adam.v.bias, gradient.bias, step, spread)
        for i in range(n):
            for j in range(E):
                gradient.users[users[start + i], j] = np.float32(0.0)
    return total
