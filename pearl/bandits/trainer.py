"""One pass of gradient steps over rows in a given order, whichever the loss."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pearl.bandits.adam import descend
from pearl.bandits.gradient import Batch, differentiate
from pearl.bandits.network import Adam, Floats32, TrainingSettings, Weights

Ints = NDArray[np.int64]


class Rows(NamedTuple):
    """What a pass is trained on, n rows in their order."""

    users: Ints
    """(n,)"""
    arms: Ints
    """(n,), as rows of the table of arms' features."""
    rewards: Floats32 | None
    """(n,); None: rows 2i and 2i + 1 are the better and the worse of a pair."""
    kept: NDArray[np.bool_]
    """What dropout keeps of both layers' outputs (n, 2, d)."""
    ends: Ints
    """Where each gradient step's rows end, ascending, the last n; a pair is never cut."""


def even_steps(n: int, rows: int) -> Ints:
    """Return the ends of steps of `rows` rows each, the last of what is left of n."""
    return np.minimum(np.arange(rows, n + rows, rows, dtype=np.int64), n)


def train(
    weights: Weights,
    adam: Adam,
    stated: Floats32,
    share: Floats32,
    embeddings: Floats32,
    rows: Rows,
    settings: TrainingSettings,
) -> float:
    """Take a step of Adam on the rows up to each of `rows.ends`; weights change in place.

    Args:
        weights: what is trained.
        adam: the optimiser's state; changes in place.
        stated: the users' stated features (U, S).
        share: the factor with which every user's learned embedding enters (U,).
        embeddings: the arms' features (M, Z).
        rows: what to train on.
        settings: dropout, learning rate.

    Returns:
        The loss, squared error or -log of the better's probability, summed over rows or pairs.
    """
    pairwise = rows.rewards is None
    rewards = np.empty(0, dtype=np.float32) if rows.rewards is None else rows.rewards
    S, E = stated.shape[1], weights.users.shape[1]
    scale = 1.0 / (1.0 - settings.dropout)
    starts = np.concatenate([[0], rows.ends[:-1]])
    room = _room(weights, int((rows.ends - starts).max(initial=0)))
    w, gradient = (Weights(*(_aligned(*array.shape) for array in weights)) for _ in range(2))
    for working, array in zip(w, weights, strict=True):
        working[...] = array
    total = 0.0
    for start, end in zip(starts.tolist(), rows.ends.tolist(), strict=True):
        part = slice(start, end)
        users = rows.users[part]
        batch = Batch(*(array[: len(users)] for array in room))
        batch.x[:, :S] = stated[users]
        batch.x[:, S : S + E] = share[users, None] * w.users[users]
        batch.x[:, S + E :] = embeddings[rows.arms[part]]
        total += differentiate(
            batch, w, S, rows.kept[part], scale, rewards[part], pairwise, gradient
        )
        np.add.at(gradient.users, users, share[users, None] * batch.d_embedding)
        descend(w, adam, gradient, settings.learning_rate)
        gradient.users[users] = 0.0
    for working, array in zip(w, weights, strict=True):
        array[...] = working
    return total


def _room(weights: Weights, n: int) -> Batch:
    d, E = len(weights.head), weights.users.shape[1]
    shapes = [(n, len(weights.w1)), *[(n, d)] * 6, (n,), (n,), (n, E)]
    return Batch(*(_aligned(*shape) for shape in shapes))


def _aligned(*shape: int) -> Floats32:
    """Return zeros that begin on a cache line: products run up to 1.6 times as fast."""
    size = math.prod(shape)
    room = np.zeros(size + 16, dtype=np.float32)
    first = -(room.ctypes.data // 4) % 16
    return room[first : first + size].reshape(shape)
