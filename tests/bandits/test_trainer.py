"""The trainer on cases small enough to check, and the rules that its draws keep."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from made_observations import Observed, made_observations

from pearl.bandits.gradient import Batch, differentiate, exp, log1p, multiply, sigmoid
from pearl.bandits.network import TrainingSettings, Weights, new_adam
from pearl.bandits.pretraining import by_slate, pairs, pretrain, pretrain_draws
from pearl.bandits.training import update, update_draws

SMALL = TrainingSettings(hidden=16, embedding=4, batch=8)


def batch_of(x: np.ndarray, d: int, E: int) -> Batch:
    n = len(x)
    shapes = [x.shape, *[(n, d)] * 6, (n,), (n,), (n, E)]
    batch = Batch(*(np.zeros(shape, dtype=np.float32) for shape in shapes))
    batch.x[:] = x
    return batch


def float32(*values: Any) -> list[np.ndarray]:
    return [np.array(value, dtype=np.float32) for value in values]


def trained(
    observed: Observed, settings: TrainingSettings = SMALL, number: int = 0, **changed: Any
) -> Weights:
    weights = observed.weights(settings)
    o = observed._replace(**changed)
    update(
        weights,
        new_adam(weights),
        o.stated,
        o.users,
        o.arms,
        o.rewards,
        o.eps,
        o.embeddings,
        settings,
        11,
        number,
    )
    return weights


def same(a: Weights, b: Weights) -> bool:
    return all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))


def test_a_gradient_by_hand() -> None:
    """x = 2: layers of one unit give g1 = 1, g2 = 3, logit = 0, mu = 1/2; r = 1."""
    weights = Weights(
        *float32(np.zeros((1, 0)), [[0.5]], [0.0], [[3.0]], [0.0], [2.0], [-6.0]),
    )
    gradient = Weights(*(np.full_like(array, 7.0) for array in weights))
    batch, kept = batch_of(np.array([[2.0]]), 1, 0), np.ones((1, 2, 1), dtype=bool)
    rewards = np.array([1.0], dtype=np.float32)
    loss = differentiate(batch, weights, 0, kept, 1.0, rewards, False, gradient)
    assert loss == 0.25
    slope = 2 * (0.5 - 1.0) * 0.25
    assert (batch.g1[0, 0], batch.g2[0, 0], batch.logits[0]) == (1.0, 3.0, 0.0)
    assert gradient.bias == slope
    assert gradient.head == slope * 3.0
    assert (gradient.b2, gradient.w2) == (slope * 2.0, slope * 2.0)
    assert (gradient.b1, gradient.w1) == (slope * 6.0, slope * 12.0)


def test_a_pair_by_hand() -> None:
    """Logits 2 and 2: the loss is log 2, the better is pushed up by as much as the worse down."""
    weights = Weights(
        *float32(np.zeros((1, 0)), [[1.0], [1.0]], [0.0], [[1.0]], [0.0], [1.0], [0.0]),
    )
    gradient = Weights(*(np.full_like(array, 7.0) for array in weights))
    batch = batch_of(np.array([[2.0, 0.0], [0.0, 2.0]]), 1, 0)
    kept, none = np.ones((2, 2, 1), dtype=bool), np.empty(0, dtype=np.float32)
    loss = differentiate(batch, weights, 0, kept, 1.0, none, True, gradient)
    assert loss == pytest.approx(np.log(2), rel=1e-15)
    assert batch.d_logits.tolist() == [-0.5, 0.5]
    assert gradient.w1.tolist() == [[-1.0], [1.0]]
    assert gradient.bias == 0.0


def test_dropout_scales_what_it_keeps() -> None:
    weights = Weights(
        *float32(np.zeros((1, 0)), [[1.0, 1.0]], [0.0, 0.0], np.eye(2), [0, 0], [1.0, 1.0], [0.0]),
    )
    gradient = Weights(*(np.zeros_like(array) for array in weights))
    batch = batch_of(np.array([[3.0], [3.0]]), 2, 0)
    kept = np.array([[[True, False], [True, True]], [[False, True], [False, False]]])
    differentiate(batch, weights, 0, kept, 1 / 0.75, float32([0, 0])[0], False, gradient)
    assert batch.g1.tolist() == [[4.0, 0.0], [0.0, 4.0]]
    np.testing.assert_allclose(batch.g2, [[16 / 3, 0.0], [0.0, 0.0]], rtol=1e-6)
    assert batch.slope2[0].tolist() == [np.float32(1 / 0.75), 0.0]  # the unit at 0 is closed


def loss_in_float64(weights: Weights, x: np.ndarray, kept: np.ndarray, r: np.ndarray) -> float:
    w = Weights(*(array.astype(float) for array in weights))
    g1 = np.maximum(x @ w.w1 + w.b1, 0) * kept[:, 0] / 0.75
    g2 = np.maximum(g1 @ w.w2 + w.b2, 0) * kept[:, 1] / 0.75
    logits = g2 @ w.head + w.bias
    if len(r) == 0:
        return float(np.logaddexp(0, logits[1::2] - logits[::2]).mean())
    return float(((1 / (1 + np.exp(-logits)) - r) ** 2).mean())


@pytest.mark.parametrize("pairwise", [False, True])
def test_finite_differences(pairwise: bool) -> None:
    rng = np.random.default_rng(5)
    observed = made_observations(10, users=3, stated=2, arm=6, texts=5)
    settings = TrainingSettings(hidden=9, embedding=2)
    weights = observed.weights(settings)
    gradient = Weights(*(np.zeros_like(array) for array in weights))
    x, kept = rng.standard_normal((10, 10)).astype(np.float32), rng.random((10, 2, 9)) > 0.25
    r = np.empty(0, dtype=np.float32) if pairwise else rng.random(10, dtype=np.float32)
    batch = batch_of(x, 9, 2)
    differentiate(batch, weights, 2, kept, 1 / 0.75, r, pairwise, gradient)
    for name in Weights._fields[1:]:
        numerical = np.zeros(getattr(weights, name).shape)
        for index in np.ndindex(numerical.shape):
            ends = []
            for h in (1e-6, -1e-6):
                values = getattr(weights, name).astype(float)
                values[index] += h
                ends.append(loss_in_float64(weights._replace(**{name: values}), x, kept, r))
            numerical[index] = (ends[0] - ends[1]) / 2e-6
        np.testing.assert_allclose(getattr(gradient, name), numerical, atol=2e-7, err_msg=name)
    for i, j in np.ndindex(10, 2):
        ends = []
        for h in (1e-6, -1e-6):
            inputs = x.astype(float)
            inputs[i, 2 + j] += h
            ends.append(loss_in_float64(weights, inputs, kept, r))
        assert batch.d_embedding[i, j] == pytest.approx((ends[0] - ends[1]) / 2e-6, abs=2e-7)


def test_embeddings_of_users_never_seen_stay() -> None:
    observed = made_observations(40, users=9)
    before, after = observed.weights(SMALL), trained(observed)
    seen = np.unique(observed.users)
    assert 8 not in seen
    unseen = np.setdiff1d(np.arange(9), seen)
    assert np.array_equal(before.users[unseen], after.users[unseen])
    assert (before.users[seen] != after.users[seen]).any(axis=1).all()


def test_a_user_whose_error_is_one_is_known_by_stated_features_alone() -> None:
    observed = made_observations(40, users=9)
    eps = np.where(np.arange(9) % 2 == 0, 1.0, observed.eps)
    before, after = observed.weights(SMALL), trained(observed, eps=eps)
    assert np.array_equal(before.users[::2], after.users[::2])
    assert not np.array_equal(before.users[1::2], after.users[1::2])
    other = observed.weights(SMALL)
    other.users[::2] = 5.0
    update(
        other,
        new_adam(other),
        observed.stated,
        *observed[2:5],
        eps,
        observed.embeddings,
        SMALL,
        11,
        0,
    )
    assert np.array_equal(other.w1, after.w1)


def test_damping_can_be_left_out() -> None:
    observed = made_observations(40, users=9)
    undamped = trained(observed, SMALL.model_copy(update={"damping": False}))
    assert same(undamped, trained(observed, eps=None))
    assert same(undamped, trained(observed, eps=np.zeros(9)))
    assert not same(undamped, trained(observed))


def test_ties_are_skipped() -> None:
    rewards = np.array([[0.5, 0.5, 0.9], [0.2, 0.2, 0.2], [0.3, 0.1, 0.3]])
    arms = np.array([[1, 2, 3], [4, 5, 6], [7, 8, 9]])
    slates, better, worse = pairs(arms, rewards)
    users = np.array([10, 11, 12])[slates]
    assert users.tolist() == [10, 10, 12, 12]
    assert better.tolist() == [3, 3, 7, 9]
    assert worse.tolist() == [1, 2, 8, 8]


def test_a_step_of_interactions_keeps_their_pairs_together() -> None:
    slates = np.array([4, 4, 4, 7, 9, 9])
    order, ends = by_slate(slates, np.array([3, 5, 0, 4, 2, 1]), batch=2)
    assert slates[order].tolist() == [7, 9, 9, 4, 4, 4]
    assert order.tolist() == [3, 5, 4, 0, 2, 1]
    assert ends.tolist() == [3, 6]
    assert by_slate(slates, np.arange(6), batch=1)[1].tolist() == [3, 4, 6]
    assert by_slate(slates, np.arange(6), batch=9)[1].tolist() == [6]


def test_nothing_to_learn_from() -> None:
    observed = made_observations(12, users=4)
    weights = observed.weights(SMALL)
    tied = np.full((3, 4), 0.5)
    slates = observed.users[:3], observed.arms.reshape(3, 4), tied
    losses = pretrain(weights, observed.stated, *slates, observed.embeddings, SMALL, 0)
    assert np.isnan(losses).all()
    assert same(weights, observed.weights(SMALL))
    none = observed.users[:0]
    loss = update(
        weights, new_adam(weights), observed.stated, none, none, tied[0, :0], None,
        observed.embeddings, SMALL, 0, 0,
    )  # fmt: skip
    assert np.isnan(loss)
    assert same(weights, observed.weights(SMALL))


def test_training_fits() -> None:
    """Rewards that an arm's first feature decides are learned, in both ways of training."""
    observed = made_observations(1200, texts=60, arm=6)
    truth = (observed.embeddings[:, 0] > 0) * 0.8 + 0.1
    settings = SMALL.model_copy(update={"passes": 8, "pretrain_epochs": 8})
    weights = observed.weights(settings)
    arms = observed.arms.reshape(300, 4)
    losses = pretrain(
        weights, observed.stated, observed.users[:300], arms, truth[arms], observed.embeddings,
        settings, 0,
    )  # fmt: skip
    assert losses[-1] < 0.3 < losses[0]
    last = update(
        weights, new_adam(weights), observed.stated, observed.users, observed.arms,
        truth[observed.arms], None, observed.embeddings, settings, 0, 0,
    )  # fmt: skip
    assert last < 0.05


