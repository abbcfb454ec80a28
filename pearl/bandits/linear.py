"""The step of a linear learner that forgets, compiled: recursive least squares on given features.

As in Algorithm 1: choose, shrink, grow, track. The inverse Gram matrix P = A^-1 and the estimate
move together,

    theta <- theta + P x (r - x'theta) / (1 + x'P x),

so that uncertainty that grows back makes the estimate learn faster along the same directions, as
in the directional forgetting of recursive least squares that the paper builds on. Where the shifted
subspace V is spanned by the first m coordinates, P's trace in V and outside it are read off its
diagonal.

`advance` plays rounds until something happens that this module can't do: a growth that may pass the
ceiling, which is left in `growth` for step.grow.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pearl.bandits.draws import Floats, Ints
from pearl.bandits.linear_method import LinearMethod
from pearl.compiled import compiled

Flags = NDArray[np.bool_]

_FORGETTINGS = (
    *("none", "directional", "always_directional", "discount", "window", "restart"),
    "isotropic",
)
_INFLATED = 1e8  # times 1/lambda: a discount stops before P says nothing in float64 any more


class LinearRule(NamedTuple):
    """A method as numbers."""

    adaptive: bool
    """Whether the bonus is multiplied by eps_u."""
    forgetting: int
    """Position among none, directional, always_directional, discount, window, restart,
    isotropic."""
    bonus: float
    rate: float
    """eta, the discount, W or tau."""
    beta: float
    threshold: float
    ceiling: float
    """1/lambda."""
    in_v: int
    """m, how many of the first coordinates span V."""


class LinearState(NamedTuple):
    """What changes from round to round, in place."""

    inverse: Floats
    """P = A^-1 (d, d), symmetric."""
    estimate: Floats
    """theta (d,)."""
    errors: Floats
    """eps_u (U,)."""
    growth: Floats
    """sqrt(eta) |r - mu| x (d,) of a growth that isn't done yet."""


class LinearRounds(NamedTuple):
    """T rounds with K arms each, and what was done in them."""

    features: Floats
    """(T, K, d)"""
    rewards: Floats
    """(T, K), centred at 0."""
    users: Ints
    """(T,)"""
    arms: Ints
    """(T,), chosen."""
    errors: Floats
    """(T,), r - mu of the chosen arm."""
    variances: Floats
    """(T,), x'P x of the chosen arm, before its reward was known."""
    tracked: Floats
    """(T,), eps_u before the round."""
    forgot: Flags
    """(T,): injected, or started anew; of discount and window, always."""
    spent: Floats
    """(T, 2), by how much forgetting raised P's trace, in V and outside it."""
    traces: Floats
    """(T, 2), P's trace after the round, in V and outside it."""

    @property
    def horizon(self) -> int:
        """T."""
        return len(self.users)


def linear_rule(method: LinearMethod, features: str, in_v: int) -> LinearRule:
    """Return the rule that a method follows on its own; tests and oracles act from outside.

    Args:
        method: the method.
        features: the kind of features, which decides the rates.
        in_v: m, how many of the first coordinates span V.
    """
    rates = method.rates[features]  # type: ignore[index]
    own = method.forgetting if method.trigger == "rule" else "none"
    return LinearRule(
        adaptive=method.exploration == "error_adaptive",
        forgetting=_FORGETTINGS.index(own),
        bonus=rates.bonus,
        rate=rates.rate or 0.0,
        beta=method.beta,
        threshold=method.threshold,
        ceiling=1.0 / method.regularization,
        in_v=in_v,
    )


def new_linear_state(method: LinearMethod, users: int, dimension: int) -> LinearState:
    """Return P = I/lambda, an estimate of 0 and every user's first eps."""
    return LinearState(
        np.eye(dimension) / method.regularization,
        np.zeros(dimension),
        np.full(users, method.error_start, dtype=float),
        np.zeros(dimension),
    )


