"""The bandit's step, Algorithm 1, compiled: predict, choose, shrink, forget, cap, track.

The replay loop calls `play`, a block of interactions between two network updates at a time; the
deployable policy calls `select` and `observe`, an interaction at a time. `play` does nothing but
call these two, so both decide the same to the last bit.

A block, as a loop drives it:

    rule, state = rule_of(method, damping), new_state(method, users, hidden)
    folded = fold(weights, stated, embeddings, slates)            # slates (n, K)
    log = play(folded, state, rule, Block(users, rewards, *draws(method, seed, first, n, K)))
    update(weights, ...)                                          # bandits.training
    rebuild(state, rule, fold(weights, stated, embeddings, memory_arms), memory_users, ...)

Features are float32 as the network is; the Gram matrix's inverse, means and scores are float64.
Sums run in a fixed order and nothing but + - * / and square roots decides, so results are
bit-equal on every machine.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pearl.bandits.draws import Floats, Ints
from pearl.bandits.folding import Folded
from pearl.bandits.state import (
    Block,
    Log,
    Rule,
    Scratch,
    State,
    new_scratch,
    new_state,
    rule_of,
)
from pearl.compiled import compiled

__all__ = [
    "Block",
    "Log",
    "Rule",
    "State",
    "features",
    "grow",
    "new_scratch",
    "new_state",
    "observe",
    "play",
    "rule_of",
    "select",
]

Numbers = NDArray[np.floating]

_SLACK = 1e-12  # relative excess over 1/lambda that the cap leaves alone
_CLOSE = 1e-14
_NEWTON = 60
_INFLATED = 1e8  # times 1/lambda: a discount stops before A^-1 says nothing in float64 any more
_LEAST = 1e-4  # least divisor with which an observation is taken out of A^-1
_REMOVALS = 2000  # sum of 1/divisor after which A^-1 is made anew


def play(folded: Folded, state: State, rule: Rule, block: Block) -> Log:
    """Play a block of interactions; `state` changes in place.

    Args:
        folded: the network, with the block's arms: `fold(weights, stated, embeddings, slates)`.
        state: A^-1 and the tracked errors at the block's start.
        rule: the method.
        block: users, rewards under the current epoch, and the method's draws.

    Raises:
        ValueError: the shapes don't fit each other.
    """
    n, k = block.rewards.shape
    if not len(block.users) == len(block.ties) == n or block.normals.shape != (n, k):
        raise ValueError(f"{n} x {k} rewards don't fit the block's users and draws")
    if len(folded.arms) != n * k:
        raise ValueError(f"{len(folded.arms)} folded arms, {n} interactions with {k} arms")
    if n and not 0 <= block.users.min() <= block.users.max() < len(folded.users):
        raise ValueError(f"users outside 0..{len(folded.users) - 1}")
    log = Log(
        arms=np.zeros(n, np.int64),
        means=np.zeros(n),
        uncertainties=np.zeros(n),
        errors=np.zeros(n),
        rewards=np.zeros(n),
        injected=np.zeros(n, np.bool_),
        capped=np.zeros(n, np.bool_),
    )
    _play(folded, state, rule, block, new_scratch(folded, k), log)
    return log


def features(folded: Folded, errors: Floats, damping: bool, users: Ints) -> Floats:
    """Return g (n, d) of every user with the arm in the same row of `folded.arms`."""
    g = np.zeros((len(users), len(folded.b2)))
    _fill_features(folded, errors, damping, users, new_scratch(folded, 1), g)
    return g


@compiled
def select(
    folded: Folded,
    state: State,
    rule: Rule,
    user: int,
    first: int,
    arms: int,
    tie: float,
    normals: Floats,
    scratch: Scratch,
) -> int:
    """Choose among the arms in rows first .. first + arms - 1 of `folded.arms`; Eq. (6).

    Args:
        folded: the network.
        state: isn't changed.
        rule: the method.
        user: row of `state.errors` and of the folded users.
        first: row of the first arm.
        arms: K.
        tie: uniform on [0, 1): of m arms with exactly the best score, the floor(m tie)-th wins.
        normals: (K,), looked at by Thompson sampling only.
        scratch: afterwards holds means, variances, scores, features and A^-1 g of every arm; the
            greedy rule computes variance and A^-1 g of the chosen one only.

    Returns:
        The chosen arm, 0 .. K - 1.
    """
    error = state.errors[user]
    scratch.share[0] = 1.0 - error if rule.damping else 1.0
    width = 0.0
    for k in range(arms):
        _features(folded, user, first + k, scratch, k)
        scratch.means[k] = _mean(folded, scratch, k)
        scratch.scores[k] = scratch.means[k]
        if rule.exploration == 0:
            continue
        _variance(state.inverse, scratch, k)
        width = rule.bonus * math.sqrt(max(scratch.variances[k], 0.0))
        if rule.exploration == 2:
            width *= error
        elif rule.exploration == 3:
            width *= normals[k]
        scratch.scores[k] += width
    chosen = _choose(scratch.scores[:arms], tie)
    if rule.exploration == 0:
        _variance(state.inverse, scratch, chosen)
    return chosen


@compiled
def observe(
    state: State, rule: Rule, user: int, arm: int, reward: float, scratch: Scratch
) -> tuple[bool, bool]:
    """Learn the reward of `arm`, whose features `select` left in `scratch`; Eq. (5), (7)-(9).

    Returns:
        Whether uncertainty was injected (by a restart, in all directions), and whether the cap cut
        it.

    Raises:
        ValueError: the state isn't what `new_state` makes for the rule.
    """
    old = state.errors[user]
    error = abs(reward - scratch.means[arm])
    injected, capped = False, False
    if rule.online:
        if rule.forgetting == 4:
            _discount(state.inverse, scratch, arm, rule)
        _shrink(state.inverse, scratch.images[arm], scratch.variances[arm])
        if rule.forgetting == 3:
            _slide(state, rule.ceiling, scratch, arm)
        if rule.adapts:
            _see(state, user)
        surprised = error > old and old > rule.threshold
        injected = rule.forgetting == 2 or (rule.forgetting == 1 and surprised)
        if injected:
            eta = rule.eta * (_mean_seen(state) / 0.5) if rule.adapts else rule.eta
            length = _stretch(scratch, arm, math.sqrt(eta) * error)
            if length * (1.0 + 1.0 / rule.ceiling / _length(scratch, arm)) > rule.ceiling:
                capped = _cap(state.inverse, scratch.growth, length, rule.ceiling)
            else:
                _add(state.inverse, scratch.growth, 1.0)
    state.errors[user] = rule.beta * old + (1.0 - rule.beta) * error
    if rule.online and rule.forgetting == 5 and _mean_error(state.errors) > rule.restart_above:
        _reset(state.inverse, rule.ceiling)
        injected = True
    return injected, capped


def grow(inverse: Floats, growth: Floats, ceiling: float) -> bool:
    """A^-1 <- A^-1 + p p', its eigenvalues cut at the ceiling, Eq. (8)-(9), in place.

    Args:
        inverse: A^-1 (d, d), eigenvalues at most the ceiling.
        growth: p (d,).
        ceiling: 1/lambda.

    Returns:
        Whether the cap cut something.
    """
    length = 0.0
    for value in growth:
        length += float(value) * float(value)
    return bool(_cap(inverse, growth, length, ceiling))


@compiled
def _play(
    folded: Folded, state: State, rule: Rule, block: Block, scratch: Scratch, log: Log
) -> None:
    n, arms = block.rewards.shape
    for t in range(n):
        user = block.users[t]
        arm = select(
            folded, state, rule, user, t * arms, arms, block.ties[t], block.normals[t], scratch
        )
        log.arms[t] = arm
        log.means[t] = scratch.means[arm]
        log.uncertainties[t] = math.sqrt(max(scratch.variances[arm], 0.0))
        log.errors[t] = state.errors[user]
        log.rewards[t] = block.rewards[t, arm]
        injected, capped = observe(state, rule, user, arm, log.rewards[t], scratch)
        log.injected[t] = injected
        log.capped[t] = capped


@compiled
def _fill_features(
    folded: Folded, errors: Floats, damping: bool, users: Ints, scratch: Scratch, g: Floats
) -> None:
    for i in range(len(users)):
        scratch.share[0] = 1.0 - errors[users[i]] if damping else 1.0
        _features(folded, users[i], i, scratch, 0)
        for c in range(scratch.counts[0]):
            g[i, scratch.indices[0, c]] = scratch.values[0, c]


@compiled
def _features(folded: Folded, user: int, row: int, scratch: Scratch, k: int) -> None:
    """Leave the positive entries of g in values[k]; what ReLU zeroes costs nothing further."""
    d = len(folded.b2)
    first, out = scratch.hidden[0], scratch.hidden[1]
    stated, embedded, arm = folded.users[user], folded.embedded[user], folded.arms[row]
    share = scratch.share[0]
    for j in range(d):
        out[j] = stated[j] + share * embedded[j] + arm[j]
    count = 0
    for j in range(d):
        first[count] = out[j]
        scratch.places[count] = j
        count += out[j] > 0
    for j in range(d):
        out[j] = folded.b2[j]
    _combine(folded.w2, first, scratch.places, count, out)
    count = 0
    values, indices = scratch.values[k], scratch.indices[k]
    for j in range(d):
        values[count] = out[j]
        indices[count] = j
        count += out[j] > 0
    scratch.counts[k] = count


@compiled
def _combine(rows: Numbers, factors: Numbers, places: Ints, count: int, out: Numbers) -> None:
    """Add sum_c factors[c] rows[places[c]] to `out`, in the order of c, four at a time."""
    whole = count - count % 4
    for c in range(0, whole, 4):
        f0, f1, f2, f3 = factors[c], factors[c + 1], factors[c + 2], factors[c + 3]
        a, b = rows[places[c]], rows[places[c + 1]]
        p, q = rows[places[c + 2]], rows[places[c + 3]]
        for j in range(len(out)):
            out[j] = out[j] + f0 * a[j] + f1 * b[j] + f2 * p[j] + f3 * q[j]
    for c in range(whole, count):
        f0, a = factors[c], rows[places[c]]
        for j in range(len(out)):
            out[j] += f0 * a[j]


@compiled
def _mean(folded: Folded, scratch: Scratch, k: int) -> float:
    logit = float(folded.bias[0])
    for c in range(scratch.counts[k]):
        logit += scratch.values[k, c] * folded.head[scratch.indices[k, c]]
    return _sigmoid(logit)


@compiled
def _sigmoid(x: float) -> float:
    small = _exp(-abs(x))
    return 1.0 / (1.0 + small) if x >= 0.0 else small / (1.0 + small)


@compiled
def _exp(x: float) -> float:
    """e^x for x <= 0, to about one unit in the last place, by arithmetic alone."""
    if not x > -700.0:
        return 0.0 if x <= -700.0 else x
    n = math.floor(x * 1.4426950408889634 + 0.5)
    # ln 2 in two parts, the first with trailing zeros, so that n times it is exact
    r = (x - n * 0.693147180369123816490) - n * 1.90821492927058770002e-10
    term = 1.0
    for k in range(14, 0, -1):
        term = 1.0 + term * r / k
    return math.ldexp(term, int(n))


@compiled
def _variance(inverse: Floats, scratch: Scratch, k: int) -> None:
    image, count = scratch.images[k], scratch.counts[k]
    for j in range(len(image)):
        image[j] = 0.0
    _combine(inverse, scratch.values[k], scratch.indices[k], count, image)
    total = 0.0
    for c in range(count):
        total += scratch.values[k, c] * image[scratch.indices[k, c]]
    scratch.variances[k] = total


@compiled
def _choose(scores: Floats, tie: float) -> int:
    best, tied = scores[0], 0
    for k in range(1, len(scores)):
        best = max(best, scores[k])
    for k in range(len(scores)):
        tied += scores[k] == best
    wanted = min(math.floor(tie * tied), tied - 1)
    for k in range(len(scores)):
        if scores[k] == best:
            if wanted == 0:
                return k
            wanted -= 1
    return 0


@compiled
def _shrink(inverse: Floats, image: Floats, variance: float) -> None:
    """A^-1 <- A^-1 - (A^-1 g)(A^-1 g)' / (1 + g' A^-1 g), Eq. (7)."""
    scale = 1.0 / math.sqrt(1.0 + max(variance, 0.0))
    for j in range(len(image)):
        image[j] *= scale
    _add(inverse, image, -1.0)


@compiled
def _add(inverse: Floats, w: Floats, sign: float) -> None:
    """A^-1 <- A^-1 + sign w w'; w_i w_j is rounded as w_j w_i is, so symmetry is kept."""
    for i in range(len(w)):
        if w[i] == 0.0:
            continue
        row, factor = inverse[i], sign * w[i]
        for j in range(len(w)):
            row[j] += factor * w[j]


