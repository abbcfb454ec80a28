"""The images L g_j of Gaussian directions for a learner that plans every round.

L L' = V^-1 leaves L free up to an orthogonal factor from the right, and g_j ~ N(0, I_d) doesn't
notice one that it is independent of: every choice gives the same distribution. A new Cholesky
factor every round is dear, so both learners here carry L through rounds by its product form

    L <- (I - s p x') L,    p = V^-1 x,  s = (1 - 1 / sqrt(1 + x'p)) / x'p,

after which L L' is the inverse of V + x x'. They differ in where L comes from.

- Directions drawn anew every round: L = C^-T with V = C C', the root of directions.py, at rounds
  1, 1 + ROOT_ROUNDS, 1 + 2 ROOT_ROUNDS, ..., and the product form in between.
- Directions drawn once: L = I / sqrt(lambda) before round 1 and the product form ever after, so
  that it is one and the same g_j that every round asks about.

Where the root is made anew belongs to the method, not to a loop: every engine does it there.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import blas

from pearl.memory.directions import draw_directions
from pearl.memory.ridge import Ridge

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]

ROOT_ROUNDS = 64
"""Rounds between new Cholesky roots, for directions that are drawn anew every round."""


def root_step(gain: float) -> float:
    """Return s of the product form, given x'V^-1 x > 0."""
    return (1.0 - 1.0 / math.sqrt(1.0 + gain)) / gain


class RedrawnImages:
    """L g_j of ROOT_ROUNDS rounds, each with its own directions.

    All images are made with the first round's root, in one triangular solve. What the rounds
    since then add to L is applied to a round's images when they are asked for: with P the s p and
    X the x as rows, the product form of n rounds is I - P'(I + U)^-T X with U_ik = P_i'x_k, i < k.

    Args:
        count: N.
        dimension: d.
    """

    def __init__(self, seed: int, count: int, dimension: int) -> None:
        self._seed = seed
        self._drawn = np.empty((ROOT_ROUNDS, count, dimension))
        self._start = self._drawn
        self._features = np.zeros((ROOT_ROUNDS, dimension))
        self._steps = np.zeros((ROOT_ROUNDS, dimension))
        self._mixing = np.eye(ROOT_ROUNDS, order="F")
        self._done = 0

    def restart(self, factor: Matrix, first: int, rounds: int) -> None:
        """Draw for `rounds` <= ROOT_ROUNDS rounds from `first` on, V = C C' having `factor` C."""
        _, count, dimension = self._drawn.shape
        for n in range(rounds):
            self._drawn[n] = draw_directions(self._seed, first + n - 1, count, dimension)
        columns = self._drawn[:rounds].reshape(-1, dimension).T
        solved = blas.dtrsm(1.0, factor, columns, lower=1, trans_a=1, overwrite_b=1)
        self._start = solved.T.reshape(rounds, count, dimension)
        self._done = 0

    def current(self) -> Matrix:
        """Return L g_j of the current round as rows (N x d)."""
        n = self._done
        images: Matrix = self._start[n]
        if n == 0:
            return images
        shares = blas.dtrsm(
            1.0, self._mixing[:n, :n], images @ self._features[:n].T, side=1, diag=1
        )
        return np.asarray(images - shares @ self._steps[:n])

    def learn(self, feature: Vector, direction: Vector, gain: float) -> None:
        """Go to the next round, given x, p = V^-1 x and x'p of this one."""
        n = self._done
        self._mixing[:n, n] = self._steps[:n] @ feature
        self._features[n] = feature
        self._steps[n] = root_step(gain) * direction
        self._done = n + 1


class CarriedImages:
    """L g_j of directions drawn once, and their sums over the resident segments.

    Attributes:
        images: L g_j as columns (d x N), carried from round to round by the product form.
        sums: w'L g_j of the resident segments w (N), carried too.
        drift: the largest relative error seen: of images' V images = G'G, over d, and of `sums`.
    """

    def __init__(self, seed: int, count: int, ridge: Ridge) -> None:
        gaussians = draw_directions(seed, 0, count, ridge.dimension).T
        self.images = np.ascontiguousarray(gaussians / math.sqrt(ridge.regularization))
        self.sums = np.zeros(count)
        self.drift = 0.0
        self._ridge = ridge
        self._products = gaussians.T @ gaussians

    def measure(self, resident: NDArray[np.bool_]) -> None:
        """Take the current errors into `drift`; the ridge must hold the same rounds."""
        products = self.images.T @ self._ridge.gram() @ self.images
        worst = np.abs(products - self._products).max() / len(self.images)
        exact = resident @ self.images
        summed = np.abs(self.sums - exact).max() / max(np.abs(exact).max(), 1e-300)
        self.drift = max(self.drift, float(worst), float(summed) if resident.any() else 0.0)

    def refresh(self, resident: NDArray[np.bool_]) -> None:
        """Measure, then sum anew. The images themselves have no other source: they stay."""
        self.measure(resident)
        self.sums[:] = resident @ self.images
