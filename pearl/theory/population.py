"""A made population like PRISM's, small enough for seconds, whose regret is split by its users.

Its users, texts and scores are drawn; nothing of it is PRISM.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pearl.bandits.method import load_methods
from pearl.datasets.prism.slates import SLATE_SIZE, STATED, Slates
from pearl.environments.prism_settings import PrismSettings
from pearl.environments.prism_world import PrismWorld
from pearl.randomness import generator
from pearl.simulation.pretrained_network import pretrained_arrays, training_settings
from pearl.simulation.prism_replay import learner_of
from pearl.simulation.replay import play

USERS, SLATES_EACH, LENGTH, EPOCHS = 100, 6, 24, 6


class Split(NamedTuple):
    """A run's regret, split by users."""

    interactions: int
    """T"""
    flipped_rounds: int
    flipped: float
    """Regret of flipped users, summed."""
    stable: float
    """Regret of the others, summed."""

    @property
    def per_flipped(self) -> float:
        """Regret of an interaction with a flipped user."""
        return self.flipped / max(1, self.flipped_rounds)

    @property
    def per_stable(self) -> float:
        """Regret of an interaction with a stable user."""
        return self.stable / max(1, self.interactions - self.flipped_rounds)


def made_slates(seed: int = 0) -> Slates:
    """Return slates whose scores follow users' preferences and what texts are worth to all."""
    source = generator(seed, "theory/population")
    n = USERS * SLATES_EACH
    stated = 100.0 * source.random((USERS, len(STATED)))
    vectors = source.standard_normal((n * SLATE_SIZE, LENGTH))
    vectors /= np.sqrt((vectors * vectors).sum(1, keepdims=True))
    user = np.repeat(np.arange(USERS), SLATES_EACH)
    arms = np.arange(n * SLATE_SIZE).reshape(n, SLATE_SIZE)
    taste = (stated[user] - 50.0) / 50.0
    own = (taste[:, None, :] * vectors[arms][:, :, : len(STATED)]).sum(2)
    scores = (
        50.0
        + 55.0 * own
        + 60.0 * vectors[arms][:, :, -1]
        + 8.0 * source.standard_normal(arms.shape)
    )
    return Slates(
        users=tuple(f"user{i}" for i in range(USERS)),
        stated=stated,
        conversations=tuple(f"c{i}" for i in range(n)),
        user=user,
        scores=np.clip(np.rint(scores), 1, 100).astype(np.int64),
        arms=arms,
        embeddings=vectors.astype(np.float32),
    )


def split_regret(method: str, flip: float = 0.5, seed: int = 0) -> Split:
    """Run a method of methods.yaml on the population and split its regret."""
    settings = PrismSettings(
        flip=flip, hidden=32, embedding=8, update_interval=None, max_observations=None
    )
    world = PrismWorld.of(made_slates(seed), settings, seed)
    chosen = load_methods()[method]
    network = pretrained_arrays(
        world.pretraining(),
        world.stated,
        world.slates.embeddings,
        training_settings(settings, True),
        seed,
    )
    log = play(world.blocks(EPOCHS), learner_of(world, chosen, EPOCHS, network))
    changed: NDArray[np.bool_] = world.changed[log.users]
    return Split(
        len(log),
        int(changed.sum()),
        float(log.regret[changed].sum()),
        float(log.regret[~changed].sum()),
    )
