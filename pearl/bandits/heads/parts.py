"""What a reward head is trained on, what it answers, and its parameters at work."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pearl.bandits.heads.network import Adam, Floats, Ints, Parameters
from pearl.bandits.network import Floats32

Slates = tuple[Ints, Ints, Floats]
"""Users (n,), arms (n, K) as rows of the arms' features, rewards (n, K)."""


class Features(NamedTuple):
    """What users and arms are known by."""

    stated: Floats32
    """(U, S), in [0, 1]."""
    arms: Floats32
    """(M, Z)."""


class Rows(NamedTuple):
    """Observations, n of them in the order of training."""

    users: Ints
    arms: Ints
    rewards: Floats
    noise: Floats
    """Standard normal (n, B), for heads that sample their weights; (n, 0) for the others."""
    kept: NDArray[np.bool_]
    """What dropout keeps (n, 2, d)."""

    def take(self, some: Ints | slice) -> Rows:
        """Return some of the rows."""
        return Rows(
            self.users[some],
            self.arms[some],
            self.rewards[some],
            self.noise[some],
            self.kept[some],
        )


class Loss(NamedTuple):
    """The loss of a batch and its gradient."""

    total: float
    """Summed over rows."""
    outputs: Floats
    """The mean loss by phi (n, B)."""
    tables: Mapping[str, Floats]
    """The mean loss by the head's own parameters."""


@dataclass(frozen=True, eq=False)
class Model:
    """A head's parameters at work; they change in place."""

    parameters: Parameters
    adam: Adam

    @property
    def size(self) -> int:
        """How many numbers are learned."""
        return sum(array.size for array in self.parameters.values())


def squared(mu: Floats, rewards: Floats) -> tuple[Floats, Floats]:
    """Return (mu - r)^2 and its derivative by mu's logit."""
    error = mu - rewards
    return error * error, 2.0 * error * (mu * (1.0 - mu))
