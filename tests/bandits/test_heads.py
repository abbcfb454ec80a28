"""What the reward heads say, by hand, and which products of axes with them exist."""

from __future__ import annotations

import math

import numpy as np
import pytest
from pydantic import ValidationError

from pearl.bandits.heads.bases import dots, spread
from pearl.bandits.heads.maml import Population, Tasks, adapted, meta
from pearl.bandits.heads.parts import Rows
from pearl.bandits.heads.registry import HEADS
from pearl.bandits.heads.urm import URM
from pearl.bandits.heads.vrf import VRF, divergence
from pearl.bandits.method import BanditMethod, load_methods

NOBODY = np.zeros(1, np.int64)
NO_NOISE = np.empty((0, 0))


def logistic(x: float) -> float:
    return 1.0 / (1.0 + math.exp(-x))


def rows_of(rewards: list[float], noise: np.ndarray | None = None) -> Rows:
    n = len(rewards)
    users = np.zeros(n, np.int64)
    kept = np.ones((n, 2, 1), np.bool_)
    return Rows(users, users, np.array(rewards), np.empty((n, 0)) if noise is None else noise, kept)


def test_urms_delta_method() -> None:
    """logit ~ N(m, e^s): the sigmoid's slope at m stretches e^(s/2)."""
    phi = np.array([[[0.0, math.log(0.04)], [math.log(3.0), 0.0], [2.0, 99.0]]])
    means, sigmas = URM().predict({}, phi, NOBODY, NO_NOISE)
    assert means[0] == pytest.approx([0.5, 0.75, logistic(2.0)], rel=1e-14)
    widest = logistic(2.0) * logistic(-2.0) * math.exp(5.0)
    assert sigmas[0] == pytest.approx([0.25 * 0.2, 0.1875, widest], rel=1e-13)
    # the first-order spread of a narrow Gaussian is what sampling it gives
    draws = np.random.default_rng(0).standard_normal(400_000)
    sampled = np.std(1.0 / (1.0 + np.exp(-(1.0 + 0.05 * draws))))
    narrow = URM().predict({}, np.array([[[1.0, math.log(0.05**2)]]]), NOBODY, NO_NOISE)[1]
    assert narrow[0, 0] == pytest.approx(sampled, rel=5e-3)


def test_urms_likelihood_by_hand() -> None:
    """mu = .75, sigma = .75 .25 = .1875, r = 1: log .1875 + (.25 / .1875)^2 / 2."""
    loss = URM().pretraining_loss({}, np.array([[math.log(3.0), 0.0]]), rows_of([1.0]))
    assert loss.total == pytest.approx(math.log(0.1875) + 0.5 * (4.0 / 3.0) ** 2, rel=1e-14)
    # mu rounds to 1: the loss stays finite, as does its slope
    far = URM().pretraining_loss({}, np.array([[60.0, 3.0], [-60.0, -99.0]]), rows_of([1.0, 0.0]))
    assert np.isfinite([far.total, *far.outputs.ravel()]).all()
    assert far.outputs[1, 1] == 0.0


def test_online_urms_log_variance_rests() -> None:
    loss = URM().online_loss({}, np.array([[0.0, 1.0]]), rows_of([1.0]))
    assert loss.total == 0.25
    assert loss.outputs.tolist() == [[2.0 * -0.5 * 0.25, 0.0]]


def test_vrfs_divergence_by_hand() -> None:
    """KL(N(m, s^2) || N(0, 1)) = (s^2 + m^2 - 1 - log s^2) / 2, summed over the weights."""
    shift = np.array([[0.0, 0.0], [0.3, 0.0], [1.0, -2.0]])
    log_variance = np.array([[0.0, 0.0], [0.0, 0.0], [math.log(0.25), math.log(4.0)]])
    kl, by_shift, by_log_variance = divergence(shift, log_variance)
    third = 0.5 * (0.25 + 1.0 - 1.0 + math.log(4.0)) + 0.5 * (4.0 + 4.0 - 1.0 - math.log(4.0))
    assert kl == pytest.approx([0.0, 0.045, third], rel=1e-14, abs=1e-16)
    assert by_shift.tolist() == shift.tolist()
    assert by_log_variance[2] == pytest.approx([0.5 * (0.25 - 1.0), 0.5 * (4.0 - 1.0)])


