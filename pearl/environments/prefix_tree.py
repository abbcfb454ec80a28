"""A rooted tree of cache segments whose root-to-node paths are the actions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pearl.errors import SettingError

Ints = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class PrefixTree:
    """Segments 0..d-1 of one tree and the K paths that a controller may refresh.

    Attributes:
        parent: int32[d]; parent[0] == -1 (the only root) and 0 <= parent[v] < v for v > 0.
        actions: int32[K], the node at which each action's path ends, strictly ascending. Every
            leaf of the tree is among them, so that every segment can be cached.

    Raises:
        SettingError: the arrays don't describe such a tree.
    """

    parent: Ints
    actions: Ints

    def __post_init__(self) -> None:
        parent = np.ascontiguousarray(self.parent, dtype=np.int32)
        actions = np.ascontiguousarray(self.actions, dtype=np.int32)
        if parent.ndim != 1 or len(parent) == 0 or parent[0] != -1:
            raise SettingError("a prefix tree needs a root: parent[0] must be -1")
        later = parent[1:]
        if np.any(later < 0) or np.any(later >= np.arange(1, len(parent))):
            raise SettingError("a prefix tree needs 0 <= parent[v] < v for every v > 0")
        if actions.ndim != 1 or len(actions) == 0 or np.any(np.diff(actions) <= 0):
            raise SettingError("a prefix tree needs actions, strictly ascending")
        if actions[0] < 0 or actions[-1] >= len(parent):
            raise SettingError(f"actions must be nodes 0..{len(parent) - 1}")
        unreachable = np.setdiff1d(np.arange(len(parent)), np.concatenate([later, actions]))
        if len(unreachable):
            raise SettingError(f"leaf {unreachable[0]} ends no action: its segment can't be cached")
        for array in (parent, actions):
            array.flags.writeable = False
        object.__setattr__(self, "parent", parent)
        object.__setattr__(self, "actions", actions)

    @property
    def segments(self) -> int:
        """The number d of segments."""
        return len(self.parent)

    @cached_property
    def depth(self) -> Ints:
        """int32[d]: segments on the path from the root to each node, itself included (>= 1)."""
        depth = np.ones(self.segments, dtype=np.int32)
        for v in range(1, self.segments):
            depth[v] = depth[self.parent[v]] + 1
        return depth

    @cached_property
    def path_offsets(self) -> Ints:
        """int32[K+1]: action i's path is path_nodes[path_offsets[i]:path_offsets[i + 1]]."""
        return np.concatenate([[0], np.cumsum(self.depth[self.actions])]).astype(np.int32)

    @cached_property
    def path_nodes(self) -> Ints:
        """int32: the nodes of every action's path, from the root to its end, concatenated."""
        nodes = np.empty(self.path_offsets[-1], dtype=np.int32)
        for end, v in zip(self.path_offsets[1:], self.actions, strict=True):
            at = int(end)
            while v >= 0:
                at -= 1
                nodes[at] = v
                v = self.parent[v]
        return nodes

    @cached_property
    def child_offsets(self) -> Ints:
        """int32[d+1]: node v's children are child_nodes[child_offsets[v]:child_offsets[v + 1]]."""
        counts = np.bincount(self.parent[1:], minlength=self.segments)
        return np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)

    @cached_property
    def child_nodes(self) -> Ints:
        """int32[d-1]: the children of every node, ascending within a node, concatenated."""
        return (1 + np.argsort(self.parent[1:], kind="stable")).astype(np.int32)

    def path(self, action: int) -> Ints:
        """Return the nodes of one action's path, from the root to its end."""
        return self.path_nodes[self.path_offsets[action] : self.path_offsets[action + 1]]

    def union(self, actions: Iterable[int]) -> NDArray[np.bool_]:
        """Return bool[d]: the segments on the paths of the given actions."""
        covered = np.zeros(self.segments, dtype=np.bool_)
        for action in actions:
            covered[self.path(action)] = True
        return covered
