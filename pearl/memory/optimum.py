"""The comparator OPT_T: the largest cumulative mean reward of any refresh sequence (C.4).

With F_j the largest mean reward of a union of at most j paths and q = M + 1, no cache of round t
holds more than min(t, q) paths. Paths ordered by the demand they add attain F_j with the first j of
them, for every j at once; refreshing them in that order and then in a cycle attains
F_min(t, q) in every round, so OPT_T = sum over t <= T of F_min(t, q).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pearl.compiled import compiled
from pearl.environments.kv_cache import KVCache
from pearl.environments.prefix_tree import PrefixTree
from pearl.errors import PearlError
from pearl.memory.tree_planner import best_values

Ints64 = NDArray[np.int64]
Ints32 = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Comparator:
    """The best that is attainable from an empty cache.

    Attributes:
        tokens: int64[q], F_1..F_q times n_eval Z, exact.
        order: int32[n], n <= q, the actions to refresh in this order and then in a cycle; fewer
            than q where the first n paths already cover all demand.
        scale: n_eval Z, tokens of a mean reward of 1.
    """

    tokens: Ints64
    order: Ints32
    scale: int

    @property
    def value(self) -> NDArray[np.float64]:
        """float64[q]: F_1..F_q as mean rewards a round."""
        return self.tokens / self.scale

    def cumulative(self, horizon: int) -> NDArray[np.float64]:
        """Return float64[horizon]: OPT_1, OPT_2, ...; summed in integers, rounded once each."""
        q = len(self.tokens)
        per_round = self.tokens[np.minimum(np.arange(horizon), q - 1)]
        return np.cumsum(per_round) / self.scale


def comparator(instance: KVCache) -> Comparator:
    """Compute F_1..F_{M+1} and the ordered paths from the evaluation demand.

    Raises:
        PearlError: the ordered paths miss some F_j, so the cycle would not attain OPT.
    """
    tokens, order = ordered_paths(instance.tree, instance.demand, instance.memory + 1)
    return Comparator(tokens, order, instance.n_eval * instance.settings.token_scale)


def ordered_paths(tree: PrefixTree, demand: Ints64, paths: int) -> tuple[Ints64, Ints32]:
    """Order paths by the demand that each adds, and verify them against the exact planner.

    For demand >= 0 this greedy order is optimal for every j (the paths are the longest chains of
    the tree, each counted from where it leaves an earlier one); the verification in integer tokens
    guards the premises.

    Args:
        tree: d segments, K actions.
        demand: int64[d], tokens, >= 0, with a sum below 2^53.
        paths: q >= 1.

    Returns:
        int64[q] F_1..F_q in tokens, and int32[n] the order, n <= q: a path that adds nothing is
        left out, except that there is always a first one. Ties go to the lower action number.

    Raises:
        PearlError: the order misses some F_j, or the demand isn't such.
    """
    if np.any(demand < 0) or int(demand.sum()) >= 2**53:
        raise PearlError("demand must be >= 0 and sum to less than 2^53 tokens")
    order = np.empty(paths, dtype=np.int32)
    attained = np.empty(paths, dtype=np.int64)
    length = _greedy(tree.parent, tree.actions, demand, order, attained)
    exact = best_values(tree, demand.astype(np.float64), paths).astype(np.int64)
    missed = np.flatnonzero(attained != exact)
    if len(missed):
        j = int(missed[0])
        raise PearlError(
            f"the first {j + 1} ordered paths cover {attained[j]:,} tokens,"
            f" the exact optimum F_{j + 1} is {exact[j]:,}: no cycle attains OPT"
        )
    return exact, order[:length]


@compiled
def _greedy(
    parent: Ints32, actions: Ints32, demand: Ints64, order: Ints32, attained: Ints64
) -> int:
    """Fill `order` and the tokens that its first 1, 2, ... paths cover; return its length."""
    left = demand.copy()
    added = np.empty_like(demand)
    covered, length = 0, 0
    for j in range(len(order)):
        for v in range(len(parent)):
            added[v] = left[v] + (added[parent[v]] if v > 0 else 0)
        best = 0
        for i in range(1, len(actions)):
            if added[actions[i]] > added[actions[best]]:
                best = i
        if j == 0 or added[actions[best]] > 0:
            order[length] = best
            length += 1
            covered += added[actions[best]]
            v = actions[best]
            while v >= 0:
                left[v] = 0
                v = parent[v]
        attained[j] = covered
    return length
