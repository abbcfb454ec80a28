"""Myopic LinUCB: every round the action that is best for the current memory, exactly.

Round t maximises phi'theta + beta_t |phi|_{V^-1} over |a| <= 1 with phi = A a, A = A(s_t). With
c = A theta and Q = A V^-1 A that is a'c + beta |a|_Q, the farthest point of an ellipsoid (see
farthest_point): convex in a, so largest on the sphere, and its global maximum is the one
stationary point (mu I - Q) a ~ c with mu above all eigenvalues of Q. That is how a trust-region
step is made exact, and mu is its one unknown: the secular equation w'Qw = beta^2 with
w = (mu I - Q)^-1 c, after which a = w / |w|.

The compiled loop starts Newton's steps at the last round's mu: one or two Cholesky factors of a
d x d matrix a round, O(d^3). Where mu is too near Q's largest eigenvalue for that (the first
rounds, in which directions tie) the round is handed out, and `farthest_point` solves it from the
eigenvalues.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import inv

from pearl.compiled import compiled
from pearl.memory.additive_method import AdditiveMethod
from pearl.memory.farthest_point import farthest_point
from pearl.simulation.additive_game import Game
from pearl.simulation.trajectory import Trajectory

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]

REFRESH = 1000
"""Rounds after which V is inverted anew."""
NEAR = 1e-6
"""A pivot of mu I - Q below this share of mu is too near zero."""
STEPS = 30


def play_myopic(game: Game, method: AdditiveMethod) -> Trajectory:
    """Run LinUCB on phi(s_t, a), blind to what an action does to later memories."""
    instance = game.instance
    dimension = instance.dimension
    radius = game.radius(method)
    radii = np.array([radius.at(t) for t in range(1, game.horizon + 1)])
    gram = instance.regularization * np.eye(dimension)
    response = np.zeros(dimension)
    recent = instance.empty_history()
    means = np.zeros(game.horizon)
    played, from_values = 0, 0
    while played < game.horizon:
        # The memory as a ring: action t stands in row t mod M.
        action = _from_eigenvalues(recent, instance.scale, gram, response, radii[played])
        from_values += 1
        played = _play(
            played,
            action,
            recent,
            instance.scale,
            instance.theta_star,
            game.noise,
            radii,
            gram,
            response,
            means,
        )
    facts = {"solved_from_eigenvalues": from_values}
    return game.trajectory(means, [], game.horizon, facts)


def _from_eigenvalues(
    recent: Matrix, scale: float, gram: Matrix, response: Vector, radius: float
) -> Vector:
    held = scale * (np.eye(len(response)) + recent.T @ recent)
    inverse = inv(gram)
    farthest = farthest_point(held @ (inverse @ response), held @ inverse @ held, radius)
    return np.asarray(farthest / np.linalg.norm(farthest))


@compiled
def _play(
    played: int,
    first: Vector,
    recent: Matrix,
    scale: float,
    theta_star: Vector,
    noise: Vector,
    radii: Vector,
    gram: Matrix,
    response: Vector,
    means: Vector,
) -> int:
    """Play `first` and then on until the run's end or a round that needs the eigenvalues."""
    memory, dimension = recent.shape
    inverse = _inverse(gram)
    held = _held(recent)
    action = first.copy()
    estimate = np.zeros(dimension)
    centre = np.zeros(dimension)
    half = np.zeros((dimension, dimension))
    shape = np.zeros((dimension, dimension))
    factor = np.zeros((dimension, dimension))
    feature = np.zeros(dimension)
    solved = np.zeros(dimension)
    level = 0.0
    for t in range(played, len(noise)):
        if t > played:
            if t % memory == 0:
                held = _held(recent)
            if t % REFRESH == 0:
                inverse = _inverse(gram)
            _multiply(inverse, response, 1.0, estimate)
            _multiply(held, estimate, scale, centre)
            _sandwich(held, inverse, scale, half, shape)
            level = _solve(shape, centre, radii[t], level, factor, action)
            if level < 0:
                return t
        _multiply(held, action, scale, feature)
        _multiply(inverse, feature, 1.0, solved)
        mean = 0.0
        gain = 1.0
        for k in range(dimension):
            mean += feature[k] * theta_star[k]
            gain += feature[k] * solved[k]
        means[t] = mean
        reward = mean + noise[t]
        old = recent[t % memory]
        for i in range(dimension):
            response[i] += reward * feature[i]
            for k in range(dimension):
                gram[i, k] += feature[i] * feature[k]
                inverse[i, k] -= solved[i] * solved[k] / gain
                held[i, k] += action[i] * action[k] - old[i] * old[k]
        old[:] = action
    return len(noise)


