"""A linear method through its rounds: what the compiled step leaves to others is done here."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pearl.bandits.linear import (
    LinearRounds,
    LinearRule,
    LinearState,
    advance,
    linear_rule,
    new_linear_state,
    write_traces,
)
from pearl.bandits.linear_method import LinearMethod
from pearl.bandits.step import grow
from pearl.simulation.drift_tests import DriftTest


@dataclass(frozen=True, eq=False)
class Played:
    """A run.

    Attributes:
        rounds: its log.
        state: P, estimate and errors after the last round.
        alarms: int64, rounds (from 1) after which a test, a tracked error's threshold or an oracle
            made the learner start anew or inject.
        watches: whether the method waits for something to happen, so that it can be late.
        told: whether it is told of the shift and starts anew after the last round before it.
        capped: growths that the ceiling cut.
    """

    rounds: LinearRounds
    state: LinearState
    alarms: NDArray[np.int64]
    watches: bool
    told: bool
    capped: int


def play_linear(
    rounds: LinearRounds, method: LinearMethod, features: str, in_v: int, shift_round: int
) -> Played:
    """Play every round.

    Args:
        rounds: what they offer; their log is written.
        method: the learner.
        features: the kind of features, which decides its rates.
        in_v: how many of the first coordinates span the shifted subspace V.
        shift_round: the last round before the shift; only oracles look at it.
    """
    users, d = int(rounds.users.max()) + 1, rounds.features.shape[2]
    rule, state = linear_rule(method, features, in_v), new_linear_state(method, users, d)
    capped = 0

    def to(first: int, last: int, inject: bool = False) -> None:
        nonlocal capped
        while first < last:
            reached = advance(rounds, state, rule, first, last, inject)
            first = abs(reached)
            if reached < 0:
                capped += _finish(rounds, state, rule, first - 1)

    if method.oracle:
        to(0, min(shift_round, rounds.horizon))
        if shift_round < rounds.horizon:
            start_anew(rounds, state, method, rule, shift_round - 1)
            to(shift_round, rounds.horizon)
        return Played(rounds, state, np.array([shift_round]), False, True, capped)
    if method.trigger == "rule":
        to(0, rounds.horizon)
        watches = method.forgetting in ("restart", "directional", "isotropic")
        forgot = np.flatnonzero(rounds.forgot) + 1 if watches else np.empty(0, np.int64)
        return Played(rounds, state, forgot, watches, False, capped)
    directional = method.forgetting == "directional"
    rates = method.rates[features]  # type: ignore[index]
    test = DriftTest(method, (rates.test if directional else rates.rate) or 0.0)
    alarms, left = [], 0
    for t in range(rounds.horizon):
        to(t, t + 1, left > 0)
        left -= 1
        if not test.alarm(float(rounds.errors[t]), float(rounds.variances[t])):
            continue
        alarms.append(t + 1)
        if directional:
            left = method.hold
        else:
            _reset(rounds, state, rule, t, np.ones(d, dtype=bool))
    return Played(rounds, state, np.array(alarms, dtype=np.int64), True, False, capped)


def start_anew(
    rounds: LinearRounds, state: LinearState, method: LinearMethod, rule: LinearRule, t: int
) -> None:
    """Forget after round t (from 0) as an oracle does: estimate and uncertainty, in V or all."""
    inside = np.arange(len(state.estimate)) < rule.in_v
    chosen = inside if method.forgetting == "restart_in_v" else np.ones_like(inside)
    _reset(rounds, state, rule, t, chosen)
    state.estimate[chosen] = 0.0
    state.errors[:] = method.error_start


def _reset(
    rounds: LinearRounds, state: LinearState, rule: LinearRule, t: int, chosen: NDArray[np.bool_]
) -> None:
    """P = I/lambda on the chosen coordinates, which nothing ties to the others any more."""
    before = rounds.traces[t].copy()
    state.inverse[chosen, :] = 0.0
    state.inverse[:, chosen] = 0.0
    state.inverse[chosen, chosen] = rule.ceiling
    write_traces(state.inverse, rule.in_v, rounds.traces[t])
    rounds.forgot[t] = True
    rounds.spent[t] += rounds.traces[t] - before


def _finish(rounds: LinearRounds, state: LinearState, rule: LinearRule, t: int) -> bool:
    """Grow in round t up to the ceiling."""
    before = np.empty(2)
    write_traces(state.inverse, rule.in_v, before)
    capped = grow(state.inverse, state.growth, rule.ceiling)
    write_traces(state.inverse, rule.in_v, rounds.traces[t])
    rounds.spent[t] += rounds.traces[t] - before
    return capped
