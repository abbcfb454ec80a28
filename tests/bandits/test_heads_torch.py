"""The reward heads against torch's autograd and Adam, with the same draws, masks and orders."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch
from made_observations import Observed, made_observations
from torch_heads import (
    TorchHead,
    adapted,
    maml_loss,
    mrm_squares,
    urm_nll,
    urm_squares,
    vrf_elbo,
)

from pearl.bandits.heads.head import rating_draws
from pearl.bandits.heads.maml import Population, meta
from pearl.bandits.heads.mrm import MRM
from pearl.bandits.heads.parts import Features, Model, Rows
from pearl.bandits.heads.registry import HEADS
from pearl.bandits.network import TrainingSettings
from pearl.bandits.training import update_draws
from pearl.randomness import generator

SETTINGS = TrainingSettings(hidden=16, embedding=4, pretrain_epochs=2, passes=2, dropout=0.2)
Losses = Callable[..., torch.Tensor]


def world(name: str, n: int = 300) -> tuple[Model, Features, Observed]:
    observed = made_observations(n, users=40, stated=3, arm=12, texts=80)
    known = Features(observed.stated, observed.embeddings)
    model = HEADS[name].start(SETTINGS, 40, 3, 12, seed=3)
    rng = np.random.default_rng(0)
    for table in HEADS[name].tables(40):  # off their common start, so that users differ
        values = model.parameters[table]
        values += (0.3 * rng.standard_normal(values.shape)).astype(np.float32)
    return model, known, observed


def slates_of(observed: Observed, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    arms = observed.arms[: 4 * n].reshape(n, 4)
    return observed.users[:n], arms, np.round(observed.rewards[: 4 * n].reshape(n, 4), 1)


@pytest.mark.parametrize(
    ("name", "online", "reference"),
    [
        ("urm", False, urm_nll),
        ("urm", True, urm_squares),
        ("vrf", False, vrf_elbo),
        ("vrf", True, vrf_elbo),
        ("mrm", True, mrm_squares),
    ],
)
def test_a_loss_and_its_gradient(name: str, online: bool, reference: Losses) -> None:
    """By the outputs and by the head's own tables, also where logits are large."""
    head, (model, _, _) = HEADS[name], world(name)
    rng = np.random.default_rng(1)
    n = 64
    phi = rng.standard_normal((n, head.outputs)) * np.where(np.arange(n) % 4, 1.0, 6.0)[:, None]
    noise = rng.standard_normal((n, head.outputs if head.sampled else 0))
    users, rewards = rng.integers(0, 40, n), rng.random(n)
    rows = Rows(users, users, rewards, noise, np.ones((n, 2, 1), np.bool_))
    loss = head.online_loss if online else head.pretraining_loss
    found = loss(model.parameters, phi, rows)
    p = {
        key: torch.from_numpy(array.astype(np.float64)).requires_grad_()
        for key, array in model.parameters.items()
    }
    outputs = torch.from_numpy(phi).requires_grad_()
    wanted = reference(p, outputs, torch.from_numpy(users), torch.from_numpy(rewards),
                       torch.from_numpy(noise))  # fmt: skip
    wanted.mean().backward()
    assert found.total == pytest.approx(float(wanted.detach().sum()), rel=1e-10)
    np.testing.assert_allclose(found.outputs, outputs.grad, rtol=1e-9, atol=1e-12)
    assert np.abs(found.outputs[:, 0]).max() > 1e-4
    for key, slope in found.tables.items():
        grad = p[key].grad
        np.testing.assert_allclose(slope, 0.0 if grad is None else grad, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(("name", "reference"), [("urm", urm_nll), ("vrf", vrf_elbo)])
def test_pretraining_on_ratings(name: str, reference: Losses) -> None:
    head, (model, known, observed) = HEADS[name], world(name)
    slates = slates_of(observed, 70)
    users, arms, rewards = np.repeat(slates[0], 4), slates[1].ravel(), slates[2].ravel()
    other = TorchHead(model, known, SETTINGS)
    start = {key: array.copy() for key, array in model.parameters.items()}
    losses = []
    for epoch in range(2):
        order, kept = rating_draws(SETTINGS, 280, 42, epoch)
        noise = generator(42, "bandit/pretrain/weights", epoch).standard_normal((280, head.outputs))
        total = 0.0
        for first in range(0, 280, 32):
            part = slice(first, first + 32)
            rows = order[part]
            phi = other.phi(users[rows], arms[rows], kept[part])
            r, eps = (torch.from_numpy(a.astype(np.float32)) for a in (rewards[rows], noise[part]))
            total += other.step(reference(other.p, phi, torch.from_numpy(users[rows]), r, eps))
        losses.append(total / 280)
    assert head.pretrain(model, slates, known, SETTINGS, 42) == pytest.approx(losses, abs=1e-5)
    other.assert_same(model)
    assert all(np.abs(model.parameters[key] - start[key]).max() > 1e-3 for key in start)


@pytest.mark.parametrize("frozen", [True, False])
@pytest.mark.parametrize(
    ("name", "reference"), [("urm", urm_squares), ("mrm", mrm_squares), ("vrf", vrf_elbo)]
)
def test_two_online_updates(name: str, reference: Losses, frozen: bool) -> None:
    """Damped by the users' errors; frozen bases stay to the last bit and drop nothing."""
    head, (model, known, observed) = HEADS[name], world(name)
    resting = frozen and head.based
    trained = tuple(head.personal()) if resting else tuple(model.parameters)
    start = {key: array.copy() for key, array in model.parameters.items()}
    other = TorchHead(model, known, SETTINGS, trained)
    for number in range(2):
        eps = np.roll(observed.eps, number)
        share = (1.0 - eps).astype(np.float32)
        for k in range(2):
            order, kept = update_draws(SETTINGS, 300, 42, number, k)
            noise = generator(42, "bandit/update/weights", number, k).standard_normal(
                (300, head.outputs)
            )
            for first in range(0, 300, 32):
                part = slice(first, first + 32)
                users, arms = observed.users[order[part]], observed.arms[order[part]]
                phi = other.phi(users, arms, None if resting else kept[part], share)
                r, draw = (
                    torch.from_numpy(a.astype(np.float32))
                    for a in (observed.rewards[order[part]], noise[part])
                )
                other.step(reference(other.p, phi, torch.from_numpy(users), r, draw))
        data = observed.users, observed.arms, observed.rewards
        head.update(model, known, data, eps, SETTINGS, 42, number, frozen=frozen)
    other.assert_same(model)
    for key, before in start.items():
        moved = not np.array_equal(model.parameters[key], before)
        # w_0 is where MAML starts: nothing online moves it
        assert moved == (key in trained and key != "start"), key


def test_mamls_outer_gradient() -> None:
    """Through all three inner steps, by bases and start; a first-order one would be elsewhere."""
    rng = np.random.default_rng(2)
    n, size = 30, 9
    users, rewards = np.sort(rng.integers(0, size, n)), rng.permuted(
        np.tile([0.1, 0.4, 0.7, 0.9], (n, 1)), axis=1
    )  # fmt: skip
    population = Population.of(users, rewards)
    owners = population.owners
    support = population.halves(rng)
    tasks = population.tasks(owners, support)
    phi, start = 2.0 * rng.standard_normal((4 * n, 2)), np.array([0.7, -0.4])
    rate = 0.5  # large, so that second-order terms show
    loss, by_phi, by_start = meta(phi, start, tasks, len(owners), 3, rate)
    outputs = torch.from_numpy(phi).requires_grad_()
    w0 = torch.from_numpy(start).requires_grad_()
    psi = outputs[tasks.better] - outputs[tasks.worse]
    total = torch.zeros((), dtype=torch.float64)
    for task in range(len(owners)):
        mine = torch.from_numpy(tasks.task == task)
        inner = torch.from_numpy(tasks.support > 0) & mine
        total = total + maml_loss(w0, psi[inner], psi[mine & ~inner], 3, rate)
    (total / len(owners)).backward()
    assert loss == pytest.approx(float(total.detach()) / len(owners), rel=1e-12)
    np.testing.assert_allclose(by_phi, outputs.grad, rtol=1e-9, atol=1e-13)
    np.testing.assert_allclose(by_start, w0.grad, rtol=1e-9)
    support_rows = np.concatenate([tasks.better, tasks.worse])[np.tile(tasks.support > 0, 2)]
    only_support = np.setdiff1d(support_rows, np.concatenate(
        [tasks.better, tasks.worse])[np.tile(tasks.query > 0, 2)])  # fmt: skip
    assert np.abs(by_phi[only_support]).max() > 1e-3  # zero to first order


def test_meta_training() -> None:
    """Two epochs of MRM's pretraining, and the weights that users are deployed with."""
    head, (model, known, observed) = MRM(), world("mrm")
    slates = slates_of(observed, 60)
    population = Population.of(slates[0], slates[2])
    owners = population.owners
    outer = tuple(key for key in model.parameters if key not in ("weights", "offsets"))
    start = {key: array.copy() for key, array in model.parameters.items()}
    other = TorchHead(model, known, SETTINGS, outer)
    users, arms = np.repeat(slates[0], 4), slates[1].ravel()
    places = {tuple(pair) for pair in zip(population.better, population.worse, strict=True)}
    assert len(places) == 12

    def psi_of(user: int, support: np.ndarray, kept: np.ndarray | None) -> list[torch.Tensor]:
        phi = other.phi(users, arms, kept)
        mine = slates[0][population.slate] == user
        pairs = [mine & support, mine & ~support]
        if not pairs[1].any():
            pairs[1] = pairs[0]
        first = 4 * population.slate
        return [
            phi[(first + population.better)[some]] - phi[(first + population.worse)[some]]
            for some in pairs
        ]

    losses = []
    for epoch in range(2):
        support = population.halves(generator(42, "bandit/pretrain/support", epoch))
        order = owners[generator(42, "bandit/pretrain/users", epoch).permutation(len(owners))]
        kept = generator(42, "bandit/pretrain/users/dropout", epoch).random(
            (240, 2, 16), dtype=np.float32
        ) >= np.float32(0.2)  # fmt: skip
        total = 0.0
        for chosen in population.batches(order, 32):
            tasks = [
                maml_loss(other.p["start"], *psi_of(user, support, kept), 3, 0.01)
                for user in chosen
            ]
            total += other.step(torch.stack(tasks))
        losses.append(total / len(owners))
    assert head.pretrain(model, slates, known, SETTINGS, 42) == pytest.approx(losses, abs=1e-6)
    everything = np.ones(len(population.slate), np.bool_)
    with torch.no_grad():
        other.p["weights"][:] = other.p["start"]
    for user in owners:
        weights = adapted(other.p["start"], psi_of(user, everything, None)[0], 3, 0.01)
        with torch.no_grad():
            other.p["weights"][user] = weights
    other.assert_same(model)
    alone = np.setdiff1d(np.arange(40), owners)
    assert len(alone)
    assert (model.parameters["weights"][alone] == model.parameters["start"]).all()
    moves = {key: np.abs(model.parameters[key] - start[key]).max() for key in outer}
    assert min(moves.values()) > 1e-4, moves
    # every pair cancels the offsets
    assert np.array_equal(model.parameters["offsets"], start["offsets"])
