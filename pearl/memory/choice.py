"""The best of several optimistic scores, clipped or not, with ties settled by rule."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pearl.memory.cache_method import Tie
from pearl.memory.ties import tied_best

Vector = NDArray[np.float64]


def choose(scores: Vector, estimates: Vector, bound: float, tie: Tie) -> int:
    """Return the index of the option to take.

    Args:
        scores: optimistic rewards before clipping.
        estimates: x'theta of the same options.
        bound: B; unless `tie` is "unclipped", scores are clipped to [0, B] first.
        tie: see `CacheMethod.tie`.
    """
    if tie == "unclipped":
        return int(tied_best(scores)[0])
    tied = tied_best(np.clip(scores, 0.0, bound))
    if tie == "first":
        return int(tied[0])
    return int(tied[tied_best(estimates[tied])[0]])
