"""The network's loss and gradient on a batch, compiled: float32, bit-equal on every machine.

No BLAS, no fused or reordered arithmetic, no libm: every entry of a matrix product is one sum in a
fixed order, and the innermost loops run over independent outputs, which vectorise as they are.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pearl.bandits.network import Floats32, Weights
from pearl.compiled import compiled

Numbers = NDArray[np.floating]

_LOG2E = 1.4426950408889634
_LN2_HIGH = 6.93147180369123816490e-01  # 32 bits: a multiple by a small integer is exact
_LN2_LOW = 1.90821492927058770002e-10


class Batch(NamedTuple):
    """The rows of a batch, n of them, and the room that their gradient takes."""

    x: Floats32
    """Inputs (n, S + E + Z)."""
    g1: Floats32
    """What comes out of the first layer (n, d)."""
    g2: Floats32
    """What comes out of the second (n, d)."""
    slope1: Floats32
    """What ReLU and dropout multiply the first layer by: 0 or 1 / (1 - p) (n, d)."""
    slope2: Floats32
    d1: Floats32
    """The loss by the first layer before ReLU (n, d)."""
    d2: Floats32
    logits: Floats32
    """(n,)"""
    d_logits: Floats32
    d_embedding: Floats32
    """The loss by the inputs that the learned embeddings gave (n, E)."""


@compiled
def exp(x: float) -> float:
    """e^x for x <= 0 in pure arithmetic, within 1 ulp; 0 below -708."""
    if x < -708.0:
        return 0.0
    n = math.floor(x * _LOG2E + 0.5)
    high = x - n * _LN2_HIGH
    low = n * _LN2_LOW
    r = high - low
    # Taylor's series from its second term on; |r| <= ln(2) / 2, so what is left out is below 5e-18
    p = 1.0
    for k in range(13, 2, -1):
        p = 1.0 + p * r / k
    lost = (high - r) - low  # what rounding took from r
    return math.ldexp(1.0 + (r + (0.5 * r * r * p + lost)), int(n))


@compiled
def sigmoid(x: float) -> float:
    """1 / (1 + e^-x) in pure arithmetic."""
    e = exp(-abs(x))
    return 1.0 / (1.0 + e) if x >= 0.0 else e / (1.0 + e)


@compiled
def sigmoids(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """1 / (1 + e^-x) of every entry."""
    out = np.empty(x.shape)
    flat, entries = out.reshape(-1), x.reshape(-1)
    for i in range(len(flat)):
        flat[i] = sigmoid(entries[i])
    return out


@compiled
def exps(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """e^x of every entry, of either sign."""
    out = np.empty(x.shape)
    flat, entries = out.reshape(-1), x.reshape(-1)
    for i in range(len(flat)):
        small = exp(-abs(entries[i]))
        flat[i] = 1.0 / small if entries[i] > 0.0 else small
    return out


@compiled
def softpluses(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """log(1 + e^x) of every entry."""
    out = np.empty(x.shape)
    flat, entries = out.reshape(-1), x.reshape(-1)
    for i in range(len(flat)):
        flat[i] = max(0.0, entries[i]) + log1p(exp(-abs(entries[i])))
    return out


@compiled
def log1p(y: float) -> float:
    """log(1 + y) for y in [0, 1] in pure arithmetic: 2 artanh(y / (2 + y))."""
    z = y / (2.0 + y)
    total = 0.0
    for n in range(33, 0, -2):
        total = total * z * z + 1.0 / n
    return 2.0 * z * total


@compiled
def multiply(a: Numbers, b: Numbers, out: Numbers) -> None:
    """out += a b, every entry summed in the order of a's columns.

    Two rows by eight columns of a at a time, so that what is loaded of b and out serves 16 terms.
    """
    n, depth = a.shape
    width = b.shape[1]
    whole = depth - depth % 8
    for i in range(0, n - 1, 2):
        p, q = out[i], out[i + 1]
        for k in range(0, whole, 8):
            p0, p1, p2, p3 = a[i, k], a[i, k + 1], a[i, k + 2], a[i, k + 3]
            p4, p5, p6, p7 = a[i, k + 4], a[i, k + 5], a[i, k + 6], a[i, k + 7]
            q0, q1, q2, q3 = a[i + 1, k], a[i + 1, k + 1], a[i + 1, k + 2], a[i + 1, k + 3]
            q4, q5, q6, q7 = a[i + 1, k + 4], a[i + 1, k + 5], a[i + 1, k + 6], a[i + 1, k + 7]
            b0, b1, b2, b3 = b[k], b[k + 1], b[k + 2], b[k + 3]
            b4, b5, b6, b7 = b[k + 4], b[k + 5], b[k + 6], b[k + 7]
            for j in range(width):
                t = (((p[j] + p0 * b0[j]) + p1 * b1[j]) + p2 * b2[j]) + p3 * b3[j]
                p[j] = (((t + p4 * b4[j]) + p5 * b5[j]) + p6 * b6[j]) + p7 * b7[j]
                t = (((q[j] + q0 * b0[j]) + q1 * b1[j]) + q2 * b2[j]) + q3 * b3[j]
                q[j] = (((t + q4 * b4[j]) + q5 * b5[j]) + q6 * b6[j]) + q7 * b7[j]
    odd = n - n % 2
    for i in range(n):
        p = out[i]
        for k in range(0 if i == odd else whole, depth):
            factor, row = a[i, k], b[k]
            for j in range(width):
                p[j] += factor * row[j]


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
        outputs, slopes, keeps = g[i], slope[i], kept[i]
        for j in range(len(b)):
            slopes[j] = scale if keeps[j] and outputs[j] > zero else zero
            outputs[j] *= slopes[j]


@compiled
def _squared(logits: Floats32, rewards: Floats32, d_logits: Floats32) -> float:
    """Return the sum of (mu - r)^2 and fill their mean's gradient."""
    total, n = 0.0, len(logits)
    for i in range(n):
        mu = sigmoid(float(logits[i]))
        error = mu - float(rewards[i])
        total += error * error
        d_logits[i] = 2.0 * error * mu * (1.0 - mu) / n
    return total


