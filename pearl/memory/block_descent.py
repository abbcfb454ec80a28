"""GLBM-SCB's estimate on the KV cache: mirror descent over rounds that share one feature.

In V's units (H = V / sigma^2) the n-th informative round of a block moves the estimate along
p = V^-1 x, V as before the block: with s = x'p

    theta' = theta + p (y_n - x'theta) / (1 + n s).

While |theta'| <= S a block is one scalar recursion. Where the ball binds, theta' goes to its
nearest point in the norm of V + n x x'. Estimates never leave the span of the features, which has
a dimension a block at most, and the projection is found there.
"""

from __future__ import annotations

import math

import numpy as np

from pearl.compiled import compiled
from pearl.memory.block_learner import BlockRidge, Tokens, Vector
from pearl.memory.direction_images import RedrawnImages
from pearl.memory.mirror_descent import nearest_in_ball
from pearl.memory.ridge import Ridge


class BlockDescent(BlockRidge):
    """GLBM-SCB's estimate, block by block.

    Args:
        ridge, images, blocks: as for BlockRidge; lambda in V's units.
        norm_bound: S.

    Attributes:
        projections: the rounds in which the ball was left.
    """

    def __init__(self, ridge: Ridge, images: RedrawnImages, blocks: int, norm_bound: float) -> None:
        super().__init__(ridge, images, blocks)
        self.projections = 0
        self._norm_bound = norm_bound
        self._grown: list[Vector] = []  # sqrt(L) x of the blocks so far

    def _move(self, feature: Vector, direction: Vector, gain: float, tokens: Tokens) -> None:
        rewards = np.asarray(tokens * self._ridge.reward_unit, dtype=np.float64)
        done = 0
        while done < len(rewards):
            done, moved = _descend(
                rewards,
                done,
                gain,
                float(feature @ self.estimate),
                float(self.estimate @ self.estimate),
                float(self.estimate @ direction),
                float(direction @ direction),
                self._norm_bound**2,
            )
            self.estimate = self.estimate + moved * direction
            if math.sqrt(float(self.estimate @ self.estimate)) > self._norm_bound:
                self.projections += 1
                self._project([*self._grown, math.sqrt(done) * feature])
        self._grown.append(math.sqrt(len(tokens)) * feature)

    def _project(self, grown: list[Vector]) -> None:
        axes, spread = np.linalg.qr(np.stack(grown, axis=1))
        metric = spread @ spread.T
        metric[np.diag_indices(len(metric))] += self._ridge.regularization
        inside = nearest_in_ball(axes.T @ self.estimate, metric, self._norm_bound)
        self.estimate = axes @ inside

    def _remake(self) -> None:
        """The estimate has no other source than its rounds in their order: it stays."""


@compiled
def _descend(
    rewards: Vector,
    done: int,
    gain: float,
    expected: float,
    square: float,
    cross: float,
    length: float,
    limit: float,
) -> tuple[int, float]:
    """Return the rounds done when theta leaves the ball, or all, and how far it moved along p."""
    moved = 0.0
    for n in range(done, len(rewards)):
        moved += (rewards[n] - (expected + moved * gain)) / (1.0 + (n + 1) * gain)
        if square + moved * (2.0 * cross + moved * length) > limit:
            return n + 1, moved
    return len(rewards), moved
