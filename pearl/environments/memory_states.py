"""The memory states that an instance with finitely many actions can reach, numbered.

They are found from the initial history on, so state 0 is the first round's. Without a shorter
state of the instance's own they are its histories: at most K^M that are made of its own actions,
and those on the way to them.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pearl.environments.memory_instance import (
    Matrix,
    MemoryInstance,
    MergesHistories,
    Vector,
    transition,
)
from pearl.errors import SettingError

Ints = NDArray[np.int32]

MEMORY_LIMIT = 1_000_000_000
"""Bytes that the states may take where no limit on their number is given."""
_OBJECT = 120
"""Bytes of a small Python object and its place in a table, roughly."""
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class MemoryStates:
    """N states and K actions; equal features are kept once.

    Attributes:
        following: int32[N, K], the state f(s, a).
        feature_of: int32[N, K], the row of `features` that is phi(s, a).
        features: float64[F, d], the features that occur, different rows.
    """

    following: Ints
    feature_of: Ints
    features: Matrix

    def __len__(self) -> int:
        """Return N."""
        return len(self.following)

    @property
    def n_actions(self) -> int:
        """K."""
        return int(self.following.shape[1])

    def rewards(self, theta: Vector) -> Matrix:
        """Return <phi(s, a), theta>, float64[N, K]."""
        return np.asarray((self.features @ theta)[self.feature_of])


def reachable_states(instance: MemoryInstance[int], max_states: int | None = None) -> MemoryStates:
    """Number the states that are reachable from `instance.initial`.

    Args:
        instance: an instance with finitely many actions.
        max_states: the most that are accepted; None: as many as fit a gigabyte.

    Raises:
        SettingError: the actions aren't finite, there are more states, or the instance breaks its
            own bounds R, S or |a| <= 1.
    """
    n_actions = _checked_actions(instance)
    limit = _fitting(instance, n_actions) if max_states is None else max_states
    merged = instance.state if isinstance(instance, MergesHistories) else _whole
    numbers: dict[Hashable, int] = {merged(instance.initial): 0}
    histories = [instance.initial]
    rows: dict[bytes, int] = {}
    features: list[Vector] = []
    following: list[int] = []
    feature_of: list[int] = []
    for number, history in enumerate(histories):
        for action in range(n_actions):
            phi = np.ascontiguousarray(instance.feature(history, action), dtype=np.float64) + 0.0
            row = rows.setdefault(phi.tobytes(), len(features))
            if row == len(features):
                _check_feature(instance, phi, history, action)
                features.append(phi)
            feature_of.append(row)
            after = transition(history, action)
            state = numbers.setdefault(merged(after), len(histories))
            if state == len(histories):
                if state >= limit:
                    raise _too_many(instance, n_actions, limit, number)
                histories.append(after)
            following.append(state)
    shape = (len(histories), n_actions)
    return MemoryStates(
        following=np.array(following, dtype=np.int32).reshape(shape),
        feature_of=np.array(feature_of, dtype=np.int32).reshape(shape),
        features=np.array(features),
    )


def _whole(history: tuple[int, ...]) -> Hashable:
    return history


def _fitting(instance: MemoryInstance[int], n_actions: int) -> int:
    """Return how many states fit MEMORY_LIMIT if every feature differs."""
    feature = 2 * (_OBJECT + 8 * instance.dimension) + _OBJECT
    state = 3 * _OBJECT + 8 * instance.memory
    # A planner keeps rewards and action values beside the two tables of numbers.
    return max(1, MEMORY_LIMIT // (n_actions * (feature + 6 * 8) + state))


def _checked_actions(instance: MemoryInstance[int]) -> int:
    name = type(instance).__name__
    if instance.actions is None or not len(instance.actions):
        raise SettingError(
            f"{name}: its memory states can't be listed, because its actions aren't finite.",
            remedy="Give `actions` as rows, or plan with a method made for the instance.",
        )
    longest = float(np.linalg.norm(instance.actions, axis=1).max())
    if longest > 1 + _ROUNDING:
        raise SettingError(f"{name}: an action has norm {longest:g}; actions have norms <= 1.")
    if len(instance.initial) != instance.memory or instance.memory < 1:
        raise SettingError(
            f"{name}: initial holds {len(instance.initial)} actions, memory is {instance.memory};"
            " it holds the M >= 1 actions before the first round."
        )
    norm = float(np.linalg.norm(instance.theta_star))
    if instance.theta_star.shape != (instance.dimension,) or norm > instance.norm_bound + _ROUNDING:
        raise SettingError(
            f"{name}: theta_star has shape {instance.theta_star.shape} and norm {norm:g};"
            f" it has shape ({instance.dimension},) and norm <= norm_bound ="
            f" {instance.norm_bound:g}."
        )
    return len(instance.actions)


def _check_feature(
    instance: MemoryInstance[int], phi: Vector, history: tuple[int, ...], action: int
) -> None:
    where = f"{type(instance).__name__}.feature({history}, {action})"
    if phi.shape != (instance.dimension,):
        raise SettingError(f"{where} has shape {phi.shape}, not ({instance.dimension},).")
    norm = float(np.linalg.norm(phi))
    if not norm <= instance.feature_bound * (1 + _ROUNDING):
        raise SettingError(
            f"{where} has norm {norm:g}, above feature_bound = {instance.feature_bound:g}."
        )


def _too_many(instance: MemoryInstance[int], n_actions: int, limit: int, seen: int) -> SettingError:
    whole = "" if isinstance(instance, MergesHistories) else ", one for each history"
    return SettingError(
        f"{type(instance).__name__}: more than max_states = {limit:,} memory states are reachable"
        f" (found while listing what follows state {seen:,}); {n_actions} actions and memory ="
        f" {instance.memory} make up to {n_actions}^{instance.memory} ="
        f" {n_actions**instance.memory:,}{whole}.",
        remedy="Lower memory, raise max_states where there is room, or give the instance a method"
        " state(history) that merges histories with equal rewards from then on.",
    )
