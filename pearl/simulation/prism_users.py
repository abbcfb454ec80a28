"""What a run on PRISM tells of each of its users.

Sums are taken in the order of play, so that they are the same on every machine.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from pearl.compiled import compiled
from pearl.datasets.prism.slates import Slates
from pearl.environments.prism_world import PrismWorld
from pearl.simulation.replay_log import Log

Array = NDArray[np.float64]


def user_arrays(world: PrismWorld, log: Log) -> dict[str, Array]:
    """Return what was measured of each user, and who he is.

    Returns:
        float64[U, E], by epoch: "count", interactions; and sums over them: "reward", "regret" and,
        of methods that predict, "error" |r - mu| and "tracker", eps_u before the step.
        float64[U]: "flipped", 1 where his preferences change; "diversity", see `diversity`.
        float64[U, 8]: "stated" preferences, 0-100.
    """
    users = len(world.slates.users)
    parts = {"count": np.ones(len(log)), "reward": log.reward, "regret": log.regret}
    if log.steps is not None:
        parts["error"] = np.abs(log.reward - log.steps.means)
        parts["tracker"] = log.steps.errors
    epochs = int(log.epoch[-1]) + 1
    place = log.users * epochs + log.epoch
    return {
        **{name: _summed(place, values, users, epochs) for name, values in parts.items()},
        "flipped": world.changed.astype(np.float64),
        "diversity": diversity(world.slates),
        "stated": world.slates.stated,
    }


@lru_cache(maxsize=4)
def diversity(slates: Slates) -> Array:
    """Return each user's mean pairwise cosine distance between the responses of his slates.

    All his slates count, those of pretraining too: it is the user's, not the split's (Section 20).

    Returns:
        float64[U], in [0, 2].
    """
    distance = _distances(slates.arms, slates.embeddings)
    total = np.bincount(slates.user, weights=distance, minlength=len(slates.users))
    return total / np.bincount(slates.user, minlength=len(slates.users))


def _summed(place: NDArray[np.int64], values: Array, users: int, epochs: int) -> Array:
    flat = np.bincount(place, weights=values, minlength=users * epochs)
    return np.asarray(flat, dtype=np.float64).reshape(users, epochs)


@compiled
def _distances(arms: NDArray[np.int64], embeddings: NDArray[np.float32]) -> Array:
    """Return each slate's mean 1 - cos over its pairs, float64[n]; one sum after the other."""
    n, k = arms.shape
    z = embeddings.shape[1]
    found = np.zeros(n)
    for row in range(n):
        total = 0.0
        for i in range(k):
            for j in range(i):
                product, first, second = 0.0, 0.0, 0.0
                for place in range(z):
                    a = np.float64(embeddings[arms[row, i], place])
                    b = np.float64(embeddings[arms[row, j], place])
                    product += a * b
                    first += a * a
                    second += b * b
                total += 1.0 - product / np.sqrt(first * second)
        found[row] = total / (k * (k - 1) / 2)
    return found
