"""What every interaction of a contextual run left, in the order it was played."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pearl.bandits import step
from pearl.environments.interactions import Block

Array = NDArray[np.float64]
Rows = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Log:
    """T interactions.

    Attributes:
        epoch: int64[T], counted from 0.
        users: int64[T].
        choices: int64[T], which of the offered arms was chosen.
        reward: float64[T], observed.
        regret: float64[T] >= 0, the best arm's mean reward minus the chosen one's.
        updates: int64, rounds (from 1) after which the network was updated.
        steps: what network and Gram matrix said; None for a method without a network.
        parameters: how many numbers the network learns; 0 without one.
    """

    epoch: Rows
    users: Rows
    choices: Rows
    reward: Array
    regret: Array
    updates: Rows
    steps: step.Log | None
    parameters: int

    def __len__(self) -> int:
        return len(self.reward)


class Recorder:
    """Collects blocks in the order they are played."""

    def __init__(self) -> None:
        self._blocks: list[tuple[Block, Rows]] = []
        self._steps: list[step.Log] = []
        self._updates: list[int] = []
        self.rounds = 0
        """Interactions so far."""

    def add(self, block: Block, choices: Rows, steps: step.Log | None = None) -> None:
        """Record a block and what was chosen in it."""
        self._blocks.append((block, choices))
        if steps is not None:
            self._steps.append(steps)
        self.rounds += len(block)

    def updated(self) -> None:
        """Record that the network was updated after the interactions so far."""
        self._updates.append(self.rounds)

    def log(self, parameters: int) -> Log:
        """Return all interactions."""
        blocks = [block for block, _ in self._blocks]
        return Log(
            epoch=np.repeat([block.epoch for block in blocks], [len(block) for block in blocks]),
            users=np.concatenate([block.users for block in blocks]),
            choices=np.concatenate([choices for _, choices in self._blocks]),
            reward=np.concatenate([at(block.rewards, choices) for block, choices in self._blocks]),
            regret=np.concatenate([at(block.regrets, choices) for block, choices in self._blocks]),
            updates=np.array(self._updates, dtype=np.int64),
            steps=_joined(self._steps) if self._steps else None,
            parameters=parameters,
        )


def at(values: NDArray[np.float64], choices: Rows) -> Array:
    """Return the chosen entry of each row."""
    return values[np.arange(len(choices)), choices]


def _joined(steps: Sequence[step.Log]) -> step.Log:
    return step.Log(*(np.concatenate(parts) for parts in zip(*steps, strict=True)))
