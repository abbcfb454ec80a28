"""A^-1 after 20,000 interactions with a window or a discount at d = 128, and no update between."""

from __future__ import annotations

import numpy as np
import pytest
from direct_steps import method, network_of

from pearl.bandits.state import Block, new_state, rule_of
from pearl.bandits.step import play

D, STEPS, PART = 128, 20_000, 1000


def wandering_features(scale: float, period: int = 2500) -> np.ndarray:
    """Return features in six directions that are others every 2,500 steps: A's rank wanders."""
    rng = np.random.default_rng(4)
    parts = []
    for _ in range(STEPS // period):
        directions = rng.standard_normal((6, D)) / np.sqrt(D)
        parts.append((scale * rng.standard_normal((period, 6)) + 0.5) @ directions)
    return np.maximum(np.concatenate(parts), 0.0)


def one_arm_each(n: int) -> Block:
    return Block(np.zeros(n, np.int64), np.ones((n, 1)), np.zeros(n), np.zeros((n, 1)))


@pytest.mark.parametrize(
    ("window", "scale", "lam"),
    [(50, 10.0, 1.0), (200, 1.0, 1.0), (200, 10.0, 1.0), (1000, 3.0, 0.1), (1000, 10.0, 1.0)],
)
def test_a_window(window: int, scale: float, lam: float) -> None:
    g = wandering_features(scale)
    rules = method(exploration="fixed", forgetting="window", window=window, regularization=lam)
    state = new_state(rules, 1, D)
    for first in range(0, STEPS, PART):
        block = network_of(g[first : first + PART])
        play(block, state, rule_of(rules, damping=False), one_arm_each(PART))
        newest = g[max(0, first + PART - window) : first + PART]
        made = np.linalg.inv(lam * np.eye(D) + newest.T @ newest)
        assert np.abs(state.inverse - made).max() < 1e-9 / lam
        assert np.array_equal(state.inverse, state.inverse.T)
    assert np.linalg.eigvalsh(state.inverse)[-1] <= (1.0 + 1e-9) / lam


@pytest.mark.parametrize("discount", [0.99, 0.999])
def test_a_discount(discount: float) -> None:
    g = np.maximum(np.random.default_rng(5).standard_normal((STEPS, D)), 0.0)
    rules = method(forgetting="discount", discount=discount)
    state = new_state(rules, 1, D)
    play(network_of(g), state, rule_of(rules, damping=False), one_arm_each(STEPS))
    gram = np.eye(D)
    for row in g:
        gram = discount * gram + np.outer(row, row)
    assert np.abs(state.inverse @ gram - np.eye(D)).max() < 1e-11
    assert np.array_equal(state.inverse, state.inverse.T)


def test_a_discount_as_long_as_the_paper_goes_without_an_update() -> None:
    """1,656 interactions in eight directions: the others' variance grows by .99^-1656 = 1.7e7."""
    n = 1656
    g = np.zeros((n, D))
    g[:, :8] = np.maximum(np.random.default_rng(6).standard_normal((n, 8)), 0.0)
    rules = method(forgetting="discount", discount=0.99)
    state = new_state(rules, 1, D)
    play(network_of(g), state, rule_of(rules, damping=False), one_arm_each(n))
    gram = np.eye(D)
    for row in g:
        gram = 0.99 * gram + np.outer(row, row)
    assert np.linalg.eigvalsh(state.inverse)[-1] == pytest.approx(0.99**-n, rel=1e-6)
    assert np.abs(state.inverse @ gram - np.eye(D)).max() < 1e-6