def test_draws_belong_to_their_index() -> None:
    """Whatever was drawn before, and however many observations there are."""
    order, kept = update_draws(SMALL, 50, 3, 4, 1)
    update_draws(SMALL, 70, 3, 5, 0)
    again = update_draws(SMALL, 50, 3, 4, 1)
    assert np.array_equal(order, again[0])
    assert np.array_equal(kept, again[1])
    assert np.array_equal(kept, update_draws(SMALL, 70, 3, 4, 1)[1][:50])
    assert sorted(order) == list(range(50))
    for other in ((3, 4, 0), (3, 5, 1), (2, 4, 1)):
        assert not np.array_equal(order, update_draws(SMALL, 50, *other)[0])
    assert pretrain_draws(SMALL, 50, 3, 4)[1].shape == (50, 2, 2, 16)
    assert not np.array_equal(order, pretrain_draws(SMALL, 50, 3, 4)[0])
    assert 1 - kept.mean() == pytest.approx(0.1, abs=0.03)


def test_an_update_repeats_whatever_was_trained_between() -> None:
    observed = made_observations(100)
    first = trained(observed)
    trained(made_observations(30), number=3)
    assert same(first, trained(observed))
    assert not same(first, trained(observed, number=1))


def test_layout() -> None:
    """Weights may lie in memory as they will; Adam's moments don't change unseen in a copy."""
    observed = made_observations(20, users=5)
    weights, expected = observed.weights(SMALL), trained(observed)
    turned = weights._replace(w1=np.asfortranarray(weights.w1))
    adam = new_adam(weights)
    update(turned, adam, *observed[:1], *observed[2:], observed.embeddings, SMALL, 11, 0)
    assert same(turned, expected)
    assert adam.m.w1.any()
    adam = adam._replace(m=turned)
    with pytest.raises(NotImplementedError, match="incompatible shape"):
        update(weights, adam, *observed[:1], *observed[2:], observed.embeddings, SMALL, 11, 0)


