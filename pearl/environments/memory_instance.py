"""What a linear bandit with memory is: the contract of every instance (Section 2).

In round t the learner plays a_t in the history s_t = (a_(t-M), ..., a_(t-1)) and sees

    y_t = <phi(s_t, a_t), theta*> + noise,    phi(s, a) = A(s)' a,                          Eq. (1)

with |a| <= 1, |A(s)| <= R, |theta*| <= S and sigma-sub-Gaussian noise. It is measured against
OPT_T, the largest sum of mean rewards that T actions can reach from s_1, Eq. (2) and (3).

An instance with finitely many actions names them by number, 0 to K - 1, and needs no code of its
own to be learned: see docs/extending.md.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]
Action = TypeVar("Action")


class MemoryInstance(Protocol[Action]):
    """A linear bandit with memory; theta_star is hidden from learners.

    An action is a number 0, ..., K - 1 where the set is finite, else a vector (d_a). A history is
    the tuple of the last M actions, the oldest first.
    """

    @property
    def dimension(self) -> int:
        """d, the length of features and of theta*."""

    @property
    def memory(self) -> int:
        """M >= 1: a reward depends on the last M actions and the present one."""

    @property
    def feature_bound(self) -> float:
        """R > 0 with |A(s)| <= R in operator norm, and so |phi(s, a)| <= R."""

    @property
    def norm_bound(self) -> float:
        """S > 0 with |theta*| <= S."""

    @property
    def noise(self) -> float:
        """sigma > 0, the sub-Gaussian scale of the noise."""

    @property
    def theta_star(self) -> Vector:
        """theta*, float64[d]."""

    @property
    def actions(self) -> Matrix | None:
        """The actions' vectors as rows, float64[K, d_a], norms <= 1; None: the whole unit ball."""

    @property
    def initial(self) -> tuple[Action, ...]:
        """s_1, the history before the first round: M actions."""

    def feature(self, history: tuple[Action, ...], action: Action) -> Vector:
        """Return phi(s, a) = A(s)' a, float64[d]."""

    def optimum(self, horizon: int) -> Vector:
        """Return OPT_1, ..., OPT_horizon from s_1, float64[horizon].

        Where there is no closed form: finite_optimum.optimum_by_states.
        """


@runtime_checkable
class MergesHistories(Protocol):
    """What an instance adds where less than the whole history decides its rewards."""

    def state(self, history: tuple[int, ...]) -> Hashable:
        """Return what of a history matters.

        Histories with equal states have equal features for every action, and equal states again
        after every action.
        """


@runtime_checkable
class GivesMemoryMap(Protocol):
    """What an instance adds that writes out its memory map."""

    def memory_matrix(self, history: tuple[Any, ...]) -> Matrix:
        """Return A(s), float64[d_a, d]."""


def transition(history: tuple[Action, ...], action: Action) -> tuple[Action, ...]:
    """Return f(s, a): the oldest action leaves, `action` joins."""
    return (*history[1:], action)


def mean_reward(
    instance: MemoryInstance[Action], history: tuple[Action, ...], action: Action
) -> float:
    """Return r(s, a) = <phi(s, a), theta*>."""
    return float(instance.feature(history, action) @ instance.theta_star)
