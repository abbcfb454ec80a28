"""Which interactions pretrain the network and which the bandit plays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pearl.environments.prism_settings import PrismSettings
from pearl.randomness import generator

Rows = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Split:
    """Rows of the slates, each ascending; together they are all slates.

    Attributes:
        pretraining: int64[n], slates whose four ratings pretrain the network.
        online: int64[m], slates that the bandit plays.
    """

    pretraining: Rows
    online: Rows


def split(user: Rows, settings: PrismSettings, seed: int) -> Split:
    """Split every user's slates.

    A user's slates are put in one random order that depends on the seed alone, so the
    pretraining slates of a smaller share are among those of a larger one.

    Args:
        user: int64[N], each slate's user.
        settings: `split` and `pretrain_fraction`.
        seed: the run's seed.
    """
    order = generator(seed, "prism/split").permutation(len(user))
    by_user = order[np.argsort(user[order], kind="stable")]
    counts = np.bincount(user)
    first = np.cumsum(counts) - counts
    place = np.arange(len(user)) - first[user[by_user]]
    pretrains = place < pretraining_counts(counts, settings)[user[by_user]]
    return Split(np.sort(by_user[pretrains]), np.sort(by_user[~pretrains]))


def pretraining_counts(counts: Rows, settings: PrismSettings) -> Rows:
    """Return how many of a user's n interactions pretrain (int64), for each n in `counts`."""
    if settings.split == "one_per_user":
        pretraining = (counts >= 2).astype(np.int64)
    elif settings.split == "per_user_half":
        pretraining = counts // 2
    else:
        share = np.floor(settings.pretrain_fraction * counts).astype(np.int64)
        pretraining = np.minimum(counts - 1, np.maximum(1, share))
    return np.maximum(pretraining, 0)