def test_a_product_is_one_sum_an_entry() -> None:
    rng = np.random.default_rng(2)
    for n, depth, width in ((1, 1, 1), (2, 8, 16), (5, 19, 7), (6, 33, 1)):
        a, b = (rng.standard_normal(s).astype(np.float32) for s in ((n, depth), (depth, width)))
        expected = np.ones((n, width), dtype=np.float32)
        for k in range(depth):
            expected += a[:, k, None] * b[k]
        for left in (a, np.asfortranarray(a)):
            out = np.ones((n, width), dtype=np.float32)
            multiply(left, b, out)
            assert np.array_equal(out, expected)


def test_exp_and_its_kin() -> None:
    x = np.concatenate([-np.random.default_rng(0).random(4000) * s for s in (1.0, 20.0, 708.0)])
    values = np.array([exp(v) for v in x])
    exact = np.exp(x.astype(np.longdouble))
    assert (np.abs(values - exact) <= np.spacing(exact.astype(float))).all()
    sig = np.array([[sigmoid(v), sigmoid(-v)] for v in x[:8000]])
    np.testing.assert_allclose(sig[:, 0], 1 / (1 + np.exp(-x[:8000])), rtol=6e-16)
    np.testing.assert_allclose(sig[:, 1], 1 / (1 + np.exp(x[:8000])), rtol=6e-16)
    y = -x[:4000]
    np.testing.assert_allclose([log1p(v) for v in y], np.log1p(y), rtol=7e-16)
    assert [exp(v) for v in (0.0, -708.5, -np.inf)] == [1.0, 0.0, 0.0]
    assert (sigmoid(np.inf), sigmoid(0.0), sigmoid(-np.inf)) == (1.0, 0.5, 0.0)
    assert np.isnan(exp(np.nan))


