"""The newest observations: what an online update and a rebuilt Gram matrix may see."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int64]


class Memory:
    """At most `size` observations, the newest last."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.users: Rows = np.empty(0, np.int64)
        """int64[n]."""
        self.arms: Rows = np.empty(0, np.int64)
        """int64[n], rows of the arms' embeddings."""
        self.rewards: NDArray[np.float64] = np.empty(0)
        """float64[n]."""

    def __len__(self) -> int:
        return len(self.users)

    def newest(self, n: int) -> slice:
        """Return which the newest n are, or all where there are fewer."""
        return slice(max(0, len(self) - n), None)

    def add(self, users: Rows, arms: Rows, rewards: NDArray[np.float64]) -> None:
        """Append observations; the oldest beyond `size` are forgotten."""
        self.users = np.concatenate([self.users, users])[-self.size :]
        self.arms = np.concatenate([self.arms, arms])[-self.size :]
        self.rewards = np.concatenate([self.rewards, rewards])[-self.size :]
