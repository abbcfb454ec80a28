"""How a group's reward comes back after a drift: rolling windows (Figure 4)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
WINDOW = 500
POINTS = 120


def recovery(reward: Array, groups: Mapping[str, NDArray[np.bool_]]) -> dict[str, Array]:
    """Return each group's mean reward over its own last interactions, at rounds they share.

    The window is min(500, a tenth of all interactions), less only for a group that has fewer in
    the whole run. Points begin where every group's window is full.

    Args:
        reward: float64[T], observed.
        groups: bool[T] by name, which interactions are the group's; each has at least one.

    Returns:
        "t": float64[<= 120], interactions of the whole run so far; and the means by group.
    """
    rounds = len(reward)
    window = max(1, min(WINDOW, rounds // 10))
    places = {name: np.flatnonzero(members) for name, members in groups.items()}
    begin = max(own[min(window, len(own)) - 1] + 1 for own in places.values())
    points = min(POINTS, rounds - begin + 1)
    t = begin + np.arange(points) * (rounds - begin) // max(points - 1, 1)
    shown = {"t": t.astype(np.float64)}
    for name, own in places.items():
        total = np.concatenate([[0.0], np.cumsum(reward[own])])
        seen = np.searchsorted(own, t)
        width = min(window, len(own))
        shown[name] = (total[seen] - total[seen - width]) / width
    return shown
