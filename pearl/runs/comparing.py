"""Whether a run that was made again is the stored one, bit for bit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pearl.runs.canonical import canonical
from pearl.runs.stored import StoredRun

if TYPE_CHECKING:
    from pearl.simulation.trajectory import Trajectory


def differences(stored: StoredRun, made: Trajectory) -> tuple[str, ...]:
    """Return what differs between a stored run and a trajectory; empty where every bit is equal.

    Diagnostics judge the arithmetic of one machine and are left out.
    """
    found = [
        *_unequal("regret", stored.regret(), np.asarray(made.regret, dtype=np.float64)),
        *_unequal(
            "episode_starts",
            stored.episode_starts(),
            np.asarray(made.episode_starts, dtype=np.int64),
        ),
    ]
    for name in dict.fromkeys([*stored.facts, *made.facts]):
        before, now = stored.facts.get(name), made.facts.get(name)
        if canonical(before) != canonical(now):
            found.append(f"{name}: {before!r} stored, {now!r} made")
    return tuple(found)


def _unequal(name: str, stored: NDArray[Any], made: NDArray[Any]) -> list[str]:
    if stored.shape != made.shape:
        return [f"{name}: {len(stored)} values stored, {len(made)} made"]
    # As integers: that tells -0.0 from 0.0, and no value is unequal to itself.
    places = np.flatnonzero(stored.view(np.int64) != made.view(np.int64))
    if len(places) == 0:
        return []
    first = int(places[0])
    return [
        f"{name}: {len(places)} of {len(stored)} values, the first at {first + 1}:"
        f" {stored[first].item()!r} stored, {made[first].item()!r} made"
    ]
