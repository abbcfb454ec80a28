"""What a bandit meets between two network updates, whatever the world."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Block:
    """Consecutive interactions of one epoch.

    Attributes:
        epoch: counted from 0.
        users: int64[n], rows of the users.
        arms: int64[n, K], the offered arms: rows of the arms' embeddings.
        rewards: float64[n, K], what would be observed for each arm.
        regrets: float64[n, K] >= 0, the best arm's mean reward minus each arm's own.
        update: whether the network is updated after the last of them.
    """

    epoch: int
    users: NDArray[np.int64]
    arms: NDArray[np.int64]
    rewards: NDArray[np.float64]
    regrets: NDArray[np.float64]
    update: bool

    def __len__(self) -> int:
        return len(self.users)