@compiled
def _reset(inverse: Floats, ceiling: float) -> None:
    """A^-1 <- I/lambda."""
    for i in range(len(inverse)):
        for j in range(len(inverse)):
            inverse[i, j] = 0.0
        inverse[i, i] = ceiling


@compiled
def _discount(inverse: Floats, scratch: Scratch, k: int, rule: Rule) -> None:
    """A^-1 <- A^-1 / gamma_gram, and with it A^-1 g and g' A^-1 g of arm k."""
    largest, image = 0.0, scratch.images[k]
    for j in range(len(image)):
        largest = max(largest, inverse[j, j])
    if not largest * rule.inflation <= _INFLATED * rule.ceiling:
        return
    for i in range(len(image)):
        row = inverse[i]
        for j in range(len(image)):
            row[j] *= rule.inflation
        image[i] *= rule.inflation
    scratch.variances[k] *= rule.inflation


@compiled
def _slide(state: State, ceiling: float, scratch: Scratch, k: int) -> None:
    """Let arm k's features, which A holds already, into the window and the oldest out of both.

    A^-1 <- A^-1 + (A^-1 h)(A^-1 h)' / (1 - h' A^-1 h) for the oldest, h: Sherman-Morrison's
    formula for A - h h'. The divisor is at least 1 / (1 + |h|^2 / lambda); it magnifies what
    rounding has left in A^-1. Where it is small, or enough were divided by since A^-1 was made,
    A^-1 is made anew of the window.
    """
    size, held = len(state.window), state.held
    if size == 0:
        raise ValueError("the state has no window: make it with new_state")
    row, image, stale = state.window[held[1]], scratch.images[k], False
    if held[0] == size:
        divisor = 1.0 - _row_variance(state.inverse, row, scratch, image)
        stale = not divisor > _LEAST
        if not stale:
            held[2] += int(1.0 / divisor)
            stale = held[2] >= _REMOVALS
        if not stale:
            scale = 1.0 / math.sqrt(divisor)
            for j in range(len(image)):
                image[j] *= scale
            _add(state.inverse, image, 1.0)
    for j in range(len(row)):
        row[j] = 0.0
    for c in range(scratch.counts[k]):
        row[scratch.indices[k, c]] = scratch.values[k, c]
    held[0] = min(held[0] + 1, size)
    held[1] = (held[1] + 1) % size
    if stale:
        held[2] = 0
        _reset(state.inverse, ceiling)
        for t in range(size):
            variance = _row_variance(state.inverse, state.window[t], scratch, image)
            _shrink(state.inverse, image, variance)


