"""Online updates of the reward network: mean squared error on the newest observations, Eq. (4)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pearl.bandits.network import Adam, Floats32, TrainingSettings, Weights
from pearl.bandits.trainer import Rows, even_steps, train
from pearl.randomness import generator

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


def update(
    weights: Weights,
    adam: Adam,
    stated: Floats32,
    users: Ints,
    arms: Ints,
    rewards: Floats,
    eps: Floats | None,
    embeddings: Floats32,
    settings: TrainingSettings,
    seed: int,
    number: int,
) -> float:
    """Train on the observations, `settings.passes` times in a new order; weights change in place.

    Args:
        weights: what is trained.
        adam: the optimiser's state; changes in place.
        stated: the users' stated features (U, S), in [0, 1].
        users: every observation's user (n,).
        arms: every observation's arm (n,), as row of `embeddings`.
        rewards: what was observed (n,), in [0, 1].
        eps: the users' errors as tracked when the update begins (U,): e(u) enters as
            (1 - eps_u) e(u), unless damping is off in the settings. None: undamped.
        embeddings: the arms' features (M, Z).
        settings: batch, passes, dropout, learning rate.
        seed: the run's seed.
        number: which update of the run it is; with the pass it indexes order and dropout.

    Returns:
        The mean loss of the observations, each at its own gradient step; nan without any.
    """
    n = len(users)
    if n == 0 or settings.passes == 0:
        return float("nan")
    share = np.ones(len(stated), dtype=np.float32)
    if eps is not None and settings.damping:
        share = (1.0 - eps).astype(np.float32)
    total = 0.0
    for k in range(settings.passes):
        order, kept = update_draws(settings, n, seed, number, k)
        seen = rewards[order].astype(np.float32)
        rows = Rows(users[order], arms[order], seen, kept, even_steps(n, settings.batch))
        total += train(weights, adam, stated, share, embeddings, rows, settings)
    return total / (n * settings.passes)


def update_draws(
    settings: TrainingSettings, n: int, seed: int, number: int, k: int
) -> tuple[Ints, Flags]:
    """Return the order of pass k of an update and the outputs that dropout keeps.

    Returns:
        order: a permutation of n observations.
        kept: (n, 2, d), of both layers, for the observations in that order.
    """
    order = generator(seed, "bandit/update/order", number, k).permutation(n)
    draws = generator(seed, "bandit/update/dropout", number, k).random(
        (n, 2, settings.hidden), dtype=np.float32
    )
    return order, draws >= np.float32(settings.dropout)