def new_linear_rounds(features: Floats, rewards: Floats, users: Ints) -> LinearRounds:
    """Return rounds that are still to be played.

    Args:
        features: (T, K, d).
        rewards: (T, K), centred at 0.
        users: (T,).

    Raises:
        ValueError: the shapes don't fit each other.
    """
    t = len(users)
    if features.shape[:2] != rewards.shape or len(rewards) != t:
        raise ValueError(f"features {features.shape}, rewards {rewards.shape}, {t} users")
    return LinearRounds(
        np.ascontiguousarray(features),
        rewards,
        users,
        np.zeros(t, np.int64),
        np.zeros(t),
        np.zeros(t),
        np.zeros(t),
        np.zeros(t, np.bool_),
        np.zeros((t, 2)),
        np.zeros((t, 2)),
    )


@compiled
def advance(
    rounds: LinearRounds, state: LinearState, rule: LinearRule, first: int, last: int, inject: bool
) -> int:
    """Play rounds first .. last - 1, counted from 0, or fewer.

    Args:
        rounds: their log is written.
        state: changes in place.
        rule: the method.
        first: the first round.
        last: the round after the last.
        inject: whether Eq. (8) is applied whatever the rule, at the rule's rate.

    Returns:
        n, how many rounds of the whole run have been played; -n if the last of them still lacks
        its growth, whose factor stands in `state.growth`, and its traces.
    """
    d = len(state.estimate)
    image, chosen = np.empty(d), np.empty(d)
    for t in range(first, last):
        x, user = rounds.features[t], rounds.users[t]
        old = state.errors[user]
        width = rule.bonus * old if rule.adaptive else rule.bonus
        best, arm, mean, variance = -math.inf, 0, 0.0, 0.0
        for k in range(len(x)):
            spread = max(_image(state.inverse, x[k], image), 0.0)
            middle = 0.0
            for j in range(d):
                middle += x[k, j] * state.estimate[j]
            score = middle + width * math.sqrt(spread)
            if score > best:
                best, arm, mean, variance = score, k, middle, spread
                for j in range(d):
                    chosen[j] = image[j]
        error = rounds.rewards[t, arm] - mean
        rounds.arms[t], rounds.errors[t] = arm, error
        rounds.variances[t], rounds.tracked[t] = variance, old
        if rule.forgetting == 3 and _discount(state.inverse, rule, rounds, t):
            for j in range(d):
                chosen[j] /= rule.rate
            variance /= rule.rate
        _learn(state, chosen, variance, error)
        if rule.forgetting == 4 and t >= rule.rate:
            _drop(state, rule, rounds, t, t - int(rule.rate), image)
        state.errors[user] = rule.beta * old + (1.0 - rule.beta) * abs(error)
        if rule.forgetting == 5 and _average(state.errors) > rule.rate:
            _restart(state.inverse, rule, rounds, t)
        surprised = abs(error) > old and old > rule.threshold
        if rule.forgetting == 6 and surprised:
            _grow_all(state.inverse, rule, rounds, t, error * error, x[arm])
        if inject or rule.forgetting == 2 or (rule.forgetting == 1 and surprised):
            rounds.forgot[t] = True
            length, squared = 0.0, 0.0
            for j in range(d):
                state.growth[j] = math.sqrt(rule.rate) * abs(error) * x[arm, j]
                length += state.growth[j] * state.growth[j]
                squared += x[arm, j] * x[arm, j]
            if squared > 0.0 and length * (1.0 + 1.0 / rule.ceiling / squared) > rule.ceiling:
                return -(t + 1)
            _add(state.inverse, state.growth, 1.0)
            for j in range(d):
                rounds.spent[t, int(j >= rule.in_v)] += state.growth[j] * state.growth[j]
        _traces(state.inverse, rule.in_v, rounds.traces[t])
    return last


@compiled
def write_traces(inverse: Floats, in_v: int, out: Floats) -> None:
    """Leave the trace over the first `in_v` coordinates and over the others in `out` (2,)."""
    _traces(inverse, in_v, out)


@compiled
def _traces(inverse: Floats, in_v: int, out: Floats) -> None:
    out[0], out[1] = 0.0, 0.0
    for j in range(len(inverse)):
        out[int(j >= in_v)] += inverse[j, j]