@compiled
def _solve(
    shape: Matrix, centre: Vector, radius: float, level: float, factor: Matrix, action: Vector
) -> float:
    """Write the maximiser of a'centre + radius |a|_shape on the sphere and return its mu.

    `shape` is Q's upper triangle.
    Newton's steps start at `level`, the last mu, and stay between bounds; -1 where mu is too near
    the largest eigenvalue for a factor, or where they don't settle.
    """
    dimension = len(centre)
    trace = 0.0
    below = 0.0
    square = 0.0
    for k in range(dimension):
        trace += shape[k, k]
        below = max(below, shape[k, k])
        square += centre[k] * centre[k]
    above = trace + np.sqrt(square * trace) / radius
    level = level if below < level < above else above
    once = np.zeros(dimension)
    twice = np.zeros(dimension)
    for _ in range(STEPS):
        if above - below <= 1e-15 * above:
            return -1.0
        if not _cholesky(shape, level, factor):
            below = level
            level = (below + above) / 2
            continue
        _solve_factored(factor, centre, once)
        _solve_factored(factor, once, twice)
        reach = 0.0
        slope = 0.0
        for k in range(dimension):
            image = level * once[k] - centre[k]  # Qw
            reach += once[k] * image
            slope += twice[k] * image
        if not (reach > 0 and slope > 0):
            return -1.0
        length = np.sqrt(reach)
        step = (length / radius - 1) * reach / slope
        if abs(length / radius - 1) <= 1e-7:
            # One more step, by the derivative of w: what is left is of the order of its square.
            for k in range(dimension):
                action[k] = once[k] - step * twice[k]
            _normalise(action)
            near = factor[0, 0]
            for k in range(1, dimension):
                near = min(near, factor[k, k])
            return level + step if near * near > NEAR * level else -1.0
        if step > 0:
            below = level
        else:
            above = level
        level += step
        if not below < level < above:
            level = (below + above) / 2
    return -1.0


@compiled
def _held(recent: Matrix) -> Matrix:
    held = np.eye(recent.shape[1])
    for action in recent:
        for i in range(len(action)):
            for k in range(len(action)):
                held[i, k] += action[i] * action[k]
    return held


@compiled
def _multiply(matrix: Matrix, vector: Vector, scale: float, product: Vector) -> None:
    """Write scale matrix @ vector, matrix symmetric."""
    product[:] = 0.0
    for i in range(len(vector)):
        factor = scale * vector[i]
        for k in range(len(vector)):
            product[k] += matrix[i, k] * factor


@compiled
def _sandwich(held: Matrix, inverse: Matrix, scale: float, half: Matrix, shape: Matrix) -> None:
    """Write the upper triangle of scale^2 held inverse held, both symmetric."""
    dimension = len(held)
    half[:] = 0.0
    shape[:] = 0.0
    for i in range(dimension):
        for j in range(dimension):
            factor = scale * inverse[i, j]
            for k in range(dimension):
                half[i, k] += factor * held[j, k]
    for i in range(dimension):
        for j in range(dimension):
            factor = scale * held[i, j]
            for k in range(i, dimension):
                shape[i, k] += factor * half[j, k]


@compiled
def _cholesky(shape: Matrix, level: float, factor: Matrix) -> bool:
    """Write the transposed lower factor of level I - shape; tell whether there is one."""
    dimension = len(shape)
    for j in range(dimension):
        for i in range(j, dimension):
            factor[j, i] = -shape[j, i]
        factor[j, j] += level
        for k in range(j):
            used = factor[k, j]
            for i in range(j, dimension):
                factor[j, i] -= used * factor[k, i]
        if not factor[j, j] > 0:
            return False
        root = 1.0 / np.sqrt(factor[j, j])
        for i in range(j, dimension):
            factor[j, i] *= root
    return True


@compiled
def _solve_factored(factor: Matrix, right: Vector, solution: Vector) -> None:
    dimension = len(right)
    solution[:] = right
    for j in range(dimension):
        solution[j] /= factor[j, j]
        for i in range(j + 1, dimension):
            solution[i] -= factor[j, i] * solution[j]
    for j in range(dimension - 1, -1, -1):
        total = solution[j]
        for i in range(j + 1, dimension):
            total -= factor[j, i] * solution[i]
        solution[j] = total / factor[j, j]


@compiled
def _normalise(vector: Vector) -> None:
    length = np.sqrt((vector * vector).sum())
    for k in range(len(vector)):
        vector[k] /= length


@compiled
def _inverse(matrix: Matrix) -> Matrix:
    inverse = np.empty(matrix.shape)
    inverse[:] = np.linalg.inv(matrix)
    return inverse