def test_vrf_at_its_prior_predicts_around_the_population() -> None:
    head = VRF()
    p = head.tables(1)
    phi = np.random.default_rng(0).standard_normal((1, 3, 12))
    noise = head.noise(0, 0)
    means, sigmas = head.predict(p, phi, NOBODY, noise)
    common = 1.0 / math.sqrt(12.0)
    assert means[0] == pytest.approx([logistic(common * row.sum()) for row in phi[0]], rel=1e-6)
    drawn = [[logistic((common + eps) @ row) for row in phi[0]] for eps in noise]
    assert sigmas[0] == pytest.approx(np.std(drawn, axis=0), rel=1e-6)
    assert len(noise) == 16
    assert np.array_equal(noise, head.noise(0, 0))
    assert not np.array_equal(noise, head.noise(0, 1))
    # a posterior without width predicts without doubt
    p["log_variance"][:] = -60.0
    assert head.predict(p, phi, NOBODY, noise)[1].max() < 1e-12


def test_mrms_uncertainty_is_its_bases_disagreement() -> None:
    p = {"weights": np.array([[0.25, 0.75]], np.float32)}
    phi = np.array([[[0.0, math.log(3.0)], [1.0, 1.0]]])
    means, sigmas = HEADS["mrm"].predict(p, phi, NOBODY, NO_NOISE)
    assert means[0] == pytest.approx([logistic(0.75 * math.log(3.0)), logistic(1.0)], rel=1e-14)
    assert sigmas[0] == pytest.approx([0.125, 0.0], rel=1e-14)


def test_the_spread_and_the_dots() -> None:
    values = [np.array([1.0, 2.0]), np.array([3.0, 2.0])]
    assert spread(values).tolist() == [1.0, 0.0]
    assert dots(np.array([1.0, 2.0]), np.array([[3.0, 4.0], [0.0, 1.0]])).tolist() == [11.0, 2.0]


def test_maml_on_one_pair() -> None:
    """One base, one user with one pair, psi = 1 and w_0 = 0: support is query too.

    A step is w' = w + rate sigmoid(-w); dw'/dw = 1 - rate sigmoid(w) sigmoid(-w).
    """
    one, first = np.ones(1), np.zeros(1, np.int64)
    tasks = Tasks(first, first + 1, first, one, one)
    phi, rate = np.array([[1.0], [0.0]]), 0.5
    w, slope = 0.0, 1.0
    path = [w]
    for _ in range(3):
        slope *= 1.0 - rate * logistic(w) * logistic(-w)
        w += rate * logistic(-w)
        path.append(w)
    found = adapted(np.ones((1, 1)), np.zeros((1, 1)), tasks, 3, rate)
    assert [float(step[0, 0]) for step in found] == pytest.approx(path, rel=1e-14)
    loss, by_phi, by_start = meta(phi, np.zeros(1), tasks, 1, 3, rate)
    assert loss == pytest.approx(math.log1p(math.exp(-w)), rel=1e-14)
    assert by_start[0] == pytest.approx(-logistic(-w) * slope, rel=1e-13)
    # by phi, as a difference quotient of the whole thing
    step = 1e-6
    ends = [
        meta(phi + np.array([[side], [0.0]]), np.zeros(1), tasks, 1, 3, rate)[0]
        for side in (-step, step)
    ]
    assert by_phi[0, 0] == pytest.approx((ends[1] - ends[0]) / (2 * step), rel=1e-7)
    assert by_phi[1, 0] == -by_phi[0, 0]


