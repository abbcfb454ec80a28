"""GLBM-SCB's ordered mirror-descent updates, compiled: the steps of mirror_descent.MirrorDescent.

H^-1 is kept in step by rank-one updates and inverted anew every 1,000 rounds; a projection solves
its secular equation by Newton's steps on Cholesky factors, from the side on which they only rise.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pearl.compiled import compiled

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]

REFRESH = 1000


class MirrorUpdates:
    """The estimate theta (d) and the slope matrix H (d x d), updated by runs of rewards.

    Args:
        dimension: d.
        regularization: lambda_H > 0, the diagonal of H_1.
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
        self.projected = 0

    def absorb(self, features: Matrix, rewards: Vector) -> None:
        """Take informative rounds in their order: features as rows (n x d) and rewards (n)."""
        self.projected += _absorb(
            self.estimate, self.slope, features, rewards, self.noise**-2, self.norm_bound
        )


@compiled
def _absorb(
    estimate: Vector,
    slope: Matrix,
    features: Matrix,
    rewards: Vector,
    precision: float,
    bound: float,
) -> int:
    dimension = len(estimate)
    inverse = _inverse(slope)
    factor = np.zeros((dimension, dimension))
    solved = np.zeros(dimension)
    projected = 0
    for n in range(len(features)):
        x = features[n]
        if n % REFRESH == REFRESH - 1:
            inverse = _inverse(slope)
        solved[:] = 0.0
        for i in range(dimension):
            for k in range(dimension):
                solved[k] += inverse[i, k] * x[i]
        gain = 1.0
        error = -rewards[n]
        for k in range(dimension):
            gain += precision * solved[k] * x[k]
            error += estimate[k] * x[k]
        square = 0.0
        for i in range(dimension):
            for k in range(dimension):
                slope[i, k] += precision * x[i] * x[k]
                inverse[i, k] -= precision / gain * solved[i] * solved[k]
            # H~^-1 x = H^-1 x / gain.
            estimate[i] -= precision * error / gain * solved[i]
            square += estimate[i] * estimate[i]
        if square > bound * bound:
            _project(estimate, slope, bound, factor)
            projected += 1
    return projected


@compiled
def _project(point: Vector, metric: Matrix, bound: float, factor: Matrix) -> None:
    """Move `point` to the nearest of the ball in the norm of `metric`: (H + nu I)^-1 H point."""
    target = np.zeros(len(point))
    for i in range(len(point)):
        for k in range(len(point)):
            target[k] += metric[i, k] * point[i]
    half = np.zeros(len(point))
    nu = 0.0
    while True:
        _cholesky(metric, nu, factor)
        _forward(factor, target, half)
        _backward(factor, half, point)
        square = (point * point).sum()
        length = np.sqrt(square)
        if length <= bound * (1 + 1e-14):
            return
        _forward(factor, point, half)
        following = nu + (length / bound - 1) * square / (half * half).sum()
        if not following > nu:
            return
        nu = following


@compiled
def _cholesky(matrix: Matrix, shift: float, factor: Matrix) -> None:
    """Write the lower factor of matrix + shift I, column by column as rows (transposed)."""
    dimension = len(matrix)
    for j in range(dimension):
        for i in range(j, dimension):
            factor[j, i] = matrix[j, i]
        factor[j, j] += shift
        for k in range(j):
            used = factor[k, j]
            for i in range(j, dimension):
                factor[j, i] -= used * factor[k, i]
        root = np.sqrt(factor[j, j])
        for i in range(j, dimension):
            factor[j, i] /= root


@compiled
def _forward(factor: Matrix, right: Vector, solution: Vector) -> None:
    solution[:] = right
    for j in range(len(right)):
        solution[j] /= factor[j, j]
        for i in range(j + 1, len(right)):
            solution[i] -= factor[j, i] * solution[j]


@compiled
def _backward(factor: Matrix, right: Vector, solution: Vector) -> None:
    for j in range(len(right) - 1, -1, -1):
        total = right[j]
        for i in range(j + 1, len(right)):
            total -= factor[j, i] * solution[i]
        solution[j] = total / factor[j, j]


@compiled
def _inverse(matrix: Matrix) -> Matrix:
    inverse = np.empty(matrix.shape)
    inverse[:] = np.linalg.inv(matrix)
    return inverse
