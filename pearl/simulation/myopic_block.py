"""Myopic LinUCB, a block of rounds at a time, compiled.

All K actions are scored in one pass down the tree. With g the resident segments and h = V^-1 g,
adding the missing segments of a path one by one changes w' V^-1 w by 2 h_v + (V^-1)_vv + twice the
entries (V^-1)_vu of the missing segments u above v. So only h, the diagonal and the entries
between a segment and those above it have to be current; every update of V changes them at once,
V^-1 itself waits for the block's end (lazy_inverse).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pearl.compiled import compiled

Floats = NDArray[np.float64]
Nodes = NDArray[np.int32]
Integers = NDArray[np.int64]


class Paths(NamedTuple):
    """The tree: actions' ends and paths, and each segment's chain to the root."""

    parent: Nodes
    ends: Nodes
    offsets: Nodes
    nodes: Nodes
    chain_offsets: Integers


class Demand(NamedTuple):
    """Tokens per request and segment (CSR), and the requests drawn in every round."""

    indptr: Nodes
    indices: Nodes
    tokens: Integers
    requests: Nodes


class Learner(NamedTuple):
    """What is known, in the coordinates of w: all arrays change in place."""

    base: Floats
    """P (d x d); V^-1 = P - sum u u'."""
    updates: Floats
    """The block's u (block x d)."""
    gains: Floats
    """The block's x'V^-1 x, each before its round is learned (block)."""
    covered: Floats
    """h = V^-1 g (d)."""
    entries: Floats
    """(V^-1)_vu for u = v, parent(v), ..., root, one chain after the other."""
    estimate: Floats
    """theta (d)."""
    images: Floats
    """L g_j as columns (d x N); N = 0 for the exact ellipsoid."""
    image_sums: Floats
    """w'L g_j of the resident segments w (N)."""


class Cache(NamedTuple):
    """Residency: latest refreshes, the resident segments, the actions played so far."""

    last: Integers
    resident: NDArray[np.bool_]
    played: Nodes


class Rule(NamedTuple):
    """How actions are compared."""

    memory: int
    bound: float
    clipped: bool
    by_estimate: bool
    one_sided: bool
    """Whether widths are w'L g_j (posterior samples), not their absolute values."""
    tolerance: float
    reward_unit: float
    radii: Floats
    """The factor of the width in every round: beta_t or sigma, over c for directions (T)."""


@compiled
def play_block(
    paths: Paths,
    demand: Demand,
    learner: Learner,
    cache: Cache,
    rule: Rule,
    first: int,
    done: int,
    available: Floats,
    tokens: Integers,
) -> int:
    """Play the rounds of a block from its `done`-th on; fill `available` (rows w) and `tokens`.

    The block begins at round `first` and ends with the last of `tokens`. Returns the number of
    rounds in which the bound capped two or more actions.
    """
    tied_rounds = 0
    changed = np.empty(len(paths.parent), dtype=np.int64)
    scores = np.empty(len(paths.ends))
    estimates = np.empty(len(paths.ends))
    for n in range(done, len(tokens)):
        now = first + n
        leaving = _expire(paths, cache, rule.memory, now, changed)
        _shift(learner, changed[:leaving], n, -1.0)
        _score(paths, learner, cache.resident, rule, rule.radii[now - 1], scores, estimates)
        tied_rounds += (scores >= rule.bound).sum() >= 2
        action = _best(scores, estimates, rule)
        cache.played[now - 1] = action
        entering = _refresh(paths, cache, now, action, changed)
        _shift(learner, changed[:entering], n, 1.0)
        for v in range(len(cache.resident)):
            available[n, v] = 1.0 if cache.resident[v] else 0.0
        tokens[n] = _reused(demand, now, cache.resident)
        _learn(paths, learner, cache.resident, n, tokens[n] * rule.reward_unit)
    return tied_rounds


@compiled
def grow_union(paths: Paths, learner: Learner, rule: Rule, chosen: Nodes) -> tuple[int, float]:
    """Fill `chosen` with the paths that join, one after another; return their number and score."""
    resident = np.zeros(len(paths.parent), dtype=np.bool_)
    entered = np.empty(len(paths.parent), dtype=np.int64)
    scores = np.empty(len(paths.ends))
    estimates = np.empty(len(paths.ends))
    score = -np.inf
    for n in range(len(chosen)):
        _score(paths, learner, resident, rule, rule.radii[0], scores, estimates)
        action = _best(scores, estimates, rule)
        if scores[action] <= score or resident[paths.ends[action]]:
            return n, score
        score = scores[action]
        chosen[n] = action
        count = 0
        for i in range(paths.offsets[action], paths.offsets[action + 1]):
            v = paths.nodes[i]
            if not resident[v]:
                resident[v] = True
                entered[count] = v
                count += 1
        _shift(learner, entered[:count], 0, 1.0)
    return len(chosen), score


@compiled
def _expire(paths: Paths, cache: Cache, memory: int, now: int, left: Integers) -> int:
    count = 0
    due = now - memory - 1
    if due >= 1:
        action = cache.played[due - 1]
        for i in range(paths.offsets[action], paths.offsets[action + 1]):
            v = paths.nodes[i]
            if cache.last[v] == due:
                cache.resident[v] = False
                left[count] = v
                count += 1
    return count


