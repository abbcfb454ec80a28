"""Made-up users, arms and observations for the trainer, by exact arithmetic alone."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pearl.bandits.network import TrainingSettings, Weights, initial_weights
from pearl.randomness import generator


class Observed(NamedTuple):
    stated: NDArray[np.float32]
    embeddings: NDArray[np.float32]
    users: NDArray[np.int64]
    arms: NDArray[np.int64]
    rewards: NDArray[np.float64]
    eps: NDArray[np.float64]

    def weights(self, settings: TrainingSettings, seed: int = 3) -> Weights:
        (users, stated), arm = self.stated.shape, self.embeddings.shape[1]
        return initial_weights(settings, users, stated, arm, seed)


def made_observations(
    n: int, users: int = 60, stated: int = 8, arm: int = 384, texts: int = 300, seed: int = 1
) -> Observed:
    """Return n observations of all users but the last, on arms of about unit norm."""
    rng = generator(seed, "tests/observations")
    return Observed(
        rng.random((users, stated), dtype=np.float32),
        ((2.0 * rng.random((texts, arm)) - 1.0) * np.sqrt(3.0 / arm)).astype(np.float32),
        rng.integers(0, users - 1, n),
        rng.integers(0, texts, n),
        rng.random(n),
        rng.random(users),
    )
