"""The compiled trainer against torch's autograd and Adam, with the same masks and orders."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest
import torch
from made_observations import Observed, made_observations
from torch_network import TorchNetwork

from pearl.bandits.network import TrainingSettings, Weights, new_adam
from pearl.bandits.pretraining import pairs, pretrain, pretrain_draws
from pearl.bandits.training import update, update_draws

SETTINGS = TrainingSettings()
TOLERANCE = 1e-5


class TorchTrainer:
    """The same network and optimiser in torch."""

    def __init__(self, weights: Weights, settings: TrainingSettings, observed: Observed) -> None:
        self.settings = settings
        self.network = TorchNetwork(weights, settings.dropout)
        self.adam = torch.optim.Adam(self.network.parameters(), lr=settings.learning_rate)
        self.stated = torch.from_numpy(observed.stated)
        self.embeddings = torch.from_numpy(observed.embeddings)

    def logits(
        self, users: np.ndarray, arms: np.ndarray, kept: np.ndarray, share: np.ndarray | None = None
    ) -> torch.Tensor:
        rows = torch.from_numpy(users), torch.from_numpy(arms)
        factor = (
            1.0 if share is None else torch.from_numpy(share[users].astype(np.float32))[:, None]
        )
        x = self.network.inputs(self.stated, self.embeddings, *rows, factor)
        return self.network.logits(x, torch.from_numpy(kept))

    def step(self, losses: torch.Tensor) -> float:
        self.adam.zero_grad()
        losses.mean().backward()
        self.adam.step()
        return float(losses.detach().sum())

    def update(self, observed: Observed, share: np.ndarray | None, number: int) -> float:
        n, total, size = len(observed.users), 0.0, self.settings.batch
        for k in range(self.settings.passes):
            order, kept = update_draws(self.settings, n, 42, number, k)
            for start in range(0, n, size):
                rows, part = order[start : start + size], kept[start : start + size]
                logits = self.logits(observed.users[rows], observed.arms[rows], part, share)
                rewards = torch.from_numpy(observed.rewards[rows].astype(np.float32))
                total += self.step((torch.sigmoid(logits) - rewards) ** 2)
        return total / (n * self.settings.passes)

    def steps(self, of_slate: np.ndarray, order: np.ndarray, size: int) -> list[np.ndarray]:
        if self.settings.pretrain_batch == "pairs":
            return [order[start : start + size] for start in range(0, len(order), size)]
        turns = list(dict.fromkeys(of_slate[order].tolist()))
        whole = [order[of_slate[order] == slate] for slate in turns]
        return [np.concatenate(whole[k : k + size]) for k in range(0, len(whole), size)]

    def pretrain(self, slates: tuple[np.ndarray, np.ndarray, np.ndarray]) -> list[float]:
        of_slate, better, worse = pairs(*slates[1:])
        users = slates[0][of_slate]
        losses, size = [], self.settings.batch
        for epoch in range(self.settings.pretrain_epochs):
            order, kept = pretrain_draws(self.settings, len(users), 42, epoch)
            total, start = 0.0, 0
            for rows in self.steps(of_slate, order, size):
                part = kept[start : start + len(rows)]
                start += len(rows)
                ahead = self.logits(users[rows], better[rows], part[:, 0])
                behind = self.logits(users[rows], worse[rows], part[:, 1])
                total += self.step(torch.nn.functional.softplus(behind - ahead))
            losses.append(total / len(users))
        return losses


def assert_same(weights: Weights, network: TorchNetwork) -> None:
    for name, ours, theirs in zip(Weights._fields, weights, network.weights(), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=TOLERANCE, err_msg=name)


def moved(before: Weights, after: Weights) -> None:
    for name, a, b in zip(Weights._fields, before, after, strict=True):
        assert a.size == 0 or np.abs(a - b).max() > 100 * TOLERANCE, name


def slates_of(observed: Observed, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    arms = observed.arms[: 4 * n].reshape(n, 4)
    return observed.users[:n], arms, np.round(observed.rewards[: 4 * n].reshape(n, 4), 1)


def test_two_updates_of_2000_observations() -> None:
    """The second goes on with Adam's moments and other errors of the users."""
    observed = made_observations(2000, users=400, texts=2000)
    start = observed.weights(SETTINGS)
    weights, adam = start.copy(), new_adam(start)
    torch_trainer = TorchTrainer(start, SETTINGS, observed)
    for number in range(2):
        eps = np.roll(observed.eps, number)
        loss = update(
            weights,
            adam,
            *observed[:1],
            *observed[2:5],
            eps,
            observed.embeddings,
            SETTINGS,
            42,
            number,
        )
        assert loss == pytest.approx(torch_trainer.update(observed, 1.0 - eps, number), abs=1e-6)
        assert_same(weights, torch_trainer.network)
    moved(start, weights)
    assert adam.steps[0] == 2 * 63


@pytest.mark.parametrize(("stated", "counted"), [(8, "pairs"), (0, "pairs"), (8, "interactions")])
def test_an_epoch_of_pretraining(stated: int, counted: Literal["pairs", "interactions"]) -> None:
    """With user features and without any (d_u = 0); a step of 32 pairs or of 32 interactions."""
    settings = TrainingSettings(
        pretrain_epochs=1, embedding=32 if stated else 0, pretrain_batch=counted
    )
    observed = made_observations(1200, users=400, texts=2000, stated=stated)
    slates = slates_of(observed, 300)
    weights = observed.weights(settings)
    torch_trainer = TorchTrainer(weights, settings, observed)
    start = weights.copy()
    losses = pretrain(weights, observed.stated, *slates, observed.embeddings, settings, 42)
    assert losses == pytest.approx(torch_trainer.pretrain(slates), abs=1e-6)
    assert_same(weights, torch_trainer.network)
    # the head's bias cancels in every pair
    moved(start._replace(bias=start.bias[:0]), weights._replace(bias=weights.bias[:0]))


@pytest.mark.parametrize("hidden", [1, 5, 20])
def test_odd_shapes(hidden: int) -> None:
    """Sizes that the blocks of the matrix product don't divide; the last batch has one row."""
    settings = TrainingSettings(hidden=hidden, embedding=3, batch=7, passes=2, dropout=0.3)
    observed = made_observations(50, users=6, stated=2, arm=13, texts=9)
    weights = observed.weights(settings)
    torch_trainer = TorchTrainer(weights, settings, observed)
    loss = update(
        weights,
        new_adam(weights),
        observed.stated,
        *observed[2:5],
        None,
        observed.embeddings,
        settings,
        42,
        5,
    )
    assert loss == pytest.approx(torch_trainer.update(observed, None, 5), abs=1e-6)
    assert_same(weights, torch_trainer.network)
