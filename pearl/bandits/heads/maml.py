"""MAML over users who weight common bases: adaptation by gradient steps, and the way back through.

A user's loss is the mean Bradley-Terry loss of his pairs, l(w . psi) = -log sigmoid(w . psi) with
psi = phi(better) - phi(worse). A step is w' = w - rate mean l'(w . psi) psi.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pearl.bandits.gradient import sigmoids, softpluses
from pearl.bandits.heads.bases import dots
from pearl.bandits.heads.network import Floats, Ints
from pearl.bandits.pretraining import comparisons


class Tasks(NamedTuple):
    """The pairs of T tasks, P of them."""

    better: Ints
    """Rows of phi (P,)."""
    worse: Ints
    task: Ints
    """0 .. T - 1 (P,)."""
    support: Floats
    """The pair's share in its task's support loss (P,): 1 over their number, or 0."""
    query: Floats
    """The same in the query loss."""


@dataclass(frozen=True, eq=False)
class Population:
    """All rated slates as pairs of the users who rated them.

    Attributes:
        users: every slate's user (n,).
        arms: K, arms a slate.
        slate: every pair's slate (P,).
        better: the place of its better arm in the slate, 0 .. K - 1 (P,).
        worse: of its worse arm.
    """

    users: Ints
    arms: int
    slate: Ints
    better: Ints
    worse: Ints

    @classmethod
    def of(cls, users: Ints, rewards: Floats) -> Population:
        """Return the pairs of slates with rewards (n, K), ties left out."""
        return cls(users, rewards.shape[1], *comparisons(rewards))

    @property
    def owners(self) -> Ints:
        """Users with pairs, ascending."""
        return np.unique(self.users[self.slate])

    def halves(self, draws: np.random.Generator) -> NDArray[np.bool_]:
        """Return which pairs are support (P,): of every user half at random, rounded up."""
        owners = self.users[self.slate]
        shuffled = draws.permutation(len(owners))
        by_user = shuffled[np.argsort(owners[shuffled], kind="stable")]
        counts = np.bincount(owners)
        first = np.cumsum(counts) - counts
        rank = np.arange(len(owners)) - first[owners[by_user]]
        support = np.zeros(len(owners), dtype=np.bool_)
        support[by_user] = 2 * rank < counts[owners[by_user]]
        return support

    def batches(self, order: Ints, pairs: int) -> list[Ints]:
        """Cut users in their order, a cut before the first that begins beyond so many pairs."""
        counts = np.bincount(self.users[self.slate], minlength=self.users.max() + 1)[order]
        batch = (np.cumsum(counts) - counts) // pairs
        return np.split(order, np.flatnonzero(np.diff(batch)) + 1)

    def slates_of(self, chosen: Ints) -> Ints:
        """Return the slates of the users, ascending."""
        return np.flatnonzero(np.isin(self.users, chosen))

    def tasks(self, chosen: Ints, support: NDArray[np.bool_]) -> Tasks:
        """Return the users' pairs; rows of phi are K a slate, in the order of `slates_of`.

        Args:
            chosen: users with pairs, in the order of the tasks.
            support: which of all pairs are support; the others are query, and all of a task's
                pairs are where all are support.
        """
        place = np.full(self.users.max() + 1, -1)
        place[chosen] = np.arange(len(chosen))
        ours = np.flatnonzero(place[self.users[self.slate]] >= 0)
        task = place[self.users[self.slate[ours]]]
        row = np.searchsorted(self.slates_of(chosen), self.slate[ours]) * self.arms
        inner = support[ours]
        supports = np.bincount(task[inner], minlength=len(chosen))
        queries = np.bincount(task[~inner], minlength=len(chosen))
        outer = ~inner | (queries[task] == 0)
        queries = np.where(queries == 0, supports, queries)
        return Tasks(
            row + self.better[ours],
            row + self.worse[ours],
            task,
            np.where(inner, 1.0 / np.maximum(supports, 1)[task], 0.0),
            np.where(outer, 1.0 / np.maximum(queries, 1)[task], 0.0),
        )


def adapted(psi: Floats, start: Floats, tasks: Tasks, steps: int, rate: float) -> list[Floats]:
    """Return every task's weights (T, B) at the start and after each step on its support."""
    path = [start]
    for _ in range(steps):
        slope = -tasks.support * sigmoids(-dots(path[-1][tasks.task], psi))
        moved = path[-1].copy()
        np.subtract.at(moved, tasks.task, rate * slope[:, None] * psi)
        path.append(moved)
    return path


def meta(
    phi: Floats, start: Floats, tasks: Tasks, size: int, steps: int, rate: float
) -> tuple[float, Floats, Floats]:
    """Return the tasks' mean query loss after adaptation, and its whole gradient.

    Second order: backwards through a step, lambda = (I - rate H(w)) lambda' where
    H = mean l'' psi psi', and psi gathers -rate (l'' (lambda' . psi) w + l' lambda').

    Args:
        phi: the bases on all rows (n, B).
        start: w_0 (B,).
        tasks: the pairs.
        size: T, the number of tasks.
        steps: inner steps.
        rate: their rate.

    Returns:
        The loss, its gradient by phi (n, B) and by w_0 (B,).
    """
    psi = phi[tasks.better] - phi[tasks.worse]
    path = adapted(psi, np.tile(start, (size, 1)), tasks, steps, rate)
    final = path[-1][tasks.task]
    margins = dots(final, psi)
    slope = -tasks.query * sigmoids(-margins)
    by_psi = slope[:, None] * final
    adjoint = np.zeros((size, len(start)))
    np.add.at(adjoint, tasks.task, slope[:, None] * psi)
    for w in reversed(path[:-1]):
        own, ahead = w[tasks.task], adjoint[tasks.task]
        right = sigmoids(dots(own, psi))
        first = -tasks.support * (1.0 - right)
        along = tasks.support * right * (1.0 - right) * dots(ahead, psi)
        by_psi -= rate * (along[:, None] * own + first[:, None] * ahead)
        np.subtract.at(adjoint, tasks.task, rate * along[:, None] * psi)
    by_phi, by_start = np.zeros_like(phi), np.zeros_like(start)
    np.add.at(by_phi, tasks.better, by_psi)
    np.subtract.at(by_phi, tasks.worse, by_psi)
    for each in adjoint:
        by_start += each
    loss = math.fsum(tasks.query * softpluses(-margins)) / size
    return loss, by_phi / size, by_start / size
