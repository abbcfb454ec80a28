"""What a run of "partial or global" is judged by."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pearl.environments.partial_global import PartialGlobalWorld
from pearl.simulation.linear_play import Played
from pearl.simulation.trajectory import Fact

Array = NDArray[np.float64]
POINTS = 80


def windowed(regret: Array, window: int) -> Array:
    """Return the mean regret of the last `window` rounds at rounds window, window + 1, ..., T."""
    total = np.concatenate([[0.0], np.cumsum(regret)])
    means: Array = (total[window:] - total[:-window]) / window
    return means


def recovery(regret: Array, oracle: Array, shift: int, window: int, tolerance: float) -> int | None:
    """Return the rounds after the shift until the mean regret is near the oracle's.

    The first round at which the mean regret of the last `window` rounds, all after the shift, is
    at most 1 + tolerance times the restarted oracle's over the same rounds; None if there is none.
    """
    own, other = windowed(regret[shift:], window), windowed(oracle[shift:], window)
    near = np.flatnonzero(own <= (1.0 + tolerance) * other)
    return int(near[0]) + window if len(near) else None


def facts_of(
    world: PartialGlobalWorld, played: Played, regret: Array, oracle: Array, in_v: int
) -> dict[str, Fact]:
    """Return a run's facts.

    Args:
        world: the world.
        played: the run.
        regret: float64[T], of every round.
        oracle: float64[T], of the oracle that is restarted at the shift.
        in_v: the dimension of V.

    Returns:
        final_regret, regret_before, regret_after, oracle_after (the restarted oracle's), alarms
        before and after the shift, capped and, where there is a shift: recovered (0 or 1), recovery
        (rounds; what remains of the run where it didn't), spent_in_v and spent_outside (by how much
        forgetting raised P's trace in the rounds after the shift until recovery, an oracle's start
        anew included), spent_ratio (all over in V: the
        forgetting inefficiency of Proposition 5), of a method that watches detected (0 or 1) and
        delay (rounds from the shift to the next alarm, what remains of the run without one),
        dimension_v, length_ratio (|g|^2 over |P_V g|^2, after the shift, of sums).
    """
    settings, rounds = world.settings, played.rounds
    shift = settings.shift_round
    facts: dict[str, Fact] = {
        "final_regret": float(np.sum(regret)),
        "regret_before": float(np.sum(regret[:shift])),
        "regret_after": float(np.sum(regret[shift:])),
        "oracle_after": float(np.sum(oracle[shift:])),
        "episodes": 1 + len(played.alarms),
        "alarms_before": int(np.sum(played.alarms <= shift)),
        "alarms_after": int(np.sum(played.alarms > shift)),
        "capped": played.capped,
    }
    if settings.shifted == 0:
        return facts
    rest = len(regret) - shift
    found = recovery(regret, oracle, shift, settings.window, settings.tolerance)
    until = shift + (rest if found is None else found)
    # An oracle starts anew between the last round before the shift and the first after it.
    spent = rounds.spent[shift - played.told : until].sum(axis=0)
    chosen = rounds.features[np.arange(len(regret)), rounds.arms][shift:]
    inside = float(np.sum(chosen[:, :in_v] ** 2))
    return facts | {
        "recovered": int(found is not None),
        "recovery": rest if found is None else found,
        "spent_in_v": float(spent[0]),
        "spent_outside": float(spent[1]),
        **({"spent_ratio": float(spent.sum() / spent[0])} if spent[0] > 0 else {}),
        **(_delay(played, shift, rest) if played.watches else {}),
        "dimension_v": in_v,
        **({"length_ratio": float(np.sum(chosen**2)) / inside} if inside > 0 else {}),
    }


def _delay(played: Played, shift: int, rest: int) -> dict[str, Fact]:
    later = played.alarms[played.alarms > shift]
    return {"detected": int(len(later) > 0), "delay": int(later[0]) - shift if len(later) else rest}


def series_of(regret: Array, played: Played, window: int) -> dict[str, Array]:
    """Return the run over time at POINTS rounds: windowed mean regret, P's trace in V and outside.

    "rolling/t" and "rolling/regret" from the first whole window on; "uncertainty/t",
    "uncertainty/in_v" and "uncertainty/outside".
    """
    horizon = len(regret)
    at = np.unique(np.rint(np.linspace(window, horizon, POINTS)).astype(np.int64))
    traces = played.rounds.traces[at - 1]
    return {
        "rolling/t": at.astype(float),
        "rolling/regret": windowed(regret, window)[at - window],
        "uncertainty/t": at.astype(float),
        "uncertainty/in_v": traces[:, 0].copy(),
        "uncertainty/outside": traces[:, 1].copy(),
    }
