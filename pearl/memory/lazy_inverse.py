"""V^-1 kept up to date through many rank-one updates: exactly based, updated in blocks.

Between refreshes V^-1 = P - sum_k u_k u_k': the updates of a block of rounds are kept apart and
subtracted from P in one matrix product. After a fixed number of rounds P is made anew from V,
which itself is exact (see ridge), so errors can't pile up. P is symmetric by construction: only
its lower triangle is computed, and mirrored.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import blas, lapack

from pearl.compiled import compiled
from pearl.memory.ridge import Ridge

Matrix = NDArray[np.float64]


class LazyInverse:
    """The inverse of a ridge regression's V.

    Attributes:
        base: P (d x d, symmetric).
        updates: the current block's u_k as rows (block x d); rows not yet used are free.
        drift: the largest entry of |V^-1 V - I| seen, measured before every refresh.
    """

    def __init__(self, ridge: Ridge, block: int) -> None:
        self.ridge = ridge
        self.updates = np.zeros((block, ridge.dimension))
        self.drift = 0.0
        self.base: Matrix = np.zeros(0)
        self._invert()

    def flush(self, rounds: int) -> None:
        """Subtract the first `rounds` of `updates` from `base`."""
        self.base = blas.dsyrk(
            -1.0, self.updates[:rounds].T, beta=1.0, c=self.base, lower=1, overwrite_c=1
        )
        _mirror(self.base.T)

    def refresh(self) -> None:
        """Measure the drift against `ridge`, which must hold the same rounds, and invert anew."""
        self.measure()
        self._invert()

    def measure(self) -> None:
        """Take the current |V^-1 V - I| into `drift`."""
        residual = self.base @ self.ridge.gram()
        residual[np.diag_indices(len(residual))] -= 1.0
        self.drift = max(self.drift, float(np.abs(residual).max()))

    def _invert(self) -> None:
        inverse, failure = lapack.dpotri(np.asfortranarray(self.ridge.factor()), lower=1)
        if failure:
            raise np.linalg.LinAlgError(f"V isn't invertible (LAPACK dpotri: {failure})")
        self.base = inverse
        _mirror(self.base.T)


@compiled
def _mirror(upper: Matrix) -> None:
    """Copy the upper triangle of a C-ordered matrix onto the lower one, tile by tile."""
    size, tile = len(upper), 32
    for top in range(0, size, tile):
        for left in range(0, top + 1, tile):
            for i in range(top, min(top + tile, size)):
                for j in range(left, min(left + tile, i)):
                    upper[i, j] = upper[j, i]
