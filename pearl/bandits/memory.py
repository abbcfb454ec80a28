"""The newest observations: what a network update trains on and A^-1 is made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray


@dataclass(eq=False)
class Memory:
    """A ring of at most n observations (user, arm's features, reward), oldest overwritten first."""

    users: NDArray[np.int64]
    """(n,)"""
    arms: NDArray[np.float32]
    """(n, Z)"""
    rewards: NDArray[np.float64]
    """(n,)"""
    seen: int = 0
    """Observations so far, those overwritten included."""

    @classmethod
    def empty(cls, size: int, width: int) -> Self:
        """Return a memory for `size` observations of arms with `width` features."""
        return cls(np.zeros(size, np.int64), np.zeros((size, width), np.float32), np.zeros(size))

    def add(self, user: int, arm: NDArray[np.float32], reward: float) -> None:
        """Keep an observation in the oldest one's place."""
        row = self.seen % len(self.users)
        self.users[row], self.arms[row], self.rewards[row] = user, arm, reward
        self.seen += 1

    def order(self) -> NDArray[np.int64]:
        """Return the rows in use, the oldest observation first."""
        if self.seen <= len(self.users):
            return np.arange(self.seen)
        return (np.arange(len(self.users)) + self.seen) % len(self.users)

    @staticmethod
    def names() -> tuple[str, ...]:
        """Return what `to_arrays` holds."""
        return ("users", "arms", "rewards", "seen")

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the memory as arrays."""
        return {
            "users": self.users,
            "arms": self.arms,
            "rewards": self.rewards,
            "seen": np.array(self.seen),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Self:
        """Return the memory that `to_arrays` wrote."""
        users, arms, rewards = (arrays[name].copy() for name in cls.names()[:3])
        return cls(users, arms, rewards, int(arrays["seen"]))
