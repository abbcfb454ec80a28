"""What a learner on listed memory states knows, and its rounds, compiled.

Features are rows of a table, so a round is the number of its feature; rewards are the row's mean
plus the round's own noise, whatever is played.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pearl.compiled import compiled
from pearl.environments.memory_states import MemoryStates

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]
Ints = NDArray[np.int32]

REFRESH = 1024
"""V^-1 is made anew after so many rounds of a learner that plans every round."""


class Rounds:
    """The rounds of one run: which features were met, and the rewards to come.

    Attributes:
        actions: int32[T].
        met: int32[T], the feature of each round, a row of `states.features`.
        means: float64[F], each feature's mean reward.
        noise: float64[T].
        state: the memory state before the next round.
        done: how many rounds were played.
    """

    def __init__(self, states: MemoryStates, theta_star: Vector, noise: Vector) -> None:
        self.states = states
        self.means: Vector = np.asarray(states.features @ theta_star)
        self.noise = noise
        self.actions: Ints = np.zeros(len(noise), dtype=np.int32)
        self.met: Ints = np.zeros(len(noise), dtype=np.int32)
        self.state = 0
        self.done = 0

    @property
    def left(self) -> int:
        """How many rounds are still to be played."""
        return len(self.noise) - self.done

    def mean_rewards(self) -> Vector:
        """Return the mean reward of every round, float64[T]."""
        return np.asarray(self.means[self.met])

    def play(self, actions: Ints) -> tuple[Matrix, Vector]:
        """Play these actions; return their features (n x d) and rewards (n)."""
        first = self.done
        for action in actions:
            self.actions[self.done] = action
            self.met[self.done] = self.states.feature_of[self.state, action]
            self.state = int(self.states.following[self.state, action])
            self.done += 1
        met = self.met[first : self.done]
        return self.states.features[met], self.means[met] + self.noise[first : self.done]


class RidgeSums:
    """V = lambda I + sum x x' and b = sum y x, with the ridge estimate and widths of features."""

    def __init__(self, dimension: int, regularization: float) -> None:
        self.gram: Matrix = regularization * np.eye(dimension)
        self.response: Vector = np.zeros(dimension)

    def absorb(self, features: Matrix, rewards: Vector) -> None:
        """Add rounds (n x d, n)."""
        self.gram += features.T @ features
        self.response += features.T @ rewards

    def scores(self, features: Matrix, radius: float) -> Vector:
        """Return x'theta + beta |x| in the norm of V^-1 for every row x, float64[F]."""
        estimate = np.linalg.solve(self.gram, self.response)
        return np.asarray(features @ estimate + radius * widths(features, self.gram))


def widths(features: Matrix, gram: Matrix) -> Vector:
    """Return |x| in the norm of the inverse of `gram` for every row x."""
    squares = np.einsum("ij,ij->i", features, np.linalg.solve(gram, features.T).T)
    return np.asarray(np.sqrt(squares))


def play_episode(rounds: Rounds, sums: RidgeSums, policy: Ints, limit: float) -> None:
    """Play `policy` (int32[N]) until log(det V / det Vbar) >= limit, or to the end."""
    rounds.state, rounds.done = _play_episode(
        rounds.states.following,
        rounds.states.feature_of,
        rounds.states.features,
        policy,
        rounds.means,
        rounds.noise,
        limit,
        sums.gram,
        sums.response,
        rounds.actions,
        rounds.met,
        rounds.state,
        rounds.done,
    )


def play_myopic(rounds: Rounds, sums: RidgeSums, radii: Vector, tie: float) -> None:
    """Play the best score of every round to the end; `radii` holds beta of every round."""
    rounds.state = _play_myopic(
        rounds.states.following,
        rounds.states.feature_of,
        rounds.states.features,
        rounds.means,
        rounds.noise,
        radii,
        tie,
        sums.gram,
        sums.response,
        rounds.actions,
        rounds.met,
        rounds.state,
    )
    rounds.done = len(rounds.met)


@compiled
def _play_episode(
    following: Ints,
    feature_of: Ints,
    features: Matrix,
    policy: Ints,
    means: Vector,
    noise: Vector,
    limit: float,
    gram: Matrix,
    response: Vector,
    actions: Ints,
    met: Ints,
    state: int,
    t: int,
) -> tuple[int, int]:
    inverse = np.empty_like(gram)
    inverse[:] = np.linalg.inv(gram)
    log_ratio = 0.0
    while t < len(met) and log_ratio < limit:
        action = policy[state]
        row = feature_of[state, action]
        actions[t], met[t] = action, row
        log_ratio += np.log1p(
            _absorb(features[row], means[row] + noise[t], gram, response, inverse)
        )
        state = following[state, action]
        t += 1
    return state, t


@compiled
def _play_myopic(
    following: Ints,
    feature_of: Ints,
    features: Matrix,
    means: Vector,
    noise: Vector,
    radii: Vector,
    tie: float,
    gram: Matrix,
    response: Vector,
    actions: Ints,
    met: Ints,
    state: int,
) -> int:
    n_actions = following.shape[1]
    scores = np.empty(n_actions)
    inverse = np.empty_like(gram)
    for t in range(len(met)):
        if t % REFRESH == 0:
            inverse[:] = np.linalg.inv(gram)
        estimate = inverse @ response
        for a in range(n_actions):
            x = features[feature_of[state, a]]
            scores[a] = x @ estimate + radii[t] * np.sqrt(max(0.0, x @ (inverse @ x)))
        best, action = scores.max(), 0
        while scores[action] < best - tie * abs(best):
            action += 1
        row = feature_of[state, action]
        actions[t], met[t] = action, row
        _absorb(features[row], means[row] + noise[t], gram, response, inverse)
        state = following[state, action]
    return state


@compiled
def _absorb(x: Vector, y: float, gram: Matrix, response: Vector, inverse: Matrix) -> float:
    """Add a round to V, b and V^-1; return x' V^-1 x as it was before."""
    direction = inverse @ x
    gain = 0.0
    for i in range(len(x)):
        gain += x[i] * direction[i]
    for i in range(len(x)):
        response[i] += y * x[i]
        for j in range(len(x)):
            gram[i, j] += x[i] * x[j]
            inverse[i, j] -= direction[i] * direction[j] / (1.0 + gain)
    return gain
