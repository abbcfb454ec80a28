"""Pretraining of the reward network: the Bradley-Terry loss on pairs of a slate's responses."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pearl.bandits.network import Adam, Floats32, TrainingSettings, Weights, new_adam
from pearl.bandits.trainer import Rows, even_steps, train
from pearl.randomness import generator

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


def pretrain(
    weights: Weights,
    stated: Floats32,
    slate_users: Ints,
    slate_arms: Ints,
    rewards: Floats,
    embeddings: Floats32,
    settings: TrainingSettings,
    seed: int,
    adam: Adam | None = None,
) -> Floats:
    """Train on all pairs of every slate, ties skipped: -log sigmoid(better's - worse's logit).

    Args:
        weights: what is trained, in place.
        stated: the users' stated features (U, S), in [0, 1].
        slate_users: every slate's user (n,).
        slate_arms: every slate's arms (n, K), as rows of `embeddings`.
        rewards: their rewards (n, K).
        embeddings: the arms' features (M, Z).
        settings: batch and its unit, pretrain_epochs, dropout, learning rate.
        seed: the run's seed; with the epoch it indexes order and dropout.
        adam: the optimiser's state, changed in place; None starts it anew.

    Returns:
        The mean loss of the pairs in every epoch (pretrain_epochs,), each at its own gradient
        step; nan without pairs.
    """
    state = new_adam(weights) if adam is None else adam
    slates, better, worse = pairs(slate_arms, rewards)
    users = slate_users[slates]
    losses = np.full(settings.pretrain_epochs, np.nan)
    if len(users) == 0:
        return losses
    share = np.ones(len(stated), dtype=np.float32)
    for epoch in range(settings.pretrain_epochs):
        order, kept = pretrain_draws(settings, len(users), seed, epoch)
        ends = even_steps(len(users), settings.batch)
        if settings.pretrain_batch == "interactions":
            order, ends = by_slate(slates, order, settings.batch)
        both = np.stack([better[order], worse[order]], axis=1).ravel()
        kept = kept.reshape(-1, 2, settings.hidden)
        rows = Rows(np.repeat(users[order], 2), both, None, kept, 2 * ends)
        losses[epoch] = train(weights, state, stated, share, embeddings, rows, settings)
        losses[epoch] /= len(users)
    return losses


def pairs(slate_arms: Ints, rewards: Floats) -> tuple[Ints, Ints, Ints]:
    """Return slate, better and worse arm of every pair of a slate whose rewards differ.

    Slates come in their order, a slate's pairs (i, j), i < j, lexicographically.
    """
    slate, better, worse = comparisons(rewards)
    return slate, slate_arms[slate, better], slate_arms[slate, worse]


def comparisons(rewards: Floats) -> tuple[Ints, Ints, Ints]:
    """Return slate, better and worse place of every pair of a slate whose rewards differ."""
    first, second = np.triu_indices(rewards.shape[1], 1)
    ahead, behind = rewards[:, first], rewards[:, second]
    slate, pair = np.nonzero(ahead != behind)
    wins = ahead[slate, pair] > behind[slate, pair]
    i, j = first[pair], second[pair]
    return slate, np.where(wins, i, j), np.where(wins, j, i)


def by_slate(slates: Ints, order: Ints, batch: int) -> tuple[Ints, Ints]:
    """Keep a slate's pairs together, slates in the order in which their first pairs come.

    Args:
        slates: every pair's slate (n,).
        order: a permutation of the n pairs.
        batch: slates a step.

    Returns:
        The pairs' order, and where each step's pairs end.
    """
    _, which = np.unique(slates, return_inverse=True)
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    first = np.full(which.max() + 1, len(order))
    np.minimum.at(first, which, place)
    together = np.lexsort((place, first[which]))
    turn = np.unique(first[which][together], return_inverse=True)[1] // batch
    return together, np.append(np.flatnonzero(np.diff(turn)) + 1, len(order))


def pretrain_draws(settings: TrainingSettings, n: int, seed: int, epoch: int) -> tuple[Ints, Flags]:
    """Return an epoch's order of n pairs and the outputs that dropout keeps.

    Returns:
        order: a permutation of the n pairs.
        kept: (n, 2, 2, d): for the pairs in that order, the better and the worse arm, both layers.
    """
    order = generator(seed, "bandit/pretrain/order", epoch).permutation(n)
    draws = generator(seed, "bandit/pretrain/dropout", epoch).random(
        (n, 2, 2, settings.hidden), dtype=np.float32
    )
    return order, draws >= np.float32(settings.dropout)
