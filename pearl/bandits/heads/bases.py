"""Arithmetic of users who weight common bases."""

from __future__ import annotations

import numpy as np

from pearl.bandits.gradient import multiply
from pearl.bandits.heads.network import Floats, Parameters
from pearl.bandits.network import Floats32


def dots(w: Floats, phi: Floats) -> Floats:
    """Return sum_b w_b phi_b over the last axis, in its order."""
    total = w[..., 0] * phi[..., 0]
    for b in range(1, phi.shape[-1]):
        total = total + w[..., b] * phi[..., b]
    return total


def spread(values: list[Floats]) -> Floats:
    """Return the standard deviation over the list (divided by its length), entry by entry."""
    mean, squares = np.zeros_like(values[0]), np.zeros_like(values[0])
    for each in values:
        mean += each
    mean /= len(values)
    for each in values:
        squares += (each - mean) * (each - mean)
    return np.sqrt(squares / len(values))


def combined(p: Parameters, weights: Floats32) -> tuple[Floats32, Floats32]:
    """Return sum_b w_ub heads_b (U, d) and sum_b w_ub offsets_b (U, 1)."""
    heads = np.zeros((len(weights), p["heads"].shape[1]), dtype=np.float32)
    offsets = np.zeros((len(weights), 1), dtype=np.float32)
    multiply(np.ascontiguousarray(weights), p["heads"], heads)
    multiply(np.ascontiguousarray(weights), np.ascontiguousarray(p["offsets"][:, None]), offsets)
    return heads, offsets
