"""What a reward head is, and how it is trained; a new head is a class in a file of its own.

A head turns the network's outputs phi (B an arm) into a predicted reward mu and an uncertainty
sigma, and says what it is trained on before and after deployment. It may hold tables of its own
beside the network, such as every user's weights of the bases.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from pearl.bandits.heads.network import (
    LAYERS,
    Floats,
    Ints,
    Parameters,
    backward,
    descend,
    forward,
    initial,
    inputs,
    new_adam,
)
from pearl.bandits.heads.parts import Features, Loss, Model, Rows, Slates
from pearl.bandits.network import Floats32, TrainingSettings
from pearl.bandits.training import update_draws
from pearl.randomness import generator


class RewardHead(ABC):
    """A reward head: which outputs it has, how they predict, what they are trained on."""

    outputs: ClassVar[int]
    """B, the network's outputs an arm."""
    based: ClassVar[bool] = False
    """Whether users weight common bases: then a method may freeze the bases online (Table 4)."""
    sampled: ClassVar[bool] = False
    """Whether training draws weights."""

    def tables(self, users: int) -> Parameters:
        """Return the head's own parameters at their start, none by default."""
        return {}

    @abstractmethod
    def pretraining_loss(self, p: Parameters, phi: Floats, rows: Rows) -> Loss:
        """Return the loss that pretraining lowers, of a batch with outputs phi (n, B)."""

    @abstractmethod
    def online_loss(self, p: Parameters, phi: Floats, rows: Rows) -> Loss:
        """Return the loss that an online update lowers."""

    @abstractmethod
    def predict(
        self, p: Parameters, phi: Floats, users: Ints, noise: Floats
    ) -> tuple[Floats, Floats]:
        """Return mu in (0, 1) and sigma >= 0, each (n, K), of arms with outputs phi (n, K, B).

        Args:
            p: the parameters.
            phi: the network's outputs.
            users: whose arms they are (n,).
            noise: what `noise` returned.
        """

    @abstractmethod
    def linear(self, p: Parameters) -> tuple[Floats32, Floats32]:
        """Return head and offset whose logit gives mu: (U, d) and (U, 1), or one for all users."""

    def noise(self, seed: int, number: int) -> Floats:
        """Return what predictions draw between update `number` - 1 and the next, if anything."""
        return np.empty((0, self.outputs))

    def parameters(self) -> tuple[str, ...]:
        """Return the names of all parameters."""
        return (*LAYERS, *self.tables(0))

    def start(
        self, training: TrainingSettings, users: int, stated: int, arm: int, seed: int
    ) -> Model:
        """Return the model that pretraining starts from."""
        p = initial(training, users, stated, arm, self.outputs, seed) | self.tables(users)
        return Model(p, new_adam(p))

    def pretrain(
        self, model: Model, slates: Slates, known: Features, training: TrainingSettings, seed: int
    ) -> Floats:
        """Train on every rated response by itself; return the mean loss of every epoch."""
        users, arms, rewards = slates
        flat = np.repeat(users, arms.shape[1]), arms.reshape(-1), rewards.reshape(-1)
        share = np.ones(len(known.stated), dtype=np.float32)
        losses = np.full(training.pretrain_epochs, np.nan)
        for epoch in range(training.pretrain_epochs if len(users) else 0):
            order, kept = rating_draws(training, len(flat[0]), seed, epoch)
            noise = self._row_noise(len(order), seed, "pretrain", epoch)
            rows = Rows(flat[0][order], flat[1][order], flat[2][order], noise, kept)
            losses[epoch] = self._fit(model, known, share, rows, training, tuple(model.parameters))
            losses[epoch] /= len(order)
        return losses

    def update(
        self,
        model: Model,
        known: Features,
        observed: tuple[Ints, Ints, Floats],
        errors: Floats,
        training: TrainingSettings,
        seed: int,
        number: int,
        frozen: bool,
    ) -> float:
        """Train on observations, order and dropout drawn as for the MLP; return the mean loss.

        Args:
            model: changes in place.
            known: features of users and arms.
            observed: users, arms and rewards, each (n,).
            errors: eps_u at the update's start (U,): e(u) enters as (1 - eps_u) e(u).
            training: batch, passes, dropout, damping.
            seed: the run's seed.
            number: which update of the run it is, from 0.
            frozen: whether the bases, all of the network, stay as they are; nothing is dropped
                then. Heads without bases train the whole network in any case.
        """
        n = len(observed[0])
        names = [name for name in model.parameters if not (frozen and self.based)]
        names = names or self.personal()
        share = np.ones(len(known.stated), dtype=np.float32)
        if training.damping:
            share = (1.0 - errors).astype(np.float32)
        total = 0.0
        for k in range(training.passes):
            order, kept = update_draws(training, n, seed, number, k)
            noise = self._row_noise(n, seed, "update", number, k)
            users, arms, rewards = observed
            rows = Rows(users[order], arms[order], rewards[order], noise, kept)
            total += self._fit(model, known, share, rows, training, tuple(names), online=True)
        return total / max(n * training.passes, 1)

    def personal(self) -> list[str]:
        """Return the tables that still learn where bases are frozen."""
        return []

    def _row_noise(self, n: int, seed: int, stage: str, *index: int) -> Floats:
        if not self.sampled:
            return np.empty((n, 0))
        return generator(seed, f"bandit/{stage}/weights", *index).standard_normal((n, self.outputs))

    def _fit(
        self,
        model: Model,
        known: Features,
        share: Floats32,
        rows: Rows,
        training: TrainingSettings,
        names: tuple[str, ...],
        online: bool = False,
    ) -> float:
        """Take a step of Adam every `training.batch` rows with the parameters named."""
        p, stated = model.parameters, known.stated.shape[1]
        loss = self.online_loss if online else self.pretraining_loss
        whole = bool(set(names) & set(LAYERS))
        scale = 1.0 / (1.0 - training.dropout)
        total = 0.0
        for first in range(0, len(rows.users), training.batch):
            batch = rows.take(slice(first, first + training.batch))
            x = inputs(p, known.stated, share, known.arms, batch.users, batch.arms)
            s = forward(p, x, batch.kept if whole else None, scale)
            found = loss(p, s.outputs.astype(np.float64), batch)
            total += found.total
            gradient = {name: g.astype(np.float32) for name, g in found.tables.items()}
            if whole:
                layers, embedded = backward(p, s, found.outputs.astype(np.float32), stated)
                gradient |= layers | {"users": np.zeros_like(p["users"])}
                np.add.at(gradient["users"], batch.users, share[batch.users, None] * embedded)
            descend(p, model.adam, {name: gradient[name] for name in names}, training.learning_rate)
        return total


def rating_draws(
    training: TrainingSettings, n: int, seed: int, epoch: int
) -> tuple[Ints, NDArray[np.bool_]]:
    """Return the order of n ratings in an epoch of pretraining and what dropout keeps (n, 2, d)."""
    order = generator(seed, "bandit/pretrain/ratings", epoch).permutation(n)
    draws = generator(seed, "bandit/pretrain/ratings/dropout", epoch).random(
        (n, 2, training.hidden), dtype=np.float32
    )
    return order, draws >= np.float32(training.dropout)
