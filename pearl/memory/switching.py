"""Determinant doubling: when an episode ends, without looking at every round.

Algorithm 1 plays round t while det V_(t-1) < 2 det Vbar_k. Through an episode's first M rounds the
feature changes; with X these features as columns and Vbar = C C', the determinants after
1, 2, ... rounds relative to Vbar's are the leading minors of I + X' Vbar^-1 X, which one Cholesky
factor of that matrix holds. After them the feature stays the same and every round adds the same
rank-one term, so the determinant grows by 1 + n s with s = x' V^-1 x.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky, solve_triangular

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]

LOG_LIMIT = math.log(2.0) - 1e-12
"""The smallest log determinant ratio that counts as doubled: equality fires despite rounding."""


def doubled(log_ratio: float) -> bool:
    """Tell whether log(det V / det Vbar) ends the episode."""
    return log_ratio >= LOG_LIMIT


def rounds_until_doubled(log_ratio: float, gain: float) -> int:
    """Return the smallest n >= 1 with log_ratio + log(1 + n gain) doubled; `gain` is s > 0."""
    if not gain > 0:
        raise ValueError(f"a round must add information, got a gain of {gain}")

    def fires(rounds: int) -> bool:
        return doubled(log_ratio + math.log1p(rounds * gain))

    rounds = max(1, math.ceil(math.expm1(LOG_LIMIT - log_ratio) / gain))
    while rounds > 1 and fires(rounds - 1):
        rounds -= 1
    while not fires(rounds):
        rounds += 1
    return rounds


@dataclass(frozen=True)
class Transient:
    """How the determinant grows through an episode's first rounds."""

    factor: Matrix
    """C, the lower Cholesky factor of Vbar (d x d)."""
    whitened: Matrix
    """C^-1 X (d x n)."""
    root: Matrix
    """The lower Cholesky factor of I + X' Vbar^-1 X (n x n)."""

    @classmethod
    def of(cls, factor: Matrix, features: Matrix) -> Transient:
        """Take the factor of Vbar and the features of the first n rounds as rows (n x d)."""
        rounds = len(features)
        whitened = np.zeros((features.shape[1], 0))
        root = np.zeros((0, 0))
        if rounds:
            whitened = _solve(factor, features.T)
            growth = np.eye(rounds) + whitened.T @ whitened
            root = np.asarray(cholesky(growth, lower=True, check_finite=False))
        return cls(factor, whitened, root)

    def log_ratios(self) -> Vector:
        """Return log(det V / det Vbar) after 1, 2, ..., n rounds."""
        return np.asarray(2 * np.cumsum(np.log(np.diag(self.root))))

    def gain(self, feature: Vector) -> float:
        """Return s = x' V^-1 x with V as it stands after the n rounds."""
        direction = _solve(self.factor, feature)
        gain = float(direction @ direction)
        if len(self.root):
            shared = _solve(self.root, self.whitened.T @ direction)
            gain -= float(shared @ shared)
        return gain


def _solve(lower: Matrix, right: Matrix) -> Matrix:
    return np.asarray(solve_triangular(lower, right, lower=True, check_finite=False))
