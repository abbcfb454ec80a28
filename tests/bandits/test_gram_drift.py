"""A^-1 after 20,000 float64 updates at d = 128, against the Gram matrix it is the inverse of."""

from __future__ import annotations

import numpy as np
import pytest
from direct_steps import method, network_of, step

from pearl.bandits.gram import rebuild
from pearl.bandits.state import Block, State, new_state, rule_of
from pearl.bandits.step import features, play

D = 128
STEPS = 20_000


def made_up_features(n: int, scale: float, seed: int = 0) -> np.ndarray:
    """Return features like a trained network's, in few directions: A is ill-conditioned."""
    rng = np.random.default_rng(seed)
    directions = rng.standard_normal((6, D)) / np.sqrt(D)
    return np.maximum(scale * (rng.standard_normal((n, 6)) + 0.5) @ directions, 0.0)


@pytest.mark.parametrize("scale", [1.0, 10.0])
def test_drift_without_injections(scale: float) -> None:
    g = made_up_features(STEPS, scale)
    rules = method(exploration="fixed", forgetting="none")
    state = new_state(rules, 1, D)
    play(network_of(g), state, rule_of(rules, damping=False), one_arm_each(STEPS))
    gram = np.eye(D) + g.T @ g
    assert np.abs(state.inverse @ gram - np.eye(D)).max() < 1e-9
    assert np.array_equal(state.inverse, state.inverse.T)
    assert np.linalg.eigvalsh(state.inverse)[0] > 0.0


def test_drift_with_injections() -> None:
    """A is tracked beside: g g' is added, an injection into A^-1 subtracted by its own inverse."""
    g = made_up_features(STEPS, 1.0, seed=1)
    rewards = np.random.default_rng(2).random((STEPS, 1))
    rules = method(beta=0.3, eta=0.01)
    state = new_state(rules, 1, D)
    block = one_arm_each(STEPS)._replace(rewards=rewards)
    log = play(network_of(g), state, rule_of(rules, damping=False), block)
    assert 0.2 < log.injected.mean() < 0.7
    assert not log.capped.any()
    gram = np.eye(D)
    strength = np.where(log.injected, 0.01 * (log.rewards - log.means) ** 2, 0.0)
    for t in range(STEPS):
        row = g[t]
        gram += np.outer(row, row)
        if log.injected[t]:
            image = gram @ row
            gram -= strength[t] / (1 + strength[t] * (row @ image)) * np.outer(image, image)
    assert np.abs(state.inverse @ gram - np.eye(D)).max() < 1e-9
    assert np.array_equal(state.inverse, state.inverse.T)
    values = np.linalg.eigvalsh(state.inverse)
    assert 0.0 < values[0] <= values[-1] <= 1.0 + 1e-9


def one_arm_each(n: int) -> Block:
    return Block(np.zeros(n, np.int64), np.ones((n, 1)), np.zeros(n), np.zeros((n, 1)))


@pytest.mark.parametrize("regularization", [1.0, 0.01, 20.0])
@pytest.mark.parametrize("n", [0, 1, 50, 2000])
def test_rebuilding_inverts(regularization: float, n: int) -> None:
    g = made_up_features(n, 5.0)
    rules = method(regularization=regularization)
    state = State(np.full((D, D), np.nan), np.array([0.4]))
    rule = rule_of(rules, damping=True)
    rebuild(state, rule, network_of(g), np.zeros(n, np.int64))
    gram = regularization * np.eye(D) + g.T @ g
    assert np.abs(state.inverse @ gram - np.eye(D)).max() < 1e-9
    assert np.array_equal(state.inverse, state.inverse.T)
    assert np.linalg.eigvalsh(state.inverse)[-1] <= (1.0 + 1e-9) / regularization


def test_rebuilding_damps_with_the_current_errors() -> None:
    network = network_of(np.ones((2, D)), users=2)._replace(embedded=np.ones((2, D)))
    errors, users = np.array([0.25, 1.0]), np.array([0, 1])
    assert features(network, errors, True, users)[:, 0].tolist() == [1.75, 1.0]
    assert features(network, errors, False, users)[:, 0].tolist() == [2.0, 2.0]


def test_the_prior_is_one_over_lambda() -> None:
    """A A^-1 = I from the start, whatever lambda; the first step divides by 1 + |g|^2 / lambda."""
    rules = method(forgetting="none", regularization=10.0)
    state = new_state(rules, 1, 4)
    assert np.array_equal(state.inverse @ (10.0 * np.eye(4)), np.eye(4))
    step(state, rules, np.array([[3.0, 0.0, 0.0, 0.0]]), 1.0)
    assert state.inverse[0, 0] == pytest.approx(1.0 / 19.0, rel=1e-14)


def test_a_variance_below_zero_is_no_nan() -> None:
    """Rounding may leave g'A^-1 g a little below 0: it counts as 0."""
    state = State(np.full((2, 2), -1e-18), np.array([0.5]))
    _, _, scratch = step(state, method(), np.array([[1.0, 1.0], [0.5, 0.0]]), 1.0)
    assert (scratch.variances < 0.0).all()
    assert np.array_equal(scratch.scores, [0.5, 0.5])
    assert np.isfinite(state.inverse).all()
