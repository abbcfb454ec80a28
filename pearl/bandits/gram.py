"""The Gram matrix made anew from features: A^-1 = (lambda I + sum g g')^-1, symmetric exactly."""

from __future__ import annotations

import math

import numpy as np

from pearl.bandits.draws import Floats, Ints
from pearl.bandits.folding import Folded
from pearl.bandits.step import Rule, State, features
from pearl.compiled import compiled


def rebuild(state: State, rule: Rule, folded: Folded, users: Ints) -> None:
    """Make A^-1 anew from observations, as after a network update; injected mass is lost.

    Every observation has the weight 1, whatever had been discounted before. A sliding window holds
    these observations then, or the newest W of them.

    Args:
        state: its inverse changes in place; its errors damp the embeddings, if the rule damps.
        rule: the method.
        folded: the network with the observed arms, one row an observation.
        users: every observation's user (n,); n = 0 gives I/lambda.

    Raises:
        ValueError: as many users as folded arms are needed.
    """
    if len(users) != len(folded.arms):
        raise ValueError(f"{len(users)} users, {len(folded.arms)} folded arms")
    g = features(folded, state.errors, rule.damping, users)
    if len(state.window):
        g = g[-len(state.window) :]
        state.window[: len(g)] = g
        state.held[:] = len(g), len(g) % len(state.window), 0
    _invert(g, 1.0 / rule.ceiling, state.inverse)


@compiled
def _invert(g: Floats, regularization: float, inverse: Floats) -> None:
    """Leave (lambda I + g'g)^-1 in `inverse`: U'U = A by Cholesky, then U^-1 U^-T."""
    d = len(inverse)
    upper = np.zeros((d, d))
    for i in range(d):
        upper[i, i] = regularization
    whole = len(g) - len(g) % 4
    for t in range(0, whole, 4):
        for i in range(d):
            row, a, b, p, q = upper[i, i:], g[t, i:], g[t + 1, i:], g[t + 2, i:], g[t + 3, i:]
            a_i, b_i, p_i, q_i = a[0], b[0], p[0], q[0]
            for j in range(len(row)):
                row[j] = row[j] + a_i * a[j] + b_i * b[j] + p_i * p[j] + q_i * q[j]
    for t in range(whole, len(g)):
        for i in range(d):
            row, a = upper[i, i:], g[t, i:]
            a_i = a[0]
            for j in range(len(row)):
                row[j] += a_i * a[j]
    for k in range(d):
        row = upper[k, k:]
        pivot = math.sqrt(row[0])
        for j in range(len(row)):
            row[j] /= pivot
        for i in range(k + 1, d):
            target, rest = upper[i, i:], upper[k, i:]
            share = rest[0]
            for j in range(len(target)):
                target[j] -= share * rest[j]
    # row i of V = U^-T is (e_i - sum over k < i of U_ki V_k) / U_ii, with V lower triangular
    lower = np.zeros((d, d))
    for i in range(d):
        lower[i, i] = 1.0
        for k in range(i):
            for j in range(k + 1):
                lower[i, j] -= upper[k, i] * lower[k, j]
        for j in range(i + 1):
            lower[i, j] /= upper[i, i]
    for i in range(d):
        for j in range(i + 1):
            inverse[i, j] = 0.0
    for k in range(d):
        for i in range(k + 1):
            for j in range(i + 1):
                inverse[i, j] += lower[k, i] * lower[k, j]
    for i in range(d):
        for j in range(i):
            inverse[j, i] = inverse[i, j]
