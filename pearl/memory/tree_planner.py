"""The best union of at most q root-to-node paths, exactly, for weights of any sign.

Every call plans for all its objectives in one compiled sweep; see tree_knapsack for the method and
its tie rules.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pearl.environments.prefix_tree import PrefixTree
from pearl.errors import SettingError
from pearl.memory.tree_knapsack import plan_all, value_curve

Floats = NDArray[np.float64]
Ints32 = NDArray[np.int32]


def best_union(tree: PrefixTree, weights: Floats, paths: int) -> tuple[float, Ints32]:
    """Return the largest weight of a union of 1..`paths` paths and the actions that attain it.

    Args:
        tree: d segments, K actions.
        weights: float64[d], finite, of any sign; a shared segment counts once.
        paths: q >= 1; may exceed K.

    Returns:
        The sum of the union's weights in ascending order of nodes, and the union's endpoints as
        action numbers, ascending (no chosen path lies inside another).
    """
    values, actions = best_unions(tree, np.asarray(weights)[None], paths)
    return float(values[0]), actions[0][actions[0] >= 0]


def best_unions(tree: PrefixTree, weights: Floats, paths: int) -> tuple[Floats, Ints32]:
    """Plan for n objectives at once.

    Args:
        tree: d segments, K actions.
        weights: float64[n, d].
        paths: q >= 1.

    Returns:
        float64[n] values and int32[n, min(q, K)] actions, each row ascending, then -1.
    """
    weights = _checked(tree, weights, paths)
    values = np.empty(len(weights))
    actions = np.full((len(weights), min(paths, len(tree.actions))), -1, dtype=np.int32)
    plan_all(*_arrays(tree), weights, paths, values, actions)
    return values, actions


def best_values(tree: PrefixTree, weights: Floats, paths: int) -> Floats:
    """Return float64[paths]: the largest weight of a union of at most 1, 2, ..., `paths` paths.

    Exact for integer weights whose absolute sum is below 2^53.
    """
    curve = np.empty(paths)
    value_curve(*_arrays(tree), _checked(tree, np.asarray(weights)[None], paths)[0], paths, curve)
    return curve


def _arrays(tree: PrefixTree) -> tuple[Ints32, Ints32, Ints32, Ints32]:
    return tree.parent, tree.actions, tree.child_offsets, tree.child_nodes


def _checked(tree: PrefixTree, weights: Floats, paths: int) -> Floats:
    weights = np.ascontiguousarray(weights, dtype=np.float64)
    if paths < 1:
        raise SettingError(f"a plan needs at least one path, got paths = {paths}")
    if weights.ndim != 2 or weights.shape[1] != tree.segments:
        raise ValueError(f"weights must be [n, {tree.segments}], got {weights.shape}")
    if not np.isfinite(weights).all():
        raise ValueError("weights must be finite")
    return weights
