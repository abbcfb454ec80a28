"""Which segments the cache holds: a refresh keeps a path's segments for M further rounds.

`last` (int64[d]) is the round, counted from 1, of a segment's latest refresh. After the refresh of
round t a segment is available iff t - last <= M. Paths are the tree's `path_offsets` (K + 1) and
`path_nodes`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pearl.compiled import compiled

Rounds = NDArray[np.int64]
Nodes = NDArray[np.int32]

NEVER = -(2**62)
"""The last refresh of a segment that was never refreshed: far before any round."""


def empty_cache(segments: int) -> Rounds:
    """Return `last` of a cache that holds nothing."""
    return np.full(segments, NEVER, dtype=np.int64)


@compiled
def cycle_features(
    last: Rounds,
    path_offsets: Nodes,
    path_nodes: Nodes,
    cycle: Nodes,
    first: int,
    rounds: int,
    memory: int,
) -> NDArray[np.float64]:
    """Return the availability w of the next `rounds` rounds (rounds x d, zeros and ones).

    From round `first` on, the actions of `cycle` are refreshed in turn, the first one first.
    `last` isn't changed.
    """
    latest = last.copy()
    available = np.zeros((rounds, len(last)))
    for n in range(rounds):
        action = cycle[n % len(cycle)]
        for i in range(path_offsets[action], path_offsets[action + 1]):
            latest[path_nodes[i]] = first + n
        for v in range(len(latest)):
            if first + n - latest[v] <= memory:
                available[n, v] = 1.0
    return available


@compiled
def refresh_cycle(
    last: Rounds,
    path_offsets: Nodes,
    path_nodes: Nodes,
    cycle: Nodes,
    first: int,
    rounds: int,
) -> None:
    """Set `last` to what it is after `rounds` rounds of `cycle` from round `first` on."""
    # Whatever was refreshed before the final turn of the cycle is refreshed again in that turn.
    for n in range(max(0, rounds - len(cycle)), rounds):
        action = cycle[n % len(cycle)]
        for i in range(path_offsets[action], path_offsets[action + 1]):
            last[path_nodes[i]] = first + n


@compiled
def unions(
    path_offsets: Nodes, path_nodes: Nodes, actions: Nodes, segments: int
) -> NDArray[np.float64]:
    """Return which segments each row of `actions` (n x q, padded with -1) covers: n x d, 0 or 1."""
    covered = np.zeros((len(actions), segments))
    for n in range(len(actions)):
        for action in actions[n]:
            if action >= 0:
                for i in range(path_offsets[action], path_offsets[action + 1]):
                    covered[n, path_nodes[i]] = 1.0
    return covered
