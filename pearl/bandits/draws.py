"""What chance decides for a method: ties, Thompson draws, random arms, indexed by interaction.

A draw belongs to (seed, stream, t): interactions come in blocks of 1,024 that are drawn whole, so
draws don't depend on who asked for them, in which order or how many at a time.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pearl.bandits.method import BanditMethod
from pearl.randomness import generator

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_BLOCK = 1024


class Draws(NamedTuple):
    """The draws of n interactions with K arms."""

    ties: Floats
    """Uniform on [0, 1), (n,): of m arms with the best score, the floor(m u)-th is chosen."""
    normals: Floats
    """Standard normal, (n, K); zeros where the method doesn't sample."""


def draws(method: BanditMethod, seed: int, first: int, n: int, arms: int) -> Draws:
    """Return what the method draws in interactions first .. first + n - 1, counted from 0.

    `arms` is K. The count runs through the whole run: it isn't reset at an epoch or an update.
    """
    normals = np.zeros((n, arms))
    if method.exploration == "thompson":
        for k in range(arms):
            normals[:, k] = _slice(seed, "policy/thompson", k, first, n)
    return Draws(_slice(seed, "policy/ties", 0, first, n), normals)


def random_arms(seed: int, first: int, n: int, arms: int) -> Ints:
    """Return uniformly drawn arms 0 .. arms - 1 for interactions first .. first + n - 1."""
    drawn: Ints = np.floor(_slice(seed, "policy/uniform", 0, first, n) * arms).astype(np.int64)
    return drawn


def _slice(seed: int, stream: str, lane: int, first: int, n: int) -> Floats:
    start = first // _BLOCK
    blocks = range(start, max(start + 1, -(-(first + n) // _BLOCK)))
    drawn = np.concatenate([_block(seed, stream, lane, b) for b in blocks])
    return drawn[first - start * _BLOCK :][:n]


@lru_cache(maxsize=64)
def _block(seed: int, stream: str, lane: int, block: int) -> Floats:
    source = generator(seed, stream, lane, block)
    drawn = source.standard_normal(_BLOCK) if stream == "policy/thompson" else source.random(_BLOCK)
    drawn.flags.writeable = False
    return drawn
