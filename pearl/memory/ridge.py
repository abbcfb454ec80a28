"""Ridge regression on cache features, kept as exact integers.

A cache feature is x = w / sqrt(d) with w in {0, 1}^d, and a reward is a whole number of tokens
over (requests x Z). So V = lambda I + W / d with whole numbers W = sum w w', and b is a whole
number times a constant: nothing drifts, however many rounds are absorbed.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import blas, cho_solve, cholesky

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]
Tokens = NDArray[np.int64]


class Ridge:
    """Sums of cache features and rewards, and the ridge estimate that they give.

    Args:
        dimension: segments d.
        regularization: lambda > 0.
        reward_unit: the mean reward that one token is worth, 1 / (requests a round x Z).
    """

    def __init__(self, dimension: int, regularization: float, reward_unit: float) -> None:
        self.dimension = dimension
        self.regularization = regularization
        self.reward_unit = reward_unit
        self._pairs = np.zeros((dimension, dimension), order="F")  # W's lower triangle
        self._tokens = np.zeros(dimension, dtype=np.int64)

    def absorb(self, resident: Matrix, tokens: Tokens) -> None:
        """Add one round per row of `resident` (n x d, zeros and ones) with its reward in tokens."""
        if len(resident):
            self._pairs = blas.dsyrk(
                1.0, resident.T, beta=1.0, c=self._pairs, lower=1, overwrite_c=1
            )
            self._tokens += tokens @ resident.astype(np.int64)

    def absorb_repeated(self, resident: Vector, rounds: int, tokens: int) -> None:
        """Add `rounds` rounds with the same feature and `tokens` tokens in all."""
        self._pairs = blas.dsyr(float(rounds), resident, a=self._pairs, lower=1, overwrite_a=1)
        self._tokens += tokens * resident.astype(np.int64)

    def gram(self) -> Matrix:
        """Return V = lambda I + sum x x' (d x d, symmetric)."""
        lower = self._lower()
        gram = lower + lower.T
        gram[np.diag_indices(self.dimension)] /= 2
        return gram

    def response(self) -> Vector:
        """Return b = sum y x (d)."""
        return np.asarray(self._tokens * (self.reward_unit / math.sqrt(self.dimension)))

    def factor(self) -> Matrix:
        """Return the lower Cholesky factor C of V = C C'."""
        return np.asarray(cholesky(self._lower(), lower=True, overwrite_a=True, check_finite=False))

    def estimate(self, factor: Matrix) -> Vector:
        """Return theta = V^-1 b, given `factor` of the current V."""
        return np.asarray(cho_solve((factor, True), self.response(), check_finite=False))

    def _lower(self) -> Matrix:
        """Return V's lower triangle, zeros above it."""
        lower = self._pairs / self.dimension
        lower[np.diag_indices(self.dimension)] += self.regularization
        return lower
