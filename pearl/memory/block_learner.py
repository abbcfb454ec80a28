"""What a learner of fixed blocks knows of the KV cache: the estimate and the images L g_j.

A block's L informative rounds all have the same feature x, so V grows by one rank-one term a
block, L x x'. With p = V^-1 x and s = x'p the ridge estimate moves to

    theta + p sum (y - x'theta) / (1 + L s),

and the directions' root L follows by the product form of direction_images, with sqrt(L) x for x.
V is factored anew before blocks 1, 65, 129, ...: from there on V^-1 is the factor's inverse less a
sum of u u', one u a block, and the ridge estimate is made of whole sums once more.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_solve

from pearl.memory.direction_images import ROOT_ROUNDS, RedrawnImages
from pearl.memory.ridge import Ridge

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]
Tokens = NDArray[np.int64]


class BlockRidge:
    """OFUL-memory's ridge estimate, block by block.

    Args:
        ridge: V and b, still without rounds.
        images: where the blocks' directions come from, each block's its own.
        blocks: how many blocks the run has.

    Attributes:
        estimate: theta (d).
    """

    def __init__(self, ridge: Ridge, images: RedrawnImages, blocks: int) -> None:
        self.estimate: Vector = np.zeros(ridge.dimension)
        self._ridge = ridge
        self._images = images
        self._blocks = blocks
        self._done = 0
        self._factor: Matrix = np.zeros((0, 0))
        self._updates = np.zeros((ROOT_ROUNDS, ridge.dimension))
        self._restart()

    def images(self) -> Matrix:
        """Return L g_j of the current block as rows (N x d)."""
        return self._images.current()

    def learn(self, resident: Vector, tokens: Tokens) -> None:
        """Take in a block: w of its informative rounds, and the tokens of each (L >= 1)."""
        feature = resident / math.sqrt(self._ridge.dimension)
        direction = self._solve(feature)
        gain = float(feature @ direction)
        self._move(feature, direction, gain, tokens)
        rounds = len(tokens)
        self._ridge.absorb_repeated(resident, rounds, int(tokens.sum()))
        self._done += 1
        if self._done == self._blocks:
            return
        if self._done % ROOT_ROUNDS == 0:
            self._restart()
            self._remake()
            return
        grown = math.sqrt(rounds)
        self._updates[self._done % ROOT_ROUNDS - 1] = (
            grown / math.sqrt(1.0 + rounds * gain)
        ) * direction
        self._images.learn(grown * feature, grown * direction, rounds * gain)

    def _move(self, feature: Vector, direction: Vector, gain: float, tokens: Tokens) -> None:
        rounds = len(tokens)
        rewards = self._ridge.reward_unit * int(tokens.sum())
        surprise = rewards - rounds * float(feature @ self.estimate)
        self.estimate = self.estimate + (surprise / (1.0 + rounds * gain)) * direction

    def _remake(self) -> None:
        self.estimate = self._ridge.estimate(self._factor)

    def _solve(self, feature: Vector) -> Vector:
        """Return V^-1 x."""
        direction = cho_solve((self._factor, True), feature, check_finite=False)
        pending = self._updates[: self._done % ROOT_ROUNDS]
        return np.asarray(direction - (pending @ feature) @ pending)

    def _restart(self) -> None:
        self._factor = self._ridge.factor()
        left = min(ROOT_ROUNDS, self._blocks - self._done)
        self._images.restart(self._factor, self._done + 1, left)