@compiled
def _refresh(paths: Paths, cache: Cache, now: int, action: int, entered: Integers) -> int:
    count = 0
    for i in range(paths.offsets[action], paths.offsets[action + 1]):
        v = paths.nodes[i]
        cache.last[v] = now
        if not cache.resident[v]:
            cache.resident[v] = True
            entered[count] = v
            count += 1
    return count


@compiled
def _shift(learner: Learner, segments: Integers, pending: int, sign: float) -> None:
    """Add the columns of V^-1 of the given segments to h, times `sign`."""
    if len(segments) == 0:
        return
    for v in segments:
        for u in range(len(learner.covered)):
            learner.covered[u] += sign * learner.base[v, u]
        for j in range(len(learner.image_sums)):
            learner.image_sums[j] += sign * learner.images[v, j]
    for k in range(pending):
        weight = 0.0
        for v in segments:
            weight += learner.updates[k, v]
        weight *= sign
        for u in range(len(learner.covered)):
            learner.covered[u] -= weight * learner.updates[k, u]


@compiled
def _score(
    paths: Paths,
    learner: Learner,
    resident: NDArray[np.bool_],
    rule: Rule,
    radius: float,
    scores: Floats,
    estimates: Floats,
) -> None:
    size, directions = len(paths.parent), len(learner.image_sums)
    linear = np.empty(size)
    square = np.empty(size)
    sums = np.empty((size, directions))
    linear_now, square_now = 0.0, 0.0
    for v in range(size):
        if resident[v]:
            linear_now += learner.estimate[v]
            square_now += learner.covered[v]
    for v in range(size):
        if resident[v]:
            linear[v] = linear_now
            square[v] = square_now
            sums[v] = learner.image_sums
            continue
        above = paths.parent[v]
        start = paths.chain_offsets[v]
        added = 2.0 * learner.covered[v] + learner.entries[start]
        u, step = above, 1
        while u >= 0 and not resident[u]:
            added += 2.0 * learner.entries[start + step]
            u = paths.parent[u]
            step += 1
        linear[v] = learner.estimate[v] + (linear[above] if above >= 0 else 0.0)
        square[v] = added + (square[above] if above >= 0 else 0.0)
        for j in range(directions):
            sums[v, j] = learner.images[v, j] + (sums[above, j] if above >= 0 else 0.0)
    root = math.sqrt(size)
    for i in range(len(paths.ends)):
        end = paths.ends[i]
        width = 0.0 if directions else math.sqrt(square[end])
        if rule.one_sided:
            width = sums[end].max()
        else:
            for j in range(directions):
                width = max(width, abs(sums[end, j]))
        estimates[i] = linear[end] / root
        scores[i] = estimates[i] + radius * width / root


@compiled
def _best(scores: Floats, estimates: Floats, rule: Rule) -> int:
    """Return the best action as memory.choice.choose does."""
    ceiling = rule.bound if rule.clipped else np.inf
    floor = 0.0 if rule.clipped else -np.inf
    best, best_estimate = -np.inf, -np.inf
    for i in range(len(scores)):
        best = max(best, min(max(scores[i], floor), ceiling))
    limit = best - rule.tolerance * abs(best)
    for i in range(len(scores)):
        if min(max(scores[i], floor), ceiling) >= limit:
            if not rule.by_estimate:
                return i
            best_estimate = max(best_estimate, estimates[i])
    limit_estimate = best_estimate - rule.tolerance * abs(best_estimate)
    for i in range(len(scores)):
        if min(max(scores[i], floor), ceiling) >= limit and estimates[i] >= limit_estimate:
            return i
    return -1


@compiled
def _reused(demand: Demand, now: int, resident: NDArray[np.bool_]) -> int:
    tokens = 0
    for request in demand.requests[now - 1]:
        for i in range(demand.indptr[request], demand.indptr[request + 1]):
            if resident[demand.indices[i]]:
                tokens += demand.tokens[i]
    return tokens


@compiled
def _learn(
    paths: Paths, learner: Learner, resident: NDArray[np.bool_], pending: int, reward: float
) -> None:
    size = len(resident)
    root = math.sqrt(size)
    gain, expected = 0.0, 0.0
    for v in range(size):
        if resident[v]:
            gain += learner.covered[v]
            expected += learner.estimate[v]
    gain /= size
    step = (reward - expected / root) / (1.0 + gain)
    spread = 1.0 / math.sqrt(1.0 + gain)
    shrink = (1.0 - spread) / gain  # s of the product form, see memory.direction_images
    learner.gains[pending] = gain
    update = learner.updates[pending]
    for v in range(size):
        direction = learner.covered[v] / root  # V^-1 x
        learner.estimate[v] += step * direction
        update[v] = spread * direction
        learner.covered[v] /= 1.0 + gain
        for j in range(len(learner.image_sums)):
            learner.images[v, j] -= shrink * direction * learner.image_sums[j] / root
    for j in range(len(learner.image_sums)):
        learner.image_sums[j] *= spread
    for v in range(size):
        u = v
        for i in range(paths.chain_offsets[v], paths.chain_offsets[v + 1]):
            learner.entries[i] -= update[v] * update[u]
            u = paths.parent[u]
