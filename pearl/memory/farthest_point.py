"""The point of a confidence ellipsoid that is farthest from the origin, exactly.

Optimism over a ball of actions leads here twice. For a confidence set C with centre c,

    max over |a| <= 1 of a'c + r |a|_G = max over theta in C of |theta|,
    C = {c + z : z' G^-1 z <= r^2},

is attained at a = theta~ / |theta~| with theta~ the farthest point of C. The score is convex in a,
so it is largest on the sphere and has many stationary points; the global one is singled out by
(mu I - G) being positive semidefinite in (mu I - G) a = c / |theta~| (times mu), as in a
trust-region step: in the axes of G, with values g_i,

    theta~_i = mu c_i / (mu - g_i),    sum_i c_i^2 g_i / (mu - g_i)^2 = r^2,    mu >= max g,

one root of one decreasing function, the secular equation.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pearl.compiled import compiled

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]

EVEN = 1e-10
"""Axes whose values agree to this share are one axis; shares of the centre below it are none."""


def farthest_point(centre: Vector, spread: Matrix, radius: float) -> Vector:
    """Return theta~ (d), the farthest point from the origin of an ellipsoid.

    Where the centre has no part along the widest axes, two or more points may tie: the one is
    taken whose part along them points to the lowest coordinate that they reach.

    Args:
        centre: c (d).
        spread: G, symmetric positive definite (d x d).
        radius: r > 0.
    """
    values, axes = _axes(spread)
    parts = axes.T @ centre
    widest = _widest(values)
    along = float(np.linalg.norm(parts[widest]))
    if along <= EVEN * float(np.linalg.norm(parts)):
        parts[widest] = 0.0
        gaps = np.where(widest, 1.0, values[-1] - values)
        used = float((parts**2 * values / gaps**2).sum())
        if used <= radius**2:
            level = axes @ (values[-1] * parts / gaps)
            reach = math.sqrt((radius**2 - used) * values[-1])
            return np.asarray(level + reach * _lowest(axes[:, widest]))
    mu = _secular_root(values, parts, radius)
    rates = np.where(parts == 0.0, 0.0, mu / np.where(parts == 0.0, 1.0, mu - values))
    return np.asarray(axes @ (rates * parts))


def widest_direction(spread: Matrix) -> Vector:
    """Return the unit vector a (d) of the largest |a|_G; ties go to the lowest coordinate."""
    values, axes = _axes(spread)
    return _lowest(axes[:, _widest(values)])


def _axes(spread: Matrix) -> tuple[Vector, Matrix]:
    # numpy's costs half of scipy's at d = 10, and there may be a plan every hundred rounds.
    values, axes = np.linalg.eigh(spread)
    return values.astype(np.float64), axes.astype(np.float64)


def _widest(values: Vector) -> NDArray[np.bool_]:
    return np.asarray(values >= values[-1] * (1 - EVEN))


def _lowest(axes: Matrix) -> Vector:
    """Return the unit vector in the axes' span that is nearest to the lowest coordinate it has."""
    shadows = axes @ axes.T
    first = int(np.argmax(np.diag(shadows) > 1e-6))
    return np.asarray(shadows[first] / np.linalg.norm(shadows[first]))


@compiled
def _secular_root(values: Vector, parts: Vector, radius: float) -> float:
    """Return mu with sum parts^2 values / (mu - values)^2 = radius^2.

    The inverse square root of that sum rises and is concave in mu: Newton's steps from below
    rise to the root and never pass it. Each term alone bounds the root from below.
    """
    mu = float(values[-1])
    for i in range(len(values)):
        mu = max(mu, float(values[i] + abs(parts[i]) * math.sqrt(values[i]) / radius))
    while True:
        square = 0.0
        slope = 0.0
        for i in range(len(values)):
            if parts[i] != 0.0:
                term = parts[i] ** 2 * values[i] / (mu - values[i]) ** 2
                square += term
                slope += term / (mu - values[i])
        length = math.sqrt(square)
        following = mu + (length / radius - 1) * square / slope
        if not following > mu:
            return mu
        if length <= radius * (1 + 1e-14):
            return following
        mu = following
