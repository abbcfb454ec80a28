"""The controlled simulation: ten users, ten fixed arms, everybody's taste inverted (Section 15).

The network's context stays what the users said before the inversion; nobody tells it of the
change, as in PRISM.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pearl.environments.controlled_settings import ControlledSettings
from pearl.environments.interactions import Block
from pearl.randomness import generator

Array = NDArray[np.float64]
Rows = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ControlledWorld:
    """One seed's users and arms.

    Attributes:
        settings: the environment's settings.
        seed: the run's seed.
        preferences: float64[U, D] in [0, 1], before the inversion: Beta(2, 2).
        arms: float64[K, D]: U(.7, 1) in dimension k mod D, U(.1, .3) in the others.
    """

    settings: ControlledSettings
    seed: int
    preferences: Array
    arms: Array

    @classmethod
    def of(cls, settings: ControlledSettings, seed: int) -> ControlledWorld:
        """Draw a world."""
        users, arms, dimensions = settings.users, settings.arms, settings.dimensions
        # Beta(2, 2) is the law of the median of three uniforms.
        uniforms = generator(seed, "controlled/preferences").random((users, dimensions, 3))
        preferences = np.median(uniforms, axis=2)
        minor, major = generator(seed, "controlled/arms").random((2, arms, dimensions))
        dominant = np.arange(dimensions) == np.arange(arms)[:, None] % dimensions
        return cls(
            settings, seed, preferences, np.where(dominant, 0.7 + 0.3 * major, 0.1 + 0.2 * minor)
        )

    @property
    def means(self) -> Array:
        """float64[U, K] in [0, 1]: mean rewards before the inversion."""
        return _clipped_products(self.preferences, self.arms)

    @property
    def online_means(self) -> Array:
        """float64[U, K] in [0, 1]: mean rewards that the bandit faces."""
        inversion = self.settings.inversion
        return _clipped_products(1 - self.preferences if inversion else self.preferences, self.arms)

    def pretraining(self) -> tuple[Rows, Rows, Array]:
        """Return users int64[n], arms int64[n, P] and rewards float64[n, P] before the inversion.

        P = K, all arms, or 2 where an interaction gives a single pair. Each rating has a noise of
        its own: with one common to a user's ratings it could not matter to pairs.
        """
        n, k = self.settings.pretrain_interactions, self.settings.arms
        users = generator(self.seed, "controlled/pretraining/users").integers(
            self.settings.users, size=n
        )
        noise = generator(self.seed, "controlled/pretraining/noise").standard_normal((n, k))
        rewards = self.means[users] + self.settings.noise * noise
        arms = np.tile(np.arange(k), (n, 1))
        if self.settings.pairs is None:
            return users, arms, rewards
        keys = generator(self.seed, "controlled/pretraining/pairs").random((n, k))
        arms = np.argsort(keys, axis=1, kind="stable")[:, :2]
        return users, arms, np.take_along_axis(rewards, arms, axis=1)

    def blocks(self, epochs: int) -> Iterator[Block]:
        """Yield the epochs, each ending with an update but the last."""
        n, k = self.settings.interactions, self.settings.arms
        drawn = generator(self.seed, "controlled/users").integers(self.settings.users, size=n)
        arms = np.tile(np.arange(k), (n, 1))
        for epoch in range(epochs):
            users = drawn[generator(self.seed, "controlled/order", epoch).permutation(n)]
            noise = generator(self.seed, "controlled/noise", epoch).standard_normal((n, 1))
            means = self.online_means[users]
            yield Block(
                epoch,
                users,
                arms,
                means + self.settings.noise * noise,
                means.max(axis=1, keepdims=True) - means,
                update=epoch + 1 < epochs,
            )


def _clipped_products(preferences: Array, arms: Array) -> Array:
    total = np.zeros((len(preferences), len(arms)))
    for dimension in range(arms.shape[1]):
        total += preferences[:, dimension, None] * arms[None, :, dimension]
    return np.clip(total, 0.0, 1.0)
