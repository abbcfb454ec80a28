"""MRM: a user weights two bases; MAML learns bases and the weights that adaptation starts from.

    mu = sigmoid(w_u . phi),  sigma = the standard deviation of sigmoid(phi_b) over the bases b

A task is a user with his pairs of rated responses, half of them (rounded up) the support. From the
common start w_0 his weights take three gradient steps of rate .01 on the support's Bradley-Terry
loss; network and w_0 then move against the query's loss of the adapted weights, through the three
steps (second order). Deployed users start at weights adapted on all their pairs; online the users'
weights go on learning, by the squared error, while the bases rest.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pearl.bandits.gradient import sigmoids
from pearl.bandits.heads.bases import combined, dots, spread
from pearl.bandits.heads.head import RewardHead
from pearl.bandits.heads.maml import Population, adapted, meta
from pearl.bandits.heads.network import (
    Floats,
    Ints,
    Parameters,
    Pass,
    backward,
    descend,
    forward,
    inputs,
)
from pearl.bandits.heads.parts import Features, Loss, Model, Rows, Slates, squared
from pearl.bandits.network import Floats32, TrainingSettings
from pearl.randomness import generator


class MRM(RewardHead):
    """Two bases, three inner steps of rate .01 (Table 4)."""

    outputs = 2
    based = True
    steps = 3
    rate = 0.01

    def tables(self, users: int) -> Parameters:
        """Return w_0 at the bases' mean, and with it every user."""
        start = np.full(self.outputs, 1.0 / self.outputs, dtype=np.float32)
        return {"start": start, "weights": np.tile(start, (users, 1))}

    def personal(self) -> list[str]:
        """Return the users' weights."""
        return ["weights"]

    def pretrain(
        self, model: Model, slates: Slates, known: Features, training: TrainingSettings, seed: int
    ) -> Floats:
        """Meta-train, then adapt every user on all his pairs.

        A step takes as many whole users as begin within `training.batch` pairs, so that it sees
        about as many pairs as a step of the MLP.

        Returns:
            The users' mean query loss after adaptation, by epoch.
        """
        losses = np.full(training.pretrain_epochs, np.nan)
        population = Population.of(slates[0], slates[2])
        owners = population.owners
        if len(owners) == 0:
            return losses
        for epoch in range(training.pretrain_epochs):
            support = population.halves(generator(seed, "bandit/pretrain/support", epoch))
            order = owners[generator(seed, "bandit/pretrain/users", epoch).permutation(len(owners))]
            kept = _kept(training, slates[1].size, seed, epoch)
            total = 0.0
            for chosen in population.batches(order, training.batch):
                total += self._step(model, slates, known, training, population, chosen,
                                    support, kept)  # fmt: skip
            losses[epoch] = total / len(order)
        self._adapt(model, slates, known, population)
        return losses

    def _step(
        self,
        model: Model,
        slates: Slates,
        known: Features,
        training: TrainingSettings,
        population: Population,
        chosen: Ints,
        support: NDArray[np.bool_],
        kept: NDArray[np.bool_],
    ) -> float:
        p = model.parameters
        scale = 1.0 / (1.0 - training.dropout)
        s, users = _pass(p, slates, known, population.slates_of(chosen), kept, scale)
        loss, by_phi, by_start = meta(
            s.outputs.astype(np.float64),
            p["start"].astype(np.float64),
            population.tasks(chosen, support),
            len(chosen),
            self.steps,
            self.rate,
        )
        layers, embedded = backward(p, s, by_phi.astype(np.float32), known.stated.shape[1])
        # pairs cancel them: what Adam would follow is rounding, at its full rate
        del layers["offsets"]
        gradient = layers | {"users": np.zeros_like(p["users"]), "start": _narrow(by_start)}
        np.add.at(gradient["users"], users, embedded)
        descend(p, model.adam, gradient, training.learning_rate)
        return loss * len(chosen)

    def _adapt(self, model: Model, slates: Slates, known: Features, population: Population) -> None:
        """Set every user's weights: w_0 adapted on all his pairs, w_0 itself without any."""
        p, owners = model.parameters, population.owners
        s, _ = _pass(p, slates, known, population.slates_of(owners), None, 1.0)
        phi = s.outputs.astype(np.float64)
        tasks = population.tasks(owners, np.ones(len(population.slate), dtype=np.bool_))
        start = np.tile(p["start"].astype(np.float64), (len(owners), 1))
        psi = phi[tasks.better] - phi[tasks.worse]
        p["weights"][:] = p["start"]
        p["weights"][owners] = adapted(psi, start, tasks, self.steps, self.rate)[-1]

    def pretraining_loss(self, p: Parameters, phi: Floats, rows: Rows) -> Loss:
        """Isn't called: MRM pretrains on tasks, not on ratings."""
        raise NotImplementedError("MRM's pretraining is MAML")

    def online_loss(self, p: Parameters, phi: Floats, rows: Rows) -> Loss:
        """Return the squared error."""
        n, w = len(phi), p["weights"][rows.users].astype(np.float64)
        losses, slope = squared(sigmoids(dots(w, phi)), rows.rewards)
        by_weights = np.zeros(p["weights"].shape)
        np.add.at(by_weights, rows.users, slope[:, None] * phi)
        tables = {"weights": by_weights / n, "start": np.zeros(self.outputs)}
        return Loss(math.fsum(losses), slope[:, None] * w / n, tables)

    def predict(
        self, p: Parameters, phi: Floats, users: Ints, noise: Floats
    ) -> tuple[Floats, Floats]:
        """Return the weighted bases' reward and how far the bases' own rewards lie apart."""
        w = p["weights"][users].astype(np.float64)
        alone = [sigmoids(np.ascontiguousarray(phi[..., b])) for b in range(self.outputs)]
        return sigmoids(dots(w[:, None, :], phi)), spread(alone)

    def linear(self, p: Parameters) -> tuple[Floats32, Floats32]:
        """Return the weighted sum of the bases, user by user."""
        return combined(p, p["weights"])


def _pass(
    p: Parameters,
    slates: Slates,
    known: Features,
    mine: Ints,
    kept: NDArray[np.bool_] | None,
    scale: float,
) -> tuple[Pass, Ints]:
    """Return the pass over all arms of the slates `mine` and every row's user."""
    users, arms, _ = slates
    rows = np.repeat(users[mine], arms.shape[1])
    cells = (mine[:, None] * arms.shape[1] + np.arange(arms.shape[1])).reshape(-1)
    share = np.ones(len(known.stated), dtype=np.float32)
    x = inputs(p, known.stated, share, known.arms, rows, arms.reshape(-1)[cells])
    return forward(p, x, None if kept is None else kept[cells], scale), rows


def _kept(training: TrainingSettings, n: int, seed: int, epoch: int) -> NDArray[np.bool_]:
    """Return what dropout keeps of all rated responses in an epoch (n, 2, d)."""
    draws = generator(seed, "bandit/pretrain/users/dropout", epoch).random(
        (n, 2, training.hidden), dtype=np.float32
    )
    return draws >= np.float32(training.dropout)


def _narrow(a: Floats) -> Floats32:
    return a.astype(np.float32)