@compiled
def _image(inverse: Floats, x: Floats, out: Floats) -> float:
    """Leave P x in `out` and return x'P x."""
    total = 0.0
    for j in range(len(x)):
        out[j] = 0.0
    for i in range(len(x)):
        if x[i] == 0.0:
            continue
        row, factor = inverse[i], x[i]
        for j in range(len(x)):
            out[j] += factor * row[j]
    for j in range(len(x)):
        total += x[j] * out[j]
    return total


@compiled
def _add(inverse: Floats, w: Floats, sign: float) -> None:
    """P <- P + sign w w'; w_i w_j is rounded as w_j w_i is, so symmetry is kept."""
    for i in range(len(w)):
        if w[i] == 0.0:
            continue
        row, factor = inverse[i], sign * w[i]
        for j in range(len(w)):
            row[j] += factor * w[j]


@compiled
def _learn(state: LinearState, image: Floats, variance: float, error: float) -> None:
    """Learn one observation; `image` is P x and is changed."""
    scale = math.sqrt(1.0 + variance)
    for j in range(len(image)):
        state.estimate[j] += image[j] * (error / (1.0 + variance))
        image[j] /= scale
    _add(state.inverse, image, -1.0)


@compiled
def _drop(
    state: LinearState, rule: LinearRule, rounds: LinearRounds, t: int, old: int, image: Floats
) -> None:
    """Unlearn the observation of round `old`, in round t."""
    arm = rounds.arms[old]
    x = rounds.features[old, arm]
    variance = _image(state.inverse, x, image)
    residual = rounds.rewards[old, arm]
    for j in range(len(x)):
        residual -= x[j] * state.estimate[j]
    kept = max(1.0 - variance, 1e-12)
    scale = math.sqrt(kept)
    for j in range(len(x)):
        state.estimate[j] -= image[j] * (residual / kept)
        image[j] /= scale
    _add(state.inverse, image, 1.0)
    rounds.forgot[t] = True
    for j in range(len(x)):
        rounds.spent[t, int(j >= rule.in_v)] += image[j] * image[j]


@compiled
def _discount(inverse: Floats, rule: LinearRule, rounds: LinearRounds, t: int) -> bool:
    """Divide P by the rate, unless it is too large already; return whether it was done."""
    before = np.empty(2)
    _traces(inverse, rule.in_v, before)
    for i in range(len(inverse)):
        if inverse[i, i] > _INFLATED * rule.ceiling:
            return False
    for i in range(len(inverse)):
        for j in range(len(inverse)):
            inverse[i, j] /= rule.rate
    rounds.forgot[t] = True
    for part in range(2):
        rounds.spent[t, part] = before[part] * (1.0 / rule.rate - 1.0)
    return True


@compiled
def _restart(inverse: Floats, rule: LinearRule, rounds: LinearRounds, t: int) -> None:
    before, after = np.empty(2), np.empty(2)
    _traces(inverse, rule.in_v, before)
    for i in range(len(inverse)):
        for j in range(len(inverse)):
            inverse[i, j] = rule.ceiling if i == j else 0.0
    _traces(inverse, rule.in_v, after)
    rounds.forgot[t] = True
    for part in range(2):
        rounds.spent[t, part] = after[part] - before[part]


@compiled
def _grow_all(
    inverse: Floats, rule: LinearRule, rounds: LinearRounds, t: int, squared: float, x: Floats
) -> None:
    """P <- (1 - c) P + c I / lambda, its trace raised by eta e^2 |x|^2 as by an injection along x.

    Where P is far below I / lambda that is the same in all directions; no eigenvalue passes the
    ceiling as long as c is at most 1.
    """
    d = len(x)
    length, room = 0.0, 0.0
    for i in range(d):
        length += x[i] * x[i]
        room += rule.ceiling - inverse[i, i]
    rounds.forgot[t] = True
    if room <= 0.0:
        return
    share = min(rule.rate * squared * length / room, 1.0)
    for i in range(d):
        before = inverse[i, i]
        for j in range(d):
            inverse[i, j] -= share * inverse[i, j]
        inverse[i, i] = before + share * (rule.ceiling - before)
        rounds.spent[t, int(i >= rule.in_v)] += inverse[i, i] - before


@compiled
def _average(values: Floats) -> float:
    total = 0.0
    for value in values:
        total += value
    return total / len(values)
