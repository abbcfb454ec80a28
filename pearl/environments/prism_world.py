"""The world that PRISM's slates and a seed make: the same for every method."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pearl.datasets.prism.slates import Slates
from pearl.environments.interactions import Block
from pearl.environments.prism_drift import displacement, flipped_users, rewards
from pearl.environments.prism_settings import PrismSettings
from pearl.environments.prism_split import Split, split
from pearl.errors import SettingError
from pearl.randomness import generator

Rows = NDArray[np.int64]
# The publisher's preferences are 0-100, the network's features 0-1.
_FULL_PREFERENCE = 100.0


@dataclass(frozen=True, eq=False)
class PrismWorld:
    """One seed's split, drifting users and orders.

    Attributes:
        slates: the embedded slates.
        settings: the environment's settings.
        seed: the run's seed.
        split: pretraining and online slates.
        changed: bool[U], the users whose preferences change after pretraining.
    """

    slates: Slates
    settings: PrismSettings
    seed: int
    split: Split
    changed: NDArray[np.bool_]

    @classmethod
    def of(cls, slates: Slates, settings: PrismSettings, seed: int) -> PrismWorld:
        """Draw a world; SettingError where the split leaves nothing to pretrain on or to play."""
        parts = split(slates.user, settings, seed)
        if not (len(parts.pretraining) and len(parts.online)):
            raise SettingError(
                f"split {settings.split} of {len(slates.user)} slates leaves"
                f" {len(parts.pretraining)} to pretrain on and {len(parts.online)} to play;"
                " both need at least one"
            )
        candidates = np.unique(slates.user[parts.pretraining])
        changed = flipped_users(candidates, len(slates.users), settings.flip, seed)
        return cls(slates, settings, seed, parts, changed)

    @property
    def stated(self) -> NDArray[np.float32]:
        """float32[U, 8] in [0, 1]: the users' features s_u."""
        return (self.slates.stated / _FULL_PREFERENCE).astype(np.float32)

    def pretraining(self) -> tuple[Rows, Rows, NDArray[np.float64]]:
        """Return users int64[n], arms int64[n, 4] and rewards float64[n, 4] before the drift."""
        rows = self.split.pretraining
        return self.slates.user[rows], self.slates.arms[rows], self.slates.scores[rows] / 100

    def order(self, epoch: int, epochs: int) -> Rows:
        """Return the slates of an epoch (from 0) of `epochs`, in the order they are played."""
        online = self.split.online
        if self.settings.interactions == "replay":
            return online[generator(self.seed, "prism/order", epoch).permutation(len(online))]
        once = online[generator(self.seed, "prism/fresh").permutation(len(online))]
        return once[epoch * len(once) // epochs : (epoch + 1) * len(once) // epochs]

    def blocks(self, epochs: int) -> Iterator[Block]:
        """Yield all interactions, cut where the network is updated and where an epoch ends.

        Raises:
            SettingError: no epoch is long enough for a single update.
        """
        interval = self.interval(epochs)
        for epoch in range(epochs):
            rows = self.order(epoch, epochs)
            alpha = displacement(self.settings, epoch)
            users = self.slates.user[rows]
            values = rewards(self.slates.scores[rows], self.changed[users], alpha)
            regrets = values.max(axis=1, keepdims=True) - values
            for start in range(0, len(rows), interval):
                cut = slice(start, start + interval)
                yield Block(
                    epoch,
                    users[cut],
                    self.slates.arms[rows[cut]],
                    values[cut],
                    regrets[cut],
                    update=start + interval <= len(rows),
                )

    def interval(self, epochs: int) -> int:
        """Return the interactions between two network updates."""
        shortest = len(self.split.online)
        if self.settings.interactions == "fresh":
            shortest //= epochs
        interval = self.settings.update_interval
        if interval is None:
            interval = shortest // 3
        if not 1 <= interval <= shortest:
            raise SettingError(
                f"an epoch has {shortest} interactions and the network is updated every"
                f" {max(interval, 1)} of them: it would never learn",
                remedy="Set update_interval: null for a third of an epoch.",
            )
        return interval

    def max_observations(self, epochs: int) -> int:
        """Return how many of the newest observations an update sees."""
        return self.settings.max_observations or 2 * self.interval(epochs)