def digest() -> str:
    """Return the hash of a network that was pretrained and updated."""
    observed = made_observations(240, arm=37)
    settings = TrainingSettings(hidden=40, embedding=5, pretrain_epochs=2)
    weights = observed.weights(settings)
    weights.users[:] = observed.rewards[:60, None]  # the normal draws aren't on trial here
    slates = observed.users[:60], observed.arms.reshape(60, 4), observed.rewards.reshape(60, 4)
    losses = pretrain(weights, observed.stated, *slates, observed.embeddings, settings, 1)
    update(
        weights, new_adam(weights), observed.stated, *observed[2:5], observed.eps,
        observed.embeddings, settings, 1, 0,
    )  # fmt: skip
    return hashlib.sha256(b"".join(a.tobytes() for a in (losses, *weights))).hexdigest()


def test_the_bytes_are_those_of_other_machines() -> None:
    """A change of the arithmetic changes the hash too; then write the new one here."""
    assert digest() == "49f8fcd28eaf68a77402b1610f15b87739fa972118785f74df0a94a5f0424a37"


@pytest.mark.heavy
@pytest.mark.parametrize("features", ["", "+avx2,+fma"])
def test_other_processors_give_the_same_bytes(features: str, tmp_path: Path) -> None:
    here = Path(__file__).resolve()
    paths = os.pathsep.join([str(here.parent), str(here.parents[1] / "support")])
    done = subprocess.run(
        [sys.executable, "-c", "import test_trainer; print(test_trainer.digest())"],
        env=os.environ
        | {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": features}
        | {"NUMBA_CACHE_DIR": str(tmp_path), "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == digest()
