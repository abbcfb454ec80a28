"""Which of several values are the largest, rounding aside."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

TIE_TOLERANCE = 1e-12
"""Scores within this fraction of the best are tied: rounding never decides."""


def tied_best(values: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the ascending indices of the largest values."""
    best = values.max()
    return np.flatnonzero(values >= best - TIE_TOLERANCE * abs(best))
