"""GLBM-SCB's estimator with the identity link: ordered mirror-descent updates on a ball.

An informative round with feature x and reward y, in its order, moves the estimate to

    H~ = H + x x' / sigma^2
    theta' = theta - H~^-1 x (x'theta - y) / sigma^2
    theta = the point of the ball |theta| <= S that is nearest to theta' in the norm of H~

and leaves H = H~: the step of the identity link, eta = 1. While no projection binds it is ridge
regression with sigma^2 lambda in V's units. What is public of GLBM-SCB says nothing of its warm-up
and of its shrunken set: both are left out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve, eigh

from pearl.memory.method import Unit

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]


def slope_regularization(unit: Unit, regularization: float, noise: float) -> float:
    """Return lambda_H, the diagonal of H_1, of a lambda that is given in `unit`.

    slope: H_1 = lambda I; gram: V_1 = lambda I and H = V / sigma^2, so H_1 = lambda / sigma^2 I.

    Args:
        unit: which matrix lambda is added to.
        regularization: lambda > 0; GLBM-SCB's is L / d.
        noise: sigma > 0.
    """
    return regularization if unit == "slope" else regularization / noise**2


class MirrorDescent:
    """The estimate theta (d) and the slope matrix H (d x d), updated reward by reward.

    Args:
        dimension: d.
        regularization: lambda_H > 0, the diagonal of H_1 (slope_regularization).
        norm_bound: S > 0.
        noise: sigma > 0.
    """

    def __init__(
        self, dimension: int, regularization: float, norm_bound: float, noise: float
    ) -> None:
        self.norm_bound = norm_bound
        self.noise = noise
        self.estimate: Vector = np.zeros(dimension)
        self.slope: Matrix = regularization * np.eye(dimension)
        self.rounds = 0

    def update(self, feature: Vector, reward: float) -> None:
        """Absorb one informative round: `feature` x (d) and `reward` y."""
        precision = 1 / self.noise**2
        self.slope = self.slope + precision * np.outer(feature, feature)
        gradient = precision * (feature @ self.estimate - reward) * feature
        step = cho_solve(cho_factor(self.slope, lower=True), gradient)
        self.estimate = nearest_in_ball(self.estimate - step, self.slope, self.norm_bound)
        self.rounds += 1

    def width(self, feature: Vector) -> float:
        """Return |x| in the norm of H^-1."""
        solved = cho_solve(cho_factor(self.slope, lower=True), feature)
        return math.sqrt(float(feature @ solved))


def nearest_in_ball(point: Vector, metric: Matrix, radius: float) -> Vector:
    """Return the point of the ball |u| <= radius that is nearest to `point` in `metric`'s norm.

    It is u = (metric + nu I)^-1 metric point with the nu >= 0 at which |u| = radius; inside the
    ball it is the point itself. The root is exact to rounding: 1e-12 of the radius.

    Args:
        point: (d,).
        metric: symmetric positive definite (d, d).
        radius: > 0.
    """
    if float(np.linalg.norm(point)) <= radius:
        return point
    values, axes = eigh(metric)
    weighted = values * (axes.T @ point)
    nu = _secular_root(values, weighted, radius)
    inside: Vector = axes @ (weighted / (values + nu))
    return inside


def _secular_root(values: Vector, weighted: Vector, radius: float) -> float:
    """Return nu >= 0 with |weighted / (values + nu)| = radius, where at nu = 0 it is above.

    1 / |u(nu)| is concave, so Newton's steps on 1 / |u| - 1 / radius come from one side: from
    nu = 0 on they rise to the root and never pass it.
    """
    nu = 0.0
    while True:
        shifted = values + nu
        squares = (weighted / shifted) ** 2
        length = math.sqrt(float(squares.sum()))
        decay = float((squares / shifted).sum())
        following = nu + (length / radius - 1) * length**2 / decay
        if not following > nu:
            return nu
        if length <= radius * (1 + 1e-14):
            return following
        nu = following


@dataclass(frozen=True)
class MirrorDescentRadius:
    """GLBM-SCB's radius with the identity link, in H's units.

    beta^2 = 4 lambda_H S^2 + 2 log(1/delta) + 6 d log(1 + n R^2 / (d lambda_H sigma^2)); a
    feature's score is x'theta + beta |x| in the norm of H^-1.
    """

    dimension: int
    regularization: float
    """lambda_H."""
    norm_bound: float
    feature_bound: float
    noise: float
    delta: float

    def at(self, rounds: int) -> float:
        """Return beta after n = `rounds` >= 0 informative rounds."""
        scale = self.dimension * self.regularization * self.noise**2
        growth = math.log1p(rounds * self.feature_bound**2 / scale)
        return math.sqrt(
            4 * self.regularization * self.norm_bound**2
            + 2 * math.log(1 / self.delta)
            + 6 * self.dimension * growth
        )
