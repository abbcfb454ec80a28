"""The ridge learners on the run-length instance, whole runs of one action at a time.

Features are multiples of coordinate vectors, so V is diagonal and V and b are d numbers each. A
stretch of informative rounds of one action changes one of each, by sums that prefix sums of the
noise hold. What is played is kept as runs (an action, how many rounds); equal neighbours follow
each other without a wait.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pearl.compiled import compiled

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Rules(NamedTuple):
    """The instance and what the learner was told.

    `values` are R S u, `width` is sqrt(lambda) S, `spread` is 2 log(1/delta), `tie` the fraction of
    the best that still ties with it and `limit` the log determinant ratio that ends an episode.
    """

    values: Floats
    memory: int
    horizon: int
    feature_bound: float
    reward_bound: float
    regularization: float
    noise: float
    width: float
    spread: float
    discount: float
    tie: float
    limit: float


class Record(NamedTuple):
    """What a loop fills: runs as `arms` and `lengths`, `starts` of plans; `counts` holds how many
    runs, plans and rounds that were learned from there are."""

    arms: Ints
    lengths: Ints
    starts: Ints
    counts: Ints


@compiled
def _radius(rules: Rules, rounds: int) -> float:
    """Return beta; see memory.radius."""
    d = len(rules.values)
    growth = rounds * rules.feature_bound**2 / (rules.regularization * d)
    return rules.width + rules.noise * math.sqrt(rules.spread + d * math.log1p(growth))


@compiled
def _played(record: Record, arm: int, rounds: int) -> None:
    if rounds > 0:
        record.arms[record.counts[0]] = arm
        record.lengths[record.counts[0]] = rounds
        record.counts[0] += 1


@compiled
def _planned(record: Record, t: int) -> None:
    record.starts[record.counts[1]] = t
    record.counts[1] += 1


@compiled
def _idle(rules: Rules, record: Record, own: int, rounds: int) -> None:
    """Play the lowest actions that keep every feature zero; `own` is action 0's run so far."""
    while rounds > 0:
        stretch = min(rounds, rules.memory - own)
        _played(record, 0, stretch)
        rounds -= stretch
        if rounds > 0:
            _played(record, 1, 1)
            rounds -= 1
        own = 0


@compiled
def _learn(
    rules: Rules, record: Record, sums: Floats, gram: Floats, b: Floats, arm: int, s: int, n: int
) -> None:
    """Take in n informative rounds of an action from round s on."""
    if n > 0:
        heard = n * rules.values[arm] + rules.noise * (sums[s - 1 + n] - sums[s - 1])
        gram[arm] += n * rules.feature_bound**2
        b[arm] += rules.feature_bound * heard
        record.counts[2] += n


@compiled
def _scores(rules: Rules, gram: Floats, b: Floats, radius: float, scores: Floats) -> None:
    for i in range(len(scores)):
        scores[i] = rules.feature_bound * (b[i] / gram[i] + radius / math.sqrt(gram[i]))


@compiled
def _until_doubled(rules: Rules, gain: float) -> int:
    """Return how many equal rounds double the determinant; see memory.switching."""
    n = max(1, math.ceil(math.expm1(rules.limit) / gain))
    while n > 1 and math.log1p((n - 1) * gain) >= rules.limit:
        n -= 1
    while math.log1p(n * gain) < rules.limit:
        n += 1
    return n


@compiled
def play_rare(rules: Rules, sums: Floats, last: int, run: int, record: Record) -> None:
    """RSM-LinUCB from a history that ends in `run` times `last`.

    The best of the d constant actions attains J_k where it isn't negative. It stays the best while
    it is waited for, so an episode is one action: a wait, then rounds until the determinant has
    doubled. Where every optimistic reward is negative, J_k = 0 is attained by none that inform.
    """
    d = len(rules.values)
    gram, b, scores = np.full(d, rules.regularization), np.zeros(d), np.zeros(d)
    tolerance = rules.tie * rules.reward_bound
    t = 1
    while t <= rules.horizon:
        _planned(record, t)
        left = rules.horizon - t + 1
        _scores(rules, gram, b, _radius(rules, t), scores)
        best = -math.inf
        for i in range(d):
            score = min(max(scores[i], -rules.reward_bound), rules.reward_bound)
            wait = rules.memory - min(run, rules.memory) if i == last else rules.memory
            scores[i] = rules.discount**wait * score
            best = max(best, scores[i])
        if best < 0:
            _idle(rules, record, min(run, rules.memory) if last == 0 else 0, left)
            return
        arm = 0
        while scores[arm] < best - tolerance:
            arm += 1
        wait = rules.memory - min(run, rules.memory) if arm == last else rules.memory
        rounds = min(left, wait + _until_doubled(rules, rules.feature_bound**2 / gram[arm]))
        _played(record, arm, rounds)
        _learn(rules, record, sums, gram, b, arm, t + wait, rounds - wait)
        last, run = arm, rules.memory
        t += rounds


@compiled
def play_blocks(rules: Rules, sums: Floats, length: int, record: Record) -> None:
    """OFUL-memory with blocks of M + `length` rounds, the last cut; the history decides nothing.

    A block's best plan is one action throughout, unless every score is negative.
    """
    d = len(rules.values)
    gram, b, scores = np.full(d, rules.regularization), np.zeros(d), np.zeros(d)
    t = 1
    while t <= rules.horizon:
        _planned(record, t)
        rounds = min(rules.memory + length, rules.horizon - t + 1)
        _scores(rules, gram, b, _radius(rules, record.counts[2]), scores)
        best = scores.max()
        if best < 0:
            _idle(rules, record, 0, rounds)
        else:
            arm = 0
            while scores[arm] < best - rules.tie * best:
                arm += 1
            _played(record, arm, rounds)
            _learn(rules, record, sums, gram, b, arm, t + rules.memory, rounds - rules.memory)
        t += rounds


@compiled
def play_myopic(rules: Rules, sums: Floats, last: int, run: int, record: Record) -> None:
    """Myopic LinUCB: of the scores of phi(s, a), one at most isn't 0; ties to the lowest action.

    sqrt(lambda) S + sigma sqrt(2 log(1/delta)) is below every beta, so the logarithm is taken only
    where that isn't enough to keep the score above 0.
    """
    d = len(rules.values)
    gram, b = np.full(d, rules.regularization), np.zeros(d)
    surely = rules.width + rules.noise * math.sqrt(rules.spread)
    square = rules.feature_bound**2
    t = 1
    while t <= rules.horizon:
        if run < rules.memory:
            rounds = min(rules.horizon - t + 1, rules.memory - (run if last == 0 else 0))
            _played(record, 0, rounds)
            last, run, t = 0, rules.memory, t + rounds
            continue
        start, own_gram, own_b = t, gram[last], b[last]
        while t <= rules.horizon:
            if own_b + surely * math.sqrt(own_gram) <= 0:
                score = own_b / own_gram + _radius(rules, t) / math.sqrt(own_gram)
                if score < 0 or (score == 0 and last > 0):
                    break
            n = t - start + 1
            heard = n * rules.values[last] + rules.noise * (sums[t] - sums[start - 1])
            own_gram = gram[last] + n * square
            own_b = b[last] + rules.feature_bound * heard
            t += 1
        _played(record, last, t - start)
        gram[last], b[last] = own_gram, own_b
        record.counts[2] += t - start
        if t <= rules.horizon:
            last, run = (1 if last == 0 else 0), 1
            _played(record, last, 1)
            t += 1
