"""The run-length instance of Appendix C.2: an action pays once it has been repeated for M rounds.

The actions are e_1, ..., e_d. With s = (a_(t-M), ..., a_(t-1)) the memory matrix A(s) is R e_i e_i'
where all M actions are e_i, and zero elsewhere. So the feature A(s)'a is R e_i where e_i follows M
times e_i, and zero otherwise: switching costs M rounds without reward.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pearl.environments.memory_directions import unit_direction
from pearl.environments.run_length_settings import DIMENSION, RunLengthSettings
from pearl.randomness import generator

Vector = NDArray[np.float64]
Arms = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class RunLength:
    """One instance with the histories that its runs begin with.

    Taken `alone` from one of them it meets the contract of memory_instance.

    Attributes:
        direction: u, float64[d], d >= 2, nonnegative.
        memory: M >= 1.
        feature_bound: R.
        norm_bound: S.
        noise: sigma.
        regularization: lambda of the ridge learners.
        histories: int64[n, M], the actions before round 1, oldest first.
    """

    direction: Vector
    memory: int
    feature_bound: float
    norm_bound: float
    noise: float
    regularization: float
    histories: Arms

    @classmethod
    def of(cls, settings: RunLengthSettings) -> RunLength:
        """Build the instance of the settings with its ten balanced histories."""
        return cls(
            direction=unit_direction(settings.direction, DIMENSION),
            memory=settings.memory,
            feature_bound=settings.feature_bound,
            norm_bound=settings.norm_bound,
            noise=settings.noise,
            regularization=settings.chosen_regularization,
            histories=balanced_histories(settings.memory),
        )

    @property
    def dimension(self) -> int:
        """d, the number of actions."""
        return len(self.direction)

    @property
    def actions(self) -> NDArray[np.float64]:
        """The coordinate vectors as rows, float64[d, d]."""
        return np.eye(self.dimension)

    @property
    def initial(self) -> tuple[int, ...]:
        """The first history, M actions, oldest first."""
        return tuple(self.histories[0].tolist())

    def alone(self, history: int) -> RunLength:
        """Return the instance with one of its histories alone, by number."""
        return replace(self, histories=self.histories[history : history + 1])

    def state(self, history: tuple[int, ...]) -> tuple[int, int]:
        """Return what of a history matters: its last action and that one's trailing run."""
        return trailing_run(history)

    @property
    def theta_star(self) -> Vector:
        """theta* = S u, float64[d]."""
        return self.norm_bound * self.direction

    @property
    def values(self) -> Vector:
        """R S u, float64[d]: the mean reward of each action once it pays."""
        return self.feature_bound * self.theta_star

    @property
    def reward_bound(self) -> float:
        """B = R S."""
        return self.feature_bound * self.norm_bound

    def memory_matrix(self, history: Sequence[int]) -> NDArray[np.float64]:
        """Return A(s), float64[d, d], for the last M actions, oldest first."""
        matrix = np.zeros((self.dimension, self.dimension))
        if all(arm == history[0] for arm in history):
            matrix[history[0], history[0]] = self.feature_bound
        return matrix

    def feature(self, history: Sequence[int], arm: int) -> Vector:
        """Return phi(s, a) = A(s)'a, float64[d], for the last M actions, oldest first."""
        return np.asarray(self.memory_matrix(history)[arm])

    def optimum(self, horizon: int) -> Vector:
        """Return float64[horizon]: OPT_1, OPT_2, ..., each the mean over the histories.

        OPT_t = R S max_i u_i (t - M + l_i)_+ with l_i the length of a history's trailing run of
        e_i, 0 unless the history ends in e_i.
        """
        rounds = np.arange(1.0, horizon + 1)
        total = np.zeros(horizon)
        for history in self.histories:
            last, run = trailing_run(history)
            away = self.values.max() * np.maximum(rounds - self.memory, 0.0)
            stay = self.values[last] * np.maximum(rounds - (self.memory - run), 0.0)
            total += np.maximum(away, stay)
        return total / len(self.histories)


def balanced_histories(memory: int) -> Arms:
    """Return int64[10, M]: a fixed permutation of the ten actions, shifted and repeated.

    History j repeats the permutation rolled by j up to round 0, so that each action is the last of
    one history. Where M is no multiple of 10 the oldest repetition is cut.
    """
    order = np.random.default_rng(0).permutation(DIMENSION)
    repeats = -(-memory // DIMENSION)
    return np.stack([np.tile(np.roll(order, j), repeats)[-memory:] for j in range(DIMENSION)])


def trailing_run(history: Sequence[int] | Arms) -> tuple[int, int]:
    """Return a history's last action and how often it stands at the end without a break."""
    last, run = int(history[-1]), 0
    for arm in reversed(history):
        if arm != last:
            break
        run += 1
    return last, run


def standard_noise(seed: int, horizon: int) -> Vector:
    """Return float64[horizon]: every round's noise over sigma, whatever is played."""
    return generator(seed, "run_length/noise").standard_normal(horizon)
