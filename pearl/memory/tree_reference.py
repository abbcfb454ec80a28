"""Two slow, independent answers to the tree planner's question, for tests and benchmarks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pearl.compiled import compiled
from pearl.environments.prefix_tree import PrefixTree

Floats = NDArray[np.float64]


def every_union(tree: PrefixTree, weights: Floats, paths: int) -> tuple[NDArray[np.bool_], Floats]:
    """Return every set of 1..`paths` actions, bool[n, K], and its union's weight, float64[n].

    There are up to 2^K - 1 of them: small trees only.
    """
    actions = len(tree.actions)
    on_path = np.array([tree.union([action]) for action in range(actions)])
    chosen = (np.arange(1, 2**actions)[:, None] >> np.arange(actions)) % 2 == 1
    chosen = chosen[chosen.sum(axis=1) <= paths]
    return chosen, (chosen @ on_path).astype(np.float64) @ weights


def plain_values(tree: PrefixTree, weights: Floats, paths: int) -> Floats:
    """Return float64[paths], the paper's O(d q^2) program: best weight of at most 1..q paths.

    Every node keeps a full table over exact numbers of paths, -inf where impossible, and merges
    its children's tables one after another.
    """
    ends = np.zeros(tree.segments, dtype=np.bool_)
    ends[tree.actions] = True
    exact = _plain(tree.parent, ends, np.asarray(weights, dtype=np.float64), paths)
    return np.maximum.accumulate(exact)


@compiled
def _plain(
    parent: NDArray[np.int32], ends: NDArray[np.bool_], weights: Floats, paths: int
) -> Floats:
    d = len(parent)
    # below[v, j]: best sum over v's children with exactly j paths among them, v itself left out
    below = np.full((d, paths + 1), -np.inf)
    below[:, 0] = 0.0
    merged = np.empty(paths + 1)
    for v in range(d - 1, -1, -1):
        if ends[v]:
            below[v, 1] = max(below[v, 1], 0.0)
        if v == 0:
            break
        above = below[parent[v]]
        for j in range(paths + 1):
            best = above[j]
            for i in range(1, j + 1):
                best = max(best, above[j - i] + (weights[v] + below[v, i]))
            merged[j] = best
        above[:] = merged
    values: Floats = weights[0] + below[0, 1:]
    return values
