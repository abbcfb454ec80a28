"""The network's first layer, folded: between two updates its parts are computed once.

x = [s_u; e(u); z] is linear in the first layer's input, so x w1 + b1 is the sum of a user's part,
(1 - eps_u) times an embedding's part and an arm's part. Every output is summed in the order of the
inputs, so a part doesn't depend on what it was computed together with.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pearl.bandits.network import Floats32, Weights
from pearl.compiled import compiled

Ints = NDArray[np.int64]


class Folded(NamedTuple):
    """What the step needs of a network: parts of its first layer, and the rest of it."""

    users: Floats32
    """s_u w1 + b1 (U, d)."""
    embedded: Floats32
    """e(u) w1 (U, d)."""
    arms: Floats32
    """z w1 (m, d), one row an arm in the order asked for."""
    w2: Floats32
    b2: Floats32
    head: Floats32
    bias: Floats32


def fold(weights: Weights, stated: Floats32, embeddings: Floats32, rows: Ints) -> Folded:
    """Fold the weights for all users and for the arms `embeddings[rows]`.

    Args:
        weights: the network; what is returned holds its current w2, b2, head and bias themselves,
            so it has to be folded again after an update.
        stated: the users' stated features (U, S), in [0, 1]; S = 0 without user features.
        embeddings: the arms' features (M, Z).
        rows: arms, of any shape: a block's slates (n, K) become n K rows of `arms`.

    Raises:
        ValueError: the shapes don't fit the weights.
    """
    s, e = stated.shape[1], weights.users.shape[1]
    if len(stated) != len(weights.users):
        raise ValueError(f"{len(stated)} users are stated, {len(weights.users)} embedded")
    if len(weights.w1) != s + e + embeddings.shape[1]:
        raise ValueError(
            f"the first layer takes {len(weights.w1)} inputs,"
            f" not {s} stated + {e} embedded + {embeddings.shape[1]} of the arm"
        )
    everyone = np.arange(len(stated))
    users = _product(weights.w1[:s], np.ascontiguousarray(stated), everyone)
    return Folded(
        users=users + weights.b1,
        embedded=_product(weights.w1[s : s + e], weights.users, everyone),
        arms=fold_arms(weights, embeddings, rows),
        w2=weights.w2,
        b2=weights.b2,
        head=weights.head,
        bias=weights.bias,
    )


def fold_arms(weights: Weights, embeddings: Floats32, rows: Ints) -> Floats32:
    """Return z w1 for the arms `embeddings[rows]`, (rows.size, d).

    Raises:
        IndexError: a row isn't one of `embeddings`.
    """
    rows = rows.reshape(-1)
    if len(rows) and not 0 <= rows.min() <= rows.max() < len(embeddings):
        raise IndexError(f"rows outside the {len(embeddings)} embeddings")
    first = len(weights.w1) - embeddings.shape[1]
    return _product(weights.w1[first:], np.ascontiguousarray(embeddings), rows)


def _product(w: Floats32, inputs: Floats32, rows: Ints) -> Floats32:
    out = np.zeros((len(rows), w.shape[1]), dtype=np.float32)
    multiply(w, inputs, rows, out)
    return out


@compiled
def multiply(w: Floats32, inputs: Floats32, rows: Ints, out: Floats32) -> None:
    """Add inputs[rows] w to `out`; four rows and four inputs at a time, for the registers."""
    n, size, d = len(rows), w.shape[0], w.shape[1]
    whole = size - size % 4
    done = n - n % 4
    for i in range(0, done, 4):
        o, p, q, r = out[i], out[i + 1], out[i + 2], out[i + 3]
        a, b, c, e = inputs[rows[i]], inputs[rows[i + 1]], inputs[rows[i + 2]], inputs[rows[i + 3]]
        for k in range(0, whole, 4):
            a0, a1, a2, a3 = a[k], a[k + 1], a[k + 2], a[k + 3]
            b0, b1, b2, b3 = b[k], b[k + 1], b[k + 2], b[k + 3]
            c0, c1, c2, c3 = c[k], c[k + 1], c[k + 2], c[k + 3]
            e0, e1, e2, e3 = e[k], e[k + 1], e[k + 2], e[k + 3]
            for j in range(d):
                w0, w1, w2, w3 = w[k, j], w[k + 1, j], w[k + 2, j], w[k + 3, j]
                o[j] = o[j] + a0 * w0 + a1 * w1 + a2 * w2 + a3 * w3
                p[j] = p[j] + b0 * w0 + b1 * w1 + b2 * w2 + b3 * w3
                q[j] = q[j] + c0 * w0 + c1 * w1 + c2 * w2 + c3 * w3
                r[j] = r[j] + e0 * w0 + e1 * w1 + e2 * w2 + e3 * w3
        for k in range(whole, size):
            for j in range(d):
                o[j] += a[k] * w[k, j]
                p[j] += b[k] * w[k, j]
                q[j] += c[k] * w[k, j]
                r[j] += e[k] * w[k, j]
    for i in range(done, n):
        o, a = out[i], inputs[rows[i]]
        for k in range(0, whole, 4):
            a0, a1, a2, a3 = a[k], a[k + 1], a[k + 2], a[k + 3]
            for j in range(d):
                o[j] = o[j] + a0 * w[k, j] + a1 * w[k + 1, j] + a2 * w[k + 2, j] + a3 * w[k + 3, j]
        for k in range(whole, size):
            for j in range(d):
                o[j] += a[k] * w[k, j]
