"""Slates of a population with exactly the published counts; ratings and features are made up."""

from __future__ import annotations

from typing import Any

import numpy as np

from pearl.datasets.prism.slates import Slates

USERS, SLATES, SINGLE, ODD = 1_395, 5_011, 40, 687
"""Users with retained slates, the slates, users with a single one, users with an odd number."""


def published_counts() -> np.ndarray:
    """Return each user's retained slates: 1 to 6, with PRISM's total and number of single ones."""
    counts = np.concatenate(
        [
            np.full(SINGLE, 1),
            np.full(ODD - SINGLE - 88, 3),
            np.full(88, 5),
            np.full(USERS - ODD, 4),
        ]
    )
    surplus = SLATES - counts.sum()
    even = np.flatnonzero(counts == 4)
    step = 2 if surplus > 0 else -2
    assert surplus % 2 == 0
    assert abs(surplus) // 2 <= len(even)
    counts[even[: abs(surplus) // 2]] += step
    assert counts.sum() == SLATES
    assert (counts % 2).sum() == ODD
    assert (counts == 1).sum() == SINGLE
    return np.random.default_rng(0).permutation(counts)


def population(counts: Any, *, dimensions: int = 8, seed: int = 0) -> Slates:
    """Return slates of len(counts) users; every slate's spread exceeds 30 points."""
    rng = np.random.default_rng(seed)
    users, n = len(counts), int(np.sum(counts))
    user = rng.permutation(np.repeat(np.arange(users), counts))
    taste = rng.normal(size=(users, dimensions))
    embeddings = rng.normal(size=(4 * n, dimensions))
    embeddings /= np.sqrt(np.square(embeddings).sum(axis=1, keepdims=True))
    arms = rng.permutation(4 * n).reshape(n, 4)
    liking = (taste[user][:, None, :] * embeddings[arms]).sum(axis=2)
    scores = np.clip(np.rint(55 + 25 * liking + rng.normal(0, 8, size=(n, 4))), 1, 100)
    narrow = scores.max(axis=1) - scores.min(axis=1) <= 30
    scores[narrow] = [20, 80, 50, 50]
    return Slates(
        users=tuple(f"user{row}" for row in range(users)),
        stated=np.clip(np.rint(50 + 20 * rng.normal(size=(users, 8))), 0, 100),
        conversations=tuple(f"c{row}" for row in range(n)),
        user=user.astype(np.int64),
        scores=scores.astype(np.int64),
        arms=arms.astype(np.int64),
        embeddings=embeddings.astype(np.float32),
    )