@compiled
def _row_variance(inverse: Floats, g: Floats, scratch: Scratch, image: Floats) -> float:
    """Leave A^-1 g in `image` and return g' A^-1 g."""
    values, places, count = scratch.growth, scratch.places, 0
    for j in range(len(g)):
        values[count] = g[j]
        places[count] = j
        count += g[j] != 0.0
        image[j] = 0.0
    _combine(inverse, values, places, count, image)
    total = 0.0
    for c in range(count):
        total += values[c] * image[places[c]]
    return total


@compiled
def _mean_error(errors: Floats) -> float:
    """Return the mean eps of all users."""
    total = 0.0
    for u in range(len(errors)):
        total += errors[u]
    return total / len(errors)


@compiled
def _see(state: State, user: int) -> None:
    if len(state.seen) != len(state.errors):
        raise ValueError("the state can't tell who was seen: make it with new_state")
    state.seen[user] = True


@compiled
def _mean_seen(state: State) -> float:
    """Return the mean eps of the users seen."""
    total, count = 0.0, 0
    for u in range(len(state.errors)):
        if state.seen[u]:
            total += state.errors[u]
            count += 1
    return total / count


@compiled
def _length(scratch: Scratch, k: int) -> float:
    """|g|^2 of arm k."""
    total = 0.0
    for c in range(scratch.counts[k]):
        total += scratch.values[k, c] * scratch.values[k, c]
    return total


