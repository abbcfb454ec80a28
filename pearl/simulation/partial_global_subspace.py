"""The shifted subspace V of a network's features, and coordinates in which it comes first."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pearl.compiled import compiled

Array = NDArray[np.float64]

_SWEEPS = 30
_FLAT = 1e-24  # squared off-diagonal elements, as a share of the squared diagonal


def shifted_subspace(differences: Array, energy: float) -> tuple[Array, int]:
    """Return an orthonormal basis Q (d, d), and m: its first m columns span V.

    Args:
        differences: (n, d), features of pairs that differ in nothing but the shifted dimensions.
        energy: in (0, 1]: V holds this share of the differences' squared length with as few
            directions as possible.

    Returns:
        The principal directions of the differences in descending order, and m; I and 0 where there
        is no difference.
    """
    d = differences.shape[1]
    moments = np.zeros((d, d))
    for i in range(len(differences)):
        moments += differences[i][:, None] * differences[i]
    basis = np.eye(d)
    _diagonalize(moments, basis)
    values = np.maximum(np.diagonal(moments), 0.0)
    total = float(values.sum())
    if total == 0.0:
        return np.eye(d), 0
    order = np.argsort(-values, kind="stable")
    held = np.cumsum(values[order]) / total
    return basis[:, order], min(d, int(np.sum(held < energy * (1.0 - 1e-12))) + 1)


@compiled
def _diagonalize(a: Array, basis: Array) -> None:
    """Jacobi's rotations: `a` becomes diagonal, `basis` holds its eigenvectors as columns."""
    d = len(a)
    for _ in range(_SWEEPS):
        off, on = 0.0, 0.0
        for i in range(d):
            on += a[i, i] * a[i, i]
            for j in range(i):
                off += a[i, j] * a[i, j]
        if off <= _FLAT * on:
            return
        for p in range(d):
            for q in range(p + 1, d):
                if a[p, q] == 0.0:
                    continue
                theta = (a[q, q] - a[p, p]) / (2.0 * a[p, q])
                t = 1.0 / (abs(theta) + math.sqrt(1.0 + theta * theta))
                t = t if theta >= 0.0 else -t
                c = 1.0 / math.sqrt(1.0 + t * t)
                s = t * c
                for k in range(d):
                    x, y = a[k, p], a[k, q]
                    a[k, p], a[k, q] = c * x - s * y, s * x + c * y
                for k in range(d):
                    x, y = a[p, k], a[q, k]
                    a[p, k], a[q, k] = c * x - s * y, s * x + c * y
                for k in range(d):
                    x, y = basis[k, p], basis[k, q]
                    basis[k, p], basis[k, q] = c * x - s * y, s * x + c * y