def test_a_users_pairs_are_split_in_halves() -> None:
    users = np.array([2, 0, 2, 5])
    rewards = np.array([[0.1, 0.2, 0.3], [0.5, 0.5, 0.5], [0.3, 0.3, 0.1], [0.9, 0.5, 0.5]])
    population = Population.of(users, rewards)
    assert population.owners.tolist() == [2, 5]  # user 0 has ties only
    assert population.slate.tolist() == [0, 0, 0, 2, 2, 3, 3]
    support = population.halves(np.random.default_rng(0))
    assert [int(support[:5].sum()), int(support[5:].sum())] == [3, 1]
    assert population.slates_of(np.array([5, 2])).tolist() == [0, 2, 3]
    tasks = population.tasks(np.array([5, 2]), support)
    assert tasks.task.tolist() == [1] * 5 + [0] * 2
    assert tasks.better.tolist() == [1, 2, 2, 3, 4, 6, 6]
    assert tasks.worse.tolist() == [0, 0, 1, 5, 5, 7, 8]
    assert sorted(tasks.support[:5]) == pytest.approx([0.0, 0.0, 1 / 3, 1 / 3, 1 / 3])
    assert sorted(tasks.query[:5]) == pytest.approx([0.0, 0.0, 0.0, 0.5, 0.5])
    # who has one pair only adapts and is asked on it
    alone = Population.of(np.array([4]), np.array([[0.2, 0.9]]))
    single = alone.tasks(np.array([4]), alone.halves(np.random.default_rng(0)))
    assert (single.support.tolist(), single.query.tolist()) == ([1.0], [1.0])


def test_a_meta_step_holds_whole_users_and_about_a_batch_of_pairs() -> None:
    users = np.repeat(np.arange(20), 2)
    population = Population.of(users, np.tile([0.1, 0.2, 0.3], (40, 1)))  # 6 pairs a user
    batches = population.batches(np.arange(20)[::-1], 32)
    assert np.concatenate(batches).tolist() == list(range(20))[::-1]
    assert [len(batch) for batch in batches] == [6, 5, 5, 4]


METHODS = {
    # label, exploration, head, uncertainty, bases
    "urm_greedy": ("URM (greedy)", "none", "urm", "head", "frozen"),
    "urm_adaptive": ("URM (adaptive)", "error_adaptive", "urm", "head", "frozen"),
    "mrm_greedy": ("MRM (greedy)", "none", "mrm", "head", "frozen"),
    "mrm_adaptive": ("MRM (adaptive)", "error_adaptive", "mrm", "head", "frozen"),
    "vrf_greedy": ("VRF (greedy)", "none", "vrf", "head", "frozen"),
    "vrf_adaptive": ("VRF (adaptive)", "error_adaptive", "vrf", "head", "frozen"),
    "urm_gram": ("URM (Gram bonus)", "error_adaptive", "urm", "gram", "frozen"),
    "mrm_gram": ("MRM (Gram bonus)", "error_adaptive", "mrm", "gram", "frozen"),
    "vrf_gram": ("VRF (Gram bonus)", "error_adaptive", "vrf", "gram", "frozen"),
    "mrm_learned": (
        "MRM (adaptive, bases learned online)",
        *("error_adaptive", "mrm", "head", "learned"),
    ),
    "vrf_learned": (
        "VRF (adaptive, bases learned online)",
        *("error_adaptive", "vrf", "head", "learned"),
    ),
}


def test_the_methods_with_other_heads() -> None:
    found = {name: m for name, m in load_methods().items() if m.head != "mlp"}
    assert {
        name: (m.label, m.exploration, m.head, m.uncertainty, m.bases) for name, m in found.items()
    } == METHODS
    for m in found.values():
        assert (m.forgetting, m.online, m.prior, m.user_features) == ("none", True, "empty", True)
        assert (m.gamma, m.beta) == (4.0, 0.3)
    assert (HEADS["mrm"].outputs, HEADS["vrf"].outputs) == (2, 12)


@pytest.mark.parametrize(
    ("name", "change", "named"),
    [
        ("pearl", {"uncertainty": "head"}, "head mlp has no uncertainty of its own"),
        ("urm_adaptive", {"forgetting": "directional"}, "forgetting none, not with directional"),
        ("urm_gram", {"prior": "pretraining"}, "prior empty, not with pretraining"),
        ("mrm_greedy", {"user_features": False}, "user by user"),
        ("vrf_greedy", {"exploration": "oracle", "online": False}, "no reward head"),
        ("urm_greedy", {"head": "vpl"}, "head"),
        ("urm_greedy", {"uncertainty": "both"}, "uncertainty"),
    ],
)
def test_what_is_refused(name: str, change: dict[str, object], named: str) -> None:
    fields = load_methods()[name].model_dump() | change
    with pytest.raises(ValidationError, match=named):
        BanditMethod.model_validate(fields)