@compiled
def _bradley_terry(logits: Floats32, d_logits: Floats32) -> float:
    """Return the sum of -log sigmoid(better - worse) and fill their mean's gradient."""
    total, n = 0.0, len(logits) // 2
    for i in range(n):
        margin = float(logits[2 * i]) - float(logits[2 * i + 1])
        total += max(0.0, -margin) + log1p(exp(-abs(margin)))
        slope = sigmoid(-margin) / n
        d_logits[2 * i] = -slope
        d_logits[2 * i + 1] = slope
    return total


@compiled
def _backward(s: Batch, weights: Weights, stated: int, gradient: Weights) -> None:
    """Fill d1, d2, d_embedding and the gradient of everything but the embeddings."""
    zero = np.float32(0.0)
    n, d, E = len(s.x), len(weights.head), s.d_embedding.shape[1]
    for array in (gradient.b1, gradient.b2, gradient.head, gradient.bias):
        array[:] = zero
    for i in range(n):
        slope = s.d_logits[i]
        gradient.bias[0] += slope
        for j in range(d):
            gradient.head[j] += slope * s.g2[i, j]
            s.d2[i, j] = slope * weights.head[j] * s.slope2[i, j]
            gradient.b2[j] += s.d2[i, j]
    gradient.w2[:] = zero
    multiply(s.g1.T, s.d2, gradient.w2)

    s.d1[:] = zero
    multiply(s.d2, weights.w2.T.copy(), s.d1)
    for i in range(n):
        for j in range(d):
            s.d1[i, j] *= s.slope1[i, j]
            gradient.b1[j] += s.d1[i, j]
    gradient.w1[:] = zero
    multiply(s.x.T, s.d1, gradient.w1)

    s.d_embedding[:] = zero
    if E > 0:
        multiply(s.d1, weights.w1[stated : stated + E].T.copy(), s.d_embedding)


@compiled
def differentiate(
    s: Batch,
    weights: Weights,
    stated: int,
    kept: NDArray[np.bool_],
    scale: float,
    rewards: Floats32,
    pairwise: bool,
    gradient: Weights,
) -> float:
    """Fill the gradient of the batch's mean loss, for the embeddings in s.d_embedding.

    Args:
        s: its x is read, the rest is filled.
        weights: stay as they are.
        stated: S, the first of the rows of w1 that take the embedding.
        kept: what dropout keeps of both layers' outputs (n, 2, d).
        scale: 1 / (1 - dropout).
        rewards: every row's reward (n,); unused where pairwise.
        pairwise: rows 2i and 2i + 1 are the better and the worse of a pair, -log sigmoid of the
            logits' difference; else the squared error of the sigmoid, Eq. (4).
        gradient: filled but for `users`.

    Returns:
        The loss, summed over rows or pairs.
    """
    factor = np.float32(scale)
    _layer(s.x, weights.w1, weights.b1, kept[:, 0], factor, s.g1, s.slope1)
    _layer(s.g1, weights.w2, weights.b2, kept[:, 1], factor, s.g2, s.slope2)
    for i in range(len(s.x)):
        logit = weights.bias[0]
        for j in range(len(weights.head)):
            logit += s.g2[i, j] * weights.head[j]
        s.logits[i] = logit
    if pairwise:
        total = _bradley_terry(s.logits, s.d_logits)
    else:
        total = _squared(s.logits, rewards, s.d_logits)
    _backward(s, weights, stated, gradient)
    return total
