"""Partial or global: a linear taste of which s of d dimensions turn round at a known round.

Which s doesn't matter, as all dimensions are drawn alike: they are the first s, so a seed's worlds
with few shifted dimensions are nested in those with many. Rewards are 1/2 + theta'x + noise with
|theta| = 1/2 and |x| = 1, so means lie in [0, 1].
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pearl.compiled import compiled
from pearl.environments.partial_global_settings import PartialGlobalSettings
from pearl.randomness import generator

Array = NDArray[np.float64]
Rows = NDArray[np.int64]

BLOCK = 500  # rounds drawn at once, so that a longer horizon begins like a shorter one


@dataclass(frozen=True, eq=False)
class PartialGlobalWorld:
    """One seed's taste, and what its rounds offer.

    Attributes:
        settings: the environment's settings.
        seed: the run's seed.
        taste: float64[d] before the shift, uniform on the sphere of radius 1/2.
    """

    settings: PartialGlobalSettings
    seed: int
    taste: Array

    @classmethod
    def of(cls, settings: PartialGlobalSettings, seed: int) -> PartialGlobalWorld:
        """Draw a world."""
        drawn = generator(seed, "partial_global/taste").standard_normal((1, settings.dimensions))
        return cls(settings, seed, 0.5 * on_sphere(drawn)[0])

    @property
    def shifted_taste(self) -> Array:
        """float64[d] after the shift: the first s dimensions have changed their sign."""
        taste = self.taste.copy()
        taste[: self.settings.shifted] *= -1.0
        return taste

    def arms(self, rounds: int) -> Array:
        """Return the latent vectors float64[T, K, d] of rounds 1..T, each of length 1."""
        k, d = self.settings.arms, self.settings.dimensions
        drawn = self._drawn("arms", rounds, (k, d))
        if self.settings.features == "sparse":
            keys = self._drawn("active", rounds, (k, d), uniform=True)
            ranks = np.argsort(np.argsort(keys, axis=2, kind="stable"), axis=2, kind="stable")
            drawn = np.where(ranks < self.settings.active, drawn, 0.0)
        return on_sphere(drawn)

    def users(self, rounds: int) -> Rows:
        """Return who arrives, int64[T]."""
        drawn = self._drawn("users", rounds, (), uniform=True)
        arriving: Rows = np.floor(drawn * self.settings.users).astype(np.int64)
        return arriving

    def noise(self, rounds: int) -> Array:
        """Return the rewards' noise float64[T], one draw a round for all its arms."""
        return self.settings.noise * self._drawn("noise", rounds, ())

    def means(self, arms: Array) -> Array:
        """Return the mean rewards float64[T, K] in [0, 1] of the arms of rounds 1..T."""
        first = self.settings.shift_round
        before = products(arms[:first], self.taste)
        return 0.5 + np.concatenate([before, products(arms[first:], self.shifted_taste)])

    def rated(self) -> tuple[Array, Array]:
        """Return latent vectors float64[n, d] and noisy rewards float64[n] before round 1."""
        n = self.settings.pretrain_interactions
        source = generator(self.seed, "partial_global/rated")
        arms = on_sphere(source.standard_normal((n, self.settings.dimensions)))
        noise = self.settings.noise * generator(
            self.seed, "partial_global/rated_noise"
        ).standard_normal(n)
        return arms, np.clip(0.5 + products(arms, self.taste) + noise, 0.0, 1.0)

    def pairs(self) -> tuple[Array, Array]:
        """Return two arrays float64[n, d] of latent vectors, row by row alike but for the first s
        dimensions, whose share of the length is kept."""
        settings = self.settings
        s, shape = settings.shifted, (settings.pairs, settings.dimensions)
        first = on_sphere(generator(self.seed, "partial_global/pairs").standard_normal(shape))
        turned = generator(self.seed, "partial_global/turned").standard_normal(shape)
        second = first.copy()
        if s > 0:
            length = lengths(first[:, :s])[:, None]
            second[:, :s] = length * on_sphere(turned[:, :s])
        return first, second

    def observed(self, latent: Array) -> NDArray[np.float32]:
        """Return what the network sees of latent vectors (..., d): softsign of a fixed mixture."""
        settings = self.settings
        shape = (settings.dimensions, settings.observed)
        mixture = 2.0 * generator(self.seed, "partial_global/mixture").standard_normal(shape)
        mixed = combined(latent, mixture)
        return (mixed / (1.0 + np.abs(mixed))).astype(np.float32)

    def _drawn(
        self, what: str, rounds: int, shape: tuple[int, ...], *, uniform: bool = False
    ) -> Array:
        blocks = []
        for block in range(-(-rounds // BLOCK)):
            source = generator(self.seed, f"partial_global/{what}", block)
            size = (BLOCK, *shape)
            blocks.append(source.random(size) if uniform else source.standard_normal(size))
        return np.concatenate(blocks)[:rounds]


def combined(vectors: Array, matrix: Array) -> Array:
    """Return vectors (..., d) times a matrix (d, m), each output summed in the order of d."""
    rows = np.ascontiguousarray(vectors.reshape(-1, len(matrix)))
    out = np.zeros((len(rows), matrix.shape[1]))
    _combine(rows, np.ascontiguousarray(matrix), out)
    return out.reshape(*vectors.shape[:-1], -1)


@compiled
def _combine(rows: Array, matrix: Array, out: Array) -> None:
    for n in range(len(rows)):
        for i in range(len(matrix)):
            for j in range(out.shape[1]):
                out[n, j] += rows[n, i] * matrix[i, j]


def products(arms: Array, taste: Array) -> Array:
    """Return taste'x for vectors (..., d), summed in the order of the dimensions."""
    total = np.zeros(arms.shape[:-1])
    for i in range(len(taste)):
        total += arms[..., i] * taste[i]
    return total


def lengths(vectors: Array) -> Array:
    """Return the lengths of vectors (..., d)."""
    total = np.zeros(vectors.shape[:-1])
    for i in range(vectors.shape[-1]):
        total += vectors[..., i] * vectors[..., i]
    return np.sqrt(total)


def on_sphere(vectors: Array) -> Array:
    """Return vectors (..., d) scaled to length 1."""
    return vectors / lengths(vectors)[..., None]
