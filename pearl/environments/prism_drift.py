"""Whose preferences change, and what every epoch's rewards are then (Section 8.4, Eq. 20).

Scores are whole points and stay whole until one final division: the best reward of a slate is the
same number before and after an inversion, and an Oracle's regret is exactly 0.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pearl.environments.prism_settings import PrismSettings
from pearl.randomness import generator

Points = NDArray[np.int64]
Flags = NDArray[np.bool_]


def flipped_users(candidates: NDArray[np.int64], users: int, flip: float, seed: int) -> Flags:
    """Draw the users whose preferences change; those of a smaller share are among a larger's.

    Args:
        candidates: int64[n], the users with pretraining data, ascending.
        users: U, all users.
        flip: f; floor(f n + 1/2) of the candidates change.
        seed: the run's seed.

    Returns:
        bool[U].
    """
    changed = np.zeros(users, dtype=np.bool_)
    order = generator(seed, "prism/flips").permutation(len(candidates))
    changed[candidates[order[: math.floor(flip * len(candidates) + 0.5)]]] = True
    return changed


def inverted(points: Points) -> Points:
    """Return r_max + r_min - r over each slate's own K ratings (..., K)."""
    extremes: Points = points.max(axis=-1, keepdims=True) + points.min(axis=-1, keepdims=True)
    return extremes - points


def displacement(settings: PrismSettings, epoch: int) -> tuple[int, int]:
    """Return alpha_e of Eq. (20) as a fraction (numerator, denominator); epochs count from 0."""
    if settings.drift == "flip":
        return 1, 1
    return min(epoch, settings.drift_epochs), settings.drift_epochs


def rewards(
    points: Points, changed: NDArray[np.bool_], alpha: tuple[int, int]
) -> NDArray[np.float64]:
    """Return slates' rewards: (1 - alpha) r + alpha r~ where the user changed, r elsewhere.

    Args:
        points: int64[n, K], raw scores 1-100.
        changed: bool[n], whether the slate's user is one whose preferences change.
        alpha: the drift's displacement as a fraction in [0, 1].

    Returns:
        float64[n, K] in [0, 1]: points / 100, rounded once.
    """
    part, whole = alpha
    blended = (whole - part) * points + part * inverted(points)
    return np.where(changed[:, None], blended, whole * points) / (100 * whole)
