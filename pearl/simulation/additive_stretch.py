"""Rounds under one plan: its features, and learning from them until the determinant doubled.

The features of a repeated plan repeat once it fills the memory, so they are computed only for the
first M rounds and for one period: nothing is carried from plan to plan that could drift.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pearl.compiled import compiled

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]

REFRESH = 1000
"""Rounds after which V is inverted anew."""


@dataclass(frozen=True, eq=False)
class Stretch:
    """The features of a plan that is repeated from a given memory on."""

    history: Matrix
    """The M actions before, oldest first (M x d)."""
    cycle: Matrix
    """The plan (n x d); n divides M."""
    early: Matrix
    """Features of its first M rounds (M x d)."""
    steady: Matrix
    """Features of every later period (n x d)."""

    @classmethod
    def of(cls, history: Matrix, cycle: Matrix, scale: float) -> Stretch:
        """Compute the features; `scale` is R / (M + 1)."""
        repeats, rest = divmod(len(history), len(cycle))
        if rest:
            raise ValueError(f"a plan of {len(cycle)} actions doesn't divide M = {len(history)}")
        held = np.eye(cycle.shape[1]) + repeats * (cycle.T @ cycle)
        return cls(history, cycle, _early(history, cycle, scale), scale * (cycle @ held))

    def features(self, first: int, last: int) -> Matrix:
        """Return the features of the rounds first, ..., last - 1 of the stretch, from 0."""
        rounds = np.arange(first, last)
        steady = self.steady[rounds % len(self.cycle)]
        changing = rounds < len(self.early)
        steady[changing] = self.early[rounds[changing]]
        return steady

    def history_after(self, rounds: int) -> Matrix:
        """Return the last M actions after so many rounds, oldest first."""
        memory = len(self.history)
        played = np.arange(max(0, rounds - memory), rounds)
        return np.concatenate([self.history[rounds:], self.cycle[played % len(self.cycle)]])


@compiled
def _early(history: Matrix, cycle: Matrix, scale: float) -> Matrix:
    memory, dimension = history.shape
    features = np.zeros((memory, dimension))
    held = np.eye(dimension)
    for old in history:
        for i in range(dimension):
            for k in range(dimension):
                held[i, k] += old[i] * old[k]
    for n in range(memory):
        action = cycle[n % len(cycle)]
        old = history[n]
        for i in range(dimension):
            for k in range(dimension):
                features[n, k] += scale * held[i, k] * action[i]
        for i in range(dimension):
            for k in range(dimension):
                held[i, k] += action[i] * action[k] - old[i] * old[k]
    return features


@compiled
def learn_until_doubled(
    early: Matrix,
    steady: Matrix,
    theta_star: Vector,
    noise: Vector,
    gram: Matrix,
    response: Vector,
    log_limit: float,
    means: Vector,
) -> int:
    """Play at most len(noise) rounds and return how many; V, b and the mean rewards are written.

    The stretch ends with the round that makes log(det V / det V at its start) >= log_limit.
    """
    memory, dimension = early.shape
    period = len(steady)
    inverse = _inverse(gram)
    start = np.linalg.slogdet(gram)[1]
    grown = 0.0
    solved = np.zeros(dimension)
    for n in range(len(noise)):
        x = early[n] if n < memory else steady[n % period]
        mean = 0.0
        solved[:] = 0.0
        for i in range(dimension):
            mean += x[i] * theta_star[i]
            for k in range(dimension):
                solved[k] += inverse[i, k] * x[i]
        means[n] = mean
        reward = mean + noise[n]
        gain = 0.0
        for i in range(dimension):
            gain += x[i] * solved[i]
            response[i] += reward * x[i]
        shrink = 1.0 / (1.0 + gain)
        for i in range(dimension):
            for k in range(dimension):
                gram[i, k] += x[i] * x[k]
                inverse[i, k] -= shrink * solved[i] * solved[k]
        grown += np.log1p(gain)
        if n % REFRESH == REFRESH - 1:
            inverse = _inverse(gram)
            grown = np.linalg.slogdet(gram)[1] - start
        if grown >= log_limit:
            return n + 1
    return len(noise)


@compiled
def _inverse(matrix: Matrix) -> Matrix:
    inverse = np.empty(matrix.shape)
    inverse[:] = np.linalg.inv(matrix)
    return inverse
