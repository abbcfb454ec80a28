"""KV-cache refresh in the notation of bandits with memory: a_i, A(s) and A's norm (C.4).

The learners work on x_t directly; these matrices show that it is the same problem.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pearl.environments.prefix_tree import PrefixTree


def action_vectors(tree: PrefixTree) -> NDArray[np.float64]:
    """Return float64[K, d + 1]: a_i = (1, p_i) / sqrt(1 + h), h the longest path; norms <= 1."""
    vectors = np.zeros((len(tree.actions), 1 + tree.segments))
    vectors[:, 0] = 1.0
    for action in range(len(tree.actions)):
        vectors[action, 1 + tree.path(action)] = 1.0
    vectors /= np.sqrt(1 + int(tree.depth.max()))
    return vectors


def memory_matrix(tree: PrefixTree, resident: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return A(s), float64[d + 1, d + 1], with A(s)' a_i = (0, x_t).

    Args:
        tree: the catalogue.
        resident: bool[d], g(s): segments that the last M refreshes keep available.
    """
    matrix = np.zeros((1 + tree.segments, 1 + tree.segments))
    matrix[0, 1:] = resident
    matrix[1:, 1:] = np.diag(1.0 - resident)
    matrix *= np.sqrt((1 + int(tree.depth.max())) / tree.segments)
    return matrix


def operator_norm(tree: PrefixTree, memory: int) -> float:
    """Return the largest ||A(s)|| over the states that `memory` refreshes can reach.

    It is sqrt((1 + h)/d) max(1, sqrt(|g(s)|)): g(s) is an eigenvector of A'A, and diag(1 - g(s))
    adds eigenvalues of 1. The largest |g(s)| is a sum of longest chains, each counted from where
    it leaves the longer one.
    """
    below = np.zeros(tree.segments, dtype=np.int64)
    chains = []
    for v in range(tree.segments - 1, 0, -1):
        above, chain = tree.parent[v], below[v] + 1
        chains.append(min(chain, below[above]))
        below[above] = max(chain, below[above])
    chains.append(below[0] + 1)
    resident = int(np.sort(chains)[::-1][:memory].sum())
    longest_path = int(tree.depth.max())
    return float(np.sqrt((1 + longest_path) / tree.segments * max(1, resident)))
