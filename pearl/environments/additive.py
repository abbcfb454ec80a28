"""The additive instance of Appendix C.3: the last M actions each add to the memory matrix.

Actions fill the unit ball of R^d. With a history s = (a_1, ..., a_M), oldest first,

    A(s) = R / (M + 1) (I + sum_j a_j a_j'),    phi(s, a) = A(s) a,    r = phi'theta* + noise,

so that |A(s)| <= R: repeating one direction for M rounds makes it pay M + 1 times as much.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pearl.environments.additive_settings import AdditiveSettings
from pearl.environments.memory_directions import unit_direction
from pearl.randomness import generator

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]

DIMENSION = 10


@dataclass(frozen=True, eq=False)
class Additive:
    """An additive instance in any dimension.

    Attributes:
        theta_star: float64[d], of norm `norm_bound`: the optimum holds for this norm.
        memory: M.
        feature_bound: R.
        norm_bound: S.
        noise: sigma.
        regularization: lambda of the ridge estimates.
    """

    theta_star: Vector
    memory: int
    feature_bound: float
    norm_bound: float
    noise: float
    regularization: float

    @classmethod
    def of(cls, settings: AdditiveSettings) -> Additive:
        """Return the instance in ten dimensions that the settings describe."""
        return cls(
            theta_star=settings.norm_bound * unit_direction(settings.direction, DIMENSION),
            memory=settings.memory,
            feature_bound=settings.feature_bound,
            norm_bound=settings.norm_bound,
            noise=settings.noise,
            regularization=settings.regularization,
        )

    @property
    def dimension(self) -> int:
        """d."""
        return len(self.theta_star)

    @property
    def scale(self) -> float:
        """R / (M + 1)."""
        return self.feature_bound / (self.memory + 1)

    def empty_history(self) -> Matrix:
        """Return the zero actions (M x d) that every run starts from."""
        return np.zeros((self.memory, self.dimension))

    def memory_matrix(self, history: Matrix) -> Matrix:
        """Return A(s) (d x d, symmetric) of the last M actions as rows."""
        return self.scale * (np.eye(self.dimension) + history.T @ history)

    def feature(self, history: Matrix, action: Vector) -> Vector:
        """Return phi(s, a) = A(s) a (d), of norm <= R."""
        return np.asarray(self.memory_matrix(history) @ action)

    def optimal_rewards(self, horizon: int) -> Vector:
        """Return float64[T]: R S (1 + min(t - 1, M)) / (M + 1), what round t can give at most.

        Repeating u from the empty history gives it in every round, so the cumulative sums are
        OPT_1, ..., OPT_T.
        """
        filled = np.minimum(np.arange(horizon), self.memory)
        return np.asarray(self.scale * self.norm_bound * (1.0 + filled))

    def noises(self, seed: int, horizon: int) -> Vector:
        """Draw the noise of rounds 1, ..., T; the same for every method."""
        return self.noise * generator(seed, "additive/noise").standard_normal(horizon)