@compiled
def _stretch(scratch: Scratch, k: int, factor: float) -> float:
    """Leave factor g in `growth` and return its squared length."""
    growth = scratch.growth
    for j in range(len(growth)):
        growth[j] = 0.0
    total = 0.0
    for c in range(scratch.counts[k]):
        value = factor * scratch.values[k, c]
        growth[scratch.indices[k, c]] = value
        total += value * value
    return total


@compiled
def _cap(inverse: Floats, growth: Floats, length: float, ceiling: float) -> bool:
    """A^-1 <- A^-1 + p p', then its eigenvalues cut at the ceiling; return whether one was above.

    With all eigenvalues of M = A^-1 at most the ceiling, at most one of M + p p' is above
    (interlacing): the root x of f(x) = p' (x I - M)^-1 p = 1, whose eigenvector is
    (x I - M)^-1 p. 1/f is increasing and concave there, so Newton's method on 1/f = 1 rises to the
    root from the left, and there is none to find where f is at most 1 at the ceiling already.
    """
    d = len(growth)
    factor = np.empty((d, d))
    vector = np.empty(d)
    low, high = ceiling * (1.0 + _SLACK), ceiling + length
    top, above = low, False
    for _ in range(_NEWTON):
        if not _shifted(inverse, top, factor):
            # rounding has left an eigenvalue of M above the ceiling: look further up
            low, above = top, True
            top = 0.5 * (low + high)
            continue
        found = _solve(factor, growth, vector)
        if found <= 1.0:
            if not above:
                break
            high = top
        above = True
        squared = 0.0
        for j in range(d):
            squared += vector[j] * vector[j]
        step = found * (found - 1.0) / squared
        top = min(max(top + step, low), high)
        if abs(step) <= _CLOSE * top:
            break
    if above:
        _cut(inverse, growth, vector, ceiling)
    else:
        _add(inverse, growth, 1.0)
    return above


