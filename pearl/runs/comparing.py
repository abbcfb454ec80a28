"""Whether a run that was made again is the stored one, bit for bit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pearl.runs.canonical import canonical
from pearl.runs.stored import StoredRun, single

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
    for kind, before, now in (
        ("curve", stored.curves(), made.curves),
        ("series", stored.series(), made.series),
    ):
        for name in dict.fromkeys([*before, *now]):
            if name not in before or name not in now:
                found.append(f"{kind} {name}: {'made' if name in now else 'stored'} only")
            else:
                found += _unequal(name, before[name], np.asarray(now[name], dtype=np.float64))
    kept, users = stored.users(), made.users
    for name in dict.fromkeys([*kept, *users]):
        if name not in kept or name not in users:
            found.append(f"users {name}: {'made' if name in users else 'stored'} only")
        else:
            found += _unequal_users(name, kept[name], single(users[name]))
    for name in dict.fromkeys([*stored.facts, *made.facts]):
        was, is_now = stored.facts.get(name), made.facts.get(name)
        if canonical(was) != canonical(is_now):
            found.append(f"{name}: {was!r} stored, {is_now!r} made")
    return tuple(found)


def _unequal_users(name: str, stored: NDArray[np.float32], made: NDArray[np.float32]) -> list[str]:
    if stored.shape != made.shape:
        return [f"{name}: shape {stored.shape} stored, {made.shape} made"]
    # Every single-precision number is a double one: equal bits stay equal.
    wide = (np.ascontiguousarray(each.reshape(-1), np.float64) for each in (stored, made))
    return _unequal(name, *wide)


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
