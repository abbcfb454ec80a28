"""A fixed random union of paths: a reference that learns nothing."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pearl.environments.prefix_tree import PrefixTree
from pearl.randomness import generator


def random_union(tree: PrefixTree, paths: int, seed: int) -> NDArray[np.int32]:
    """Draw min(paths, K) different actions uniformly and return them in ascending order."""
    actions = len(tree.actions)
    drawn = generator(seed, "policy/union").choice(actions, size=min(paths, actions), replace=False)
    return np.sort(drawn).astype(np.int32)
