"""Projected gradient ascent over periodic sequences of actions of the additive instance.

A sequence p_0, ..., p_(M-1) is played over and over from the current memory. In its first pass
the memory holds what is left of the old actions and what has been played; from then on it always
holds exactly the M actions of one period, so the endless tail is one geometric sum:

    F(p) = sum_(i<M) e_i f(A_i p_i) + sum_(j<M) s_j f(A p_j),
    f(x) = x'theta + beta |x|_G,   A_i = c (I + sum_(k>=i) q_k q_k' + sum_(k<i) p_k p_k'),
    A = c (I + sum_k p_k p_k'),

with the old actions q, oldest first. For a discounted return e_i is proportional to gamma^i and
s_j to gamma^(M+j) / (1 - gamma^M); for a block e = 0 and s_j counts the informative rounds that
play p_j. Every p_k is in every later A_i, so its gradient is K_k p_k for a sum K_k of matrices
h_i p_i' + p_i h_i' over the later rounds: one pass forward and one back, O(M d^2).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from pearl.compiled import compiled

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]
Sequences = NDArray[np.float64]

GAIN = 1e-9
"""A step that gains a smaller share of the value is the last one."""
EVEN = 1e-7
"""Outcomes whose values agree to this share are a tie: ascents end short of their peaks."""


@dataclass(frozen=True, eq=False)
class Weights:
    """What each round of a plan counts; they sum to 1."""

    early: Vector
    """float64[M]: of the first pass; all zero for a block."""
    steady: Vector
    """float64[M]: of all later passes together."""


def discounted(memory: int, discount: float) -> Weights:
    """Return the weights of the discounted return over an endless horizon."""
    powers = np.power(np.full(memory, discount), np.arange(memory))
    passed = discount**memory
    return Weights((1 - discount) * powers, (1 - discount) * powers * (passed / (1 - passed)))


def block_rounds(memory: int, informative: int) -> Weights:
    """Return the weights of a block: the mean over its last L = `informative` rounds."""
    whole, part = divmod(informative, memory)
    counts = whole + (np.arange(memory) < part)
    return Weights(np.zeros(memory), counts / informative)


@dataclass(frozen=True, eq=False)
class Landscape:
    """What a sequence is judged by: F for one memory and one confidence set.

    Attributes:
        history: the last M actions, oldest first (M x d).
        scale: c = R / (M + 1).
        estimate: theta (d).
        spread: G, symmetric positive definite (d x d): V^-1 or H^-1.
        radius: beta.
        weights: e and s.
    """

    history: Matrix
    scale: float
    estimate: Vector
    spread: Matrix
    radius: float
    weights: Weights

    def climb(self, starts: Sequences, iterations: int) -> tuple[Matrix, float]:
        """Return the best sequence (M x d) that the ascents reach, and its F.

        Args:
            starts: n x M x d; the first one is taken whose outcome is within EVEN of the best.
            iterations: steps tried from each start, at most.
        """
        # The instance looks the same from every orthonormal basis; in G's axes |x|_G costs O(d).
        values, axes = eigh(self.spread)
        turned = np.ascontiguousarray(starts @ axes)
        reached, found = _climb(
            turned,
            np.ascontiguousarray(self.history @ axes),
            self.scale,
            axes.T @ self.estimate,
            values,
            self.radius,
            self.weights.early,
            self.weights.steady,
            iterations,
        )
        best = int(np.argmax(reached >= reached.max() * (1 - EVEN)))
        return np.ascontiguousarray(found[best] @ axes.T), float(reached[best])

    def value_and_gradient(self, sequence: Matrix) -> tuple[float, Matrix]:
        """Return F of one sequence (M x d) and its gradient (M x d)."""
        values, axes = eigh(self.spread)
        gradient = np.zeros(sequence.shape)
        value = _evaluate(
            np.ascontiguousarray(sequence @ axes),
            np.ascontiguousarray(self.history @ axes),
            self.scale,
            axes.T @ self.estimate,
            values,
            self.radius,
            self.weights.early,
            self.weights.steady,
            np.zeros(sequence.shape),
            gradient,
        )
        return float(value), np.asarray(gradient @ axes.T)


@compiled
def _climb(
    starts: Sequences,
    history: Matrix,
    scale: float,
    theta: Vector,
    spread: Vector,
    beta: float,
    early: Vector,
    steady: Vector,
    iterations: int,
) -> tuple[Vector, Sequences]:
    count, memory, dimension = starts.shape
    reached = np.zeros(count)
    found = starts.copy()
    slopes = np.zeros((memory, dimension))
    for s in range(count):
        here = found[s]
        gradient = np.zeros((memory, dimension))
        other = np.zeros((memory, dimension))
        value = _evaluate(
            here, history, scale, theta, spread, beta, early, steady, slopes, gradient
        )
        step = 1.0 / _longest(gradient)
        trial = np.zeros((memory, dimension))
        for _ in range(iterations):
            _project(here, gradient, step, trial)
            tried = _evaluate(
                trial, history, scale, theta, spread, beta, early, steady, slopes, other
            )
            if tried > value:
                gain = tried - value
                value = tried
                here[:] = trial
                gradient, other = other, gradient
                step *= 2.0
                if gain <= GAIN * abs(value):
                    break
            else:
                step *= 0.25
        reached[s] = value
    return reached, found


@compiled
def _evaluate(
    sequence: Matrix,
    history: Matrix,
    scale: float,
    theta: Vector,
    spread: Vector,
    beta: float,
    early: Vector,
    steady: Vector,
    slopes: Matrix,
    gradient: Matrix,
) -> float:
    """Return F; `gradient` is overwritten with its gradient, `slopes` is room to work in."""
    dimension = sequence.shape[1]
    held = np.eye(dimension) + np.dot(sequence.T, sequence)
    features = np.dot(sequence, held)
    value = 0.0
    for j in range(len(sequence)):
        value += _score(features[j], scale, theta, spread, beta, steady[j], slopes[j])
    later = np.dot(slopes.T, sequence)
    gradient[:] = np.dot(slopes, held) + np.dot(sequence, later + later.T)
    if early[0] > 0:
        held[:] = np.eye(dimension) + np.dot(history.T, history)
        value += _first_pass(
            sequence, history, held, scale, theta, spread, beta, early, slopes, gradient
        )
    return value


@compiled
def _first_pass(
    sequence: Matrix,
    history: Matrix,
    held: Matrix,
    scale: float,
    theta: Vector,
    spread: Vector,
    beta: float,
    early: Vector,
    slopes: Matrix,
    gradient: Matrix,
) -> float:
    """Return the first pass's part of F and add its gradient; `held` is I + sum q q' before it."""
    memory, dimension = sequence.shape
    value = 0.0
    feature = np.zeros(dimension)
    for i in range(memory):
        action = sequence[i]
        feature[:] = 0.0
        for r in range(dimension):
            for k in range(dimension):
                feature[k] += held[r, k] * action[r]
        value += _score(feature, scale, theta, spread, beta, early[i], slopes[i])
        old = history[i]
        slope = slopes[i]
        total = gradient[i]
        for r in range(dimension):
            pull = slope[r]
            new = action[r]
            gone = old[r]
            for k in range(dimension):
                total[k] += held[r, k] * pull
                held[r, k] += new * action[k] - gone * old[k]
    later = np.zeros((dimension, dimension))
    for i in range(memory - 1, -1, -1):
        action = sequence[i]
        slope = slopes[i]
        total = gradient[i]
        for r in range(dimension):
            pull = slope[r]
            new = action[r]
            for k in range(dimension):
                total[k] += later[r, k] * new
                later[r, k] += new * slope[k] + pull * action[k]
    return value


@compiled
def _score(
    held_action: Vector,
    scale: float,
    theta: Vector,
    spread: Vector,
    beta: float,
    weight: float,
    slope: Vector,
) -> float:
    """Return weight f(x) of x = c held_action; `slope` becomes weight c times f's gradient."""
    linear = 0.0
    square = 0.0
    for k in range(len(theta)):
        entry = scale * held_action[k]
        linear += theta[k] * entry
        square += spread[k] * entry * entry
    width = math.sqrt(square)
    pull = beta * scale / width if width > 0 else 0.0
    for k in range(len(theta)):
        slope[k] = weight * scale * (theta[k] + pull * spread[k] * held_action[k])
    return weight * (linear + beta * width)


@compiled
def _project(here: Matrix, gradient: Matrix, step: float, trial: Matrix) -> None:
    for i in range(len(here)):
        square = 0.0
        for k in range(here.shape[1]):
            trial[i, k] = here[i, k] + step * gradient[i, k]
            square += trial[i, k] * trial[i, k]
        if square > 1.0:
            shrink = 1.0 / math.sqrt(square)
            for k in range(here.shape[1]):
                trial[i, k] *= shrink


@compiled
def _longest(rows: Matrix) -> float:
    largest = 0.0
    for row in rows:
        largest = max(largest, float((row * row).sum()))
    return math.sqrt(largest)