@compiled
def _cut(inverse: Floats, growth: Floats, top: Floats, ceiling: float) -> None:
    """A^-1 <- (I - u u') (A^-1 + p p') (I - u u') + u u' ceiling, u the top eigenvector.

    What stands in p along u is never added only to be taken away again: with w = (I - u u') A^-1 u,
    (I - u u') p = -w / p'u by u's equation, which is used where p'u is large.
    """
    d = len(growth)
    along, squared, inner = 0.0, 0.0, 0.0
    rest, across = np.zeros(d), np.empty(d)
    for j in range(d):
        squared += top[j] * top[j]
    for j in range(d):
        top[j] /= math.sqrt(squared)
    for i in range(d):
        along += growth[i] * top[i]
        for j in range(d):
            rest[j] += top[i] * inverse[i, j]
    for j in range(d):
        inner += top[j] * rest[j]
    for j in range(d):
        rest[j] -= inner * top[j]
        across[j] = growth[j] - along * top[j]
    if along * along > ceiling:
        for j in range(d):
            across[j] = rest[j] / -along
    for i in range(d):
        for j in range(d):
            inverse[i, j] += (ceiling - inner) * (top[i] * top[j]) + across[i] * across[j]
            inverse[i, j] -= top[i] * rest[j] + rest[i] * top[j]


@compiled
def _shifted(inverse: Floats, shift: float, factor: Floats) -> bool:
    """Leave U with U'U = shift I - A^-1 in `factor`; False where that isn't positive definite."""
    d = len(factor)
    for i in range(d):
        for j in range(i, d):
            factor[i, j] = -inverse[i, j]
        factor[i, i] += shift
    for k in range(d):
        if not factor[k, k] > 0.0:
            return False
        row = factor[k, k:]
        pivot = math.sqrt(row[0])
        for j in range(len(row)):
            row[j] /= pivot
        for i in range(k + 1, d):
            target, rest = factor[i, i:], factor[k, i:]
            share = rest[0]
            for j in range(len(target)):
                target[j] -= share * rest[j]
    return True


@compiled
def _solve(factor: Floats, right: Floats, out: Floats) -> float:
    """Leave x with U'U x = right in `out` and return right' x."""
    d = len(out)
    for j in range(d):
        out[j] = right[j]
    product = 0.0
    for k in range(d):
        out[k] /= factor[k, k]
        product += out[k] * out[k]
        for j in range(k + 1, d):
            out[j] -= out[k] * factor[k, j]
    for k in range(d - 1, -1, -1):
        total = out[k]
        for j in range(k + 1, d):
            total -= factor[k, j] * out[j]
        out[k] = total / factor[k, k]
    return product
