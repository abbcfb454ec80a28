"""Every segment's chain to the root, as the places in V^-1 that scores of unions need."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pearl.environments.prefix_tree import PrefixTree

Places = tuple[NDArray[np.intp], NDArray[np.intp]]


def segment_chains(tree: PrefixTree) -> tuple[Places, NDArray[np.int64]]:
    """Return index arrays (v, u) of every segment with u = v, parent(v), ..., root, and offsets."""
    lower = np.repeat(np.arange(tree.segments), tree.depth)
    offsets = np.concatenate([[0], np.cumsum(tree.depth)]).astype(np.int64)
    upper = np.empty(offsets[-1], dtype=np.intp)
    for v in range(tree.segments):
        upper[offsets[v]] = v
        if v:
            above = tree.parent[v]
            upper[offsets[v] + 1 : offsets[v + 1]] = upper[offsets[above] : offsets[above + 1]]
    return (lower, upper), offsets
