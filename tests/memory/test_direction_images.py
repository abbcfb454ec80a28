"""Carried square roots against full matrices."""

from __future__ import annotations

import numpy as np
import pytest

from pearl.memory.direction_images import ROOT_ROUNDS, CarriedImages, RedrawnImages, root_step
from pearl.memory.directions import draw_directions
from pearl.memory.ridge import Ridge

SEED = 4


class Follower:
    """V, V^-1 and one square root of it, through random rounds."""

    def __init__(self, d: int, regularization: float) -> None:
        self.ridge = Ridge(d, regularization, 1.0)
        self.root = np.eye(d) / np.sqrt(regularization)
        self._rng = np.random.default_rng(d)

    def round(self) -> tuple[np.ndarray, np.ndarray, float]:
        """Learn one random x, carry the root, and return x, p = V^-1 x and x'p."""
        resident = (self._rng.random(len(self.root)) < 0.5) * 1.0
        resident[0] = 1.0
        x = resident / np.sqrt(len(resident))
        p = np.linalg.solve(self.ridge.gram(), x)
        gain = float(x @ p)
        carried = np.eye(len(x)) - (1 - 1 / np.sqrt(1 + gain)) / gain * np.outer(p, x)
        self.root = carried @ self.root
        self.ridge.absorb(resident[None], np.zeros(1, dtype=np.int64))
        identity = self.root @ self.root.T @ self.ridge.gram()
        np.testing.assert_allclose(identity, np.eye(len(x)), atol=1e-10)
        return x, p, gain


@pytest.mark.parametrize("gain", [1e-6, 0.3, 50.0])
def test_the_step_of_the_product_form(gain: float) -> None:
    """In one dimension L = 1: (1 - s gain)^2 must be 1 / (1 + gain)."""
    assert (1 - root_step(gain) * gain) ** 2 == pytest.approx(1 / (1 + gain), rel=1e-12)


@pytest.mark.parametrize(("d", "regularization"), [(1, 1.0), (7, 0.05), (30, 4.0)])
def test_directions_drawn_anew(d: int, regularization: float) -> None:
    one = Follower(d, regularization)
    images = RedrawnImages(SEED, 3, d)
    horizon = 2 * ROOT_ROUNDS + 10
    for t in range(1, horizon + 1):
        if (t - 1) % ROOT_ROUNDS == 0:
            factor = one.ridge.factor()
            images.restart(factor, t, min(ROOT_ROUNDS, horizon - t + 1))
            one.root = np.linalg.inv(factor).T
        expected = draw_directions(SEED, t - 1, 3, d) @ one.root.T
        np.testing.assert_allclose(images.current(), expected, rtol=0, atol=1e-10)
        images.learn(*one.round())


def test_directions_drawn_once() -> None:
    one = Follower(9, 0.5)
    images = CarriedImages(SEED, 4, one.ridge)
    gaussians = draw_directions(SEED, 0, 4, 9).T
    for _ in range(200):
        np.testing.assert_allclose(images.images, one.root @ gaussians, rtol=0, atol=1e-10)
        x, p, gain = one.round()
        images.images -= root_step(gain) * np.outer(p, x @ images.images)
    resident = np.arange(9) % 2 == 0
    images.sums[:] = resident @ images.images
    images.measure(resident)
    assert 0 < images.drift < 1e-12


def test_drift_of_images_and_of_sums_is_seen() -> None:
    ridge, resident = Ridge(9, 0.5, 1.0), np.ones(9, dtype=bool)
    images = CarriedImages(SEED, 4, ridge)
    images.sums[:] = images.images.sum(axis=0)
    images.sums[2] += 0.1 * np.abs(images.sums).max()
    images.refresh(resident)
    assert images.drift == pytest.approx(0.1, rel=0.2)
    np.testing.assert_allclose(images.sums, images.images.sum(axis=0), rtol=1e-12)
    others = CarriedImages(SEED, 4, ridge)
    others.images[:, 1] *= 1.5
    others.measure(np.zeros(9, dtype=bool))
    assert others.drift > 0.1
