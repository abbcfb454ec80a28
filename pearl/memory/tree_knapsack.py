"""The exact tree knapsack, compiled: unions of at most q root-to-node paths, signed weights.

A union of paths is a subtree that holds the root and whose leaves end actions; the paths it needs
are its leaves. For a node v let h_v(j) be the largest weight of such a subtree below and with v
that has 1..j leaves, and f_v(j) = max(0, h_v(j)), f_v(0) = 0, what v can add to its parent. With
C(j) the (max,+) convolution of the children's f,

    h_v(j) = w_v + C(j),   or w_v + max over children c of h_c(j) where C(j) = 0 and v ends no
                           action, so that some child has to be taken.

f_v is concave unless a negative weight stands above several worthwhile leaves. Concave children
are kept as their marginals and merge by sorting them together; the others are convolved one by
one, over no more entries than there are leaves below (and never more than q). A tree of d nodes
costs O(d q) memory and at most O(d q^2) time, as the paper's program, but mostly O(d log d).

Ties: no more paths are chosen than the value needs, so what is worth 0 isn't taken where it needn't
be; among equals concave children go before the others, and lower numbers before higher.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pearl.compiled import compiled

Floats = NDArray[np.float64]
Ints32 = NDArray[np.int32]

_WORTHLESS = 0  # h_v <= 0 throughout; row = h_v(1..length)
_CONCAVE = 1  # f_v concave and positive; row = its marginals
_GENERAL = 2  # f_v positive somewhere, not concave; row = h_v(1..length)


class _Scratch(NamedTuple):
    """Work space of one call; node v owns cells start[v]..start[v + 1] of rows and pool."""

    action_at: NDArray[np.int64]  # action that ends at v, or -1
    start: NDArray[np.int64]
    rows: Floats
    pool: Floats  # marginals of the concave children, descending
    pooled: NDArray[np.int64]  # how many of them
    length: NDArray[np.int64]
    kind: NDArray[np.int8]
    idle: NDArray[np.int64]  # C(j) = 0 for j <= idle[v]
    choice: NDArray[np.int32]  # paths given to a general child, by the total so far
    choice_start: NDArray[np.int64]
    merged: Floats
    total: Floats
    budget: NDArray[np.int64]  # paths given to v by the best union, 0 outside it


@compiled
def _scratch(parent: Ints32, actions: Ints32, child_offsets: Ints32, paths: int) -> _Scratch:
    d = len(parent)
    leaves = np.zeros(d, dtype=np.int64)
    start = np.zeros(d + 1, dtype=np.int64)
    for v in range(d - 1, -1, -1):
        if child_offsets[v] == child_offsets[v + 1]:
            leaves[v] = 1
        if v > 0:
            leaves[parent[v]] += leaves[v]
    choices = 0
    for v in range(d):
        capacity = min(leaves[v], paths)
        start[v + 1] = start[v] + capacity
        choices += (capacity + 1) * (child_offsets[v + 1] - child_offsets[v])
    action_at = np.full(d, -1, dtype=np.int64)
    for i in range(len(actions)):
        action_at[actions[i]] = i
    return _Scratch(
        action_at,
        start,
        np.empty(start[d]),
        np.empty(start[d]),
        np.empty(d, dtype=np.int64),
        np.empty(d, dtype=np.int64),
        np.empty(d, dtype=np.int8),
        np.empty(d, dtype=np.int64),
        np.empty(choices, dtype=np.int32),
        np.empty(d, dtype=np.int64),
        np.empty(leaves[0] + 1),
        np.empty(leaves[0] + 1),
        np.empty(d, dtype=np.int64),
    )


@compiled
def _settle(s: _Scratch, v: int, size: int) -> None:
    """Trim and classify h_v(1..size), which stands in v's row."""
    row = s.rows[s.start[v] : s.start[v] + size]
    while size > 1 and row[size - 2] >= row[size - 1]:
        size -= 1
    s.length[v] = size
    if row[size - 1] <= 0.0:
        s.kind[v] = _WORTHLESS
        return
    s.kind[v] = _GENERAL
    last = row[0]
    if last <= 0.0:
        return
    for j in range(1, size):
        step = row[j] - row[j - 1]
        if step > last:
            return
        last = step
    s.kind[v] = _CONCAVE
    for j in range(size - 1, 0, -1):
        row[j] -= row[j - 1]


@compiled
def _pool(s: _Scratch, v: int, children: Ints32) -> None:
    """Merge the marginals of v's concave children into its pool, as many as v can use."""
    found = 0
    for c in children:
        if s.kind[c] == _CONCAVE:
            for i in range(s.start[c], s.start[c] + s.length[c]):
                s.merged[found] = s.rows[i]
                found += 1
    s.merged[:found].sort()
    first = s.start[v]
    s.pooled[v] = min(found, s.start[v + 1] - first)
    for i in range(s.pooled[v]):
        s.pool[first + i] = s.merged[found - 1 - i]


@compiled
def _convolve(s: _Scratch, v: int, children: Ints32, used: int) -> tuple[int, int]:
    """Leave C(0..size) in s.total, from v's pool and its general children, with the choices."""
    total, size = s.total, s.pooled[v]
    total[0] = 0.0
    for i in range(size):
        total[i + 1] = total[i] + s.pool[s.start[v] + i]
    capacity = s.start[v + 1] - s.start[v]
    for c in children:
        if s.kind[c] != _GENERAL:
            continue
        row = s.rows[s.start[c] : s.start[c] + s.length[c]]
        largest = min(capacity, size + len(row))
        s.choice_start[c] = used
        # downwards, so that total[k] for k <= j is still without this child
        for j in range(largest, -1, -1):
            best, taken = -np.inf, 0
            if j <= size:
                best = total[j]
            for i in range(max(1, j - size), min(j, len(row)) + 1):
                value = total[j - i] + max(0.0, row[i - 1])
                if value > best:
                    best, taken = value, i
            total[j] = best
            s.choice[used + j] = taken
        used += largest + 1
        size = largest
    return size, used


@compiled
def _forced(s: _Scratch, children: Ints32, j: int) -> tuple[float, int]:
    """Return the best h_c(j) of a node's children and which child has it; none is concave."""
    best, which = -np.inf, -1
    for c in children:
        value = s.rows[s.start[c] + min(j, s.length[c]) - 1]
        if value > best:
            best, which = value, c
    return best, which


@compiled
def _mixed(s: _Scratch, v: int, children: Ints32, weight: float, used: int) -> int:
    """Fill v's row where it isn't simply the pool with the weight on its first marginal."""
    size, used = _convolve(s, v, children, used)
    idle = 0
    while idle < size and s.total[idle + 1] <= 0.0:
        idle += 1
    must_go_on = s.action_at[v] < 0
    if idle == size:
        # nothing below is worth taking: v stands alone, or the least bad child has to do
        idle = size = 1
        if must_go_on:
            for c in children:
                idle = size = max(size, s.length[c])
    row = s.rows[s.start[v] : s.start[v] + size]
    for j in range(1, size + 1):
        if j > idle:
            row[j - 1] = weight + s.total[j]
        elif must_go_on:
            row[j - 1] = weight + _forced(s, children, j)[0]
        else:
            row[j - 1] = weight
    s.idle[v] = idle
    _settle(s, v, size)
    return used


@compiled
def _ascend(s: _Scratch, child_offsets: Ints32, child_nodes: Ints32, w: Floats) -> None:
    """Fill every node's row, from the leaves to the root; most nodes end in the first cases."""
    used = 0
    for v in range(len(w) - 1, -1, -1):
        first, begin, end = s.start[v], child_offsets[v], child_offsets[v + 1]
        concave, general, last = 0, 0, -1
        for k in range(begin, end):
            kind = s.kind[child_nodes[k]]
            if kind == _CONCAVE:
                concave += 1
                last = child_nodes[k]
            elif kind == _GENERAL:
                general += 1
        s.pooled[v] = 0
        if concave + general == 0 and s.action_at[v] >= 0:
            s.rows[first] = w[v]
            s.length[v], s.idle[v] = 1, 1
            s.kind[v] = _CONCAVE if w[v] > 0.0 else _WORTHLESS
            continue
        if concave == 1:
            s.pooled[v] = s.length[last]
            for i in range(s.length[last]):
                s.pool[first + i] = s.rows[s.start[last] + i]
        elif concave > 1:
            _pool(s, v, child_nodes[begin:end])
        size = s.pooled[v]
        if general == 0 and size > 0:
            head = w[v] + s.pool[first]
            if head > 0.0 and (size == 1 or head >= s.pool[first + 1]):
                s.rows[first] = head
                for i in range(first + 1, first + size):
                    s.rows[i] = s.pool[i]
                s.length[v], s.idle[v], s.kind[v] = size, 0, _CONCAVE
                continue
        used = _mixed(s, v, child_nodes[begin:end], w[v], used)


@compiled
def _share(s: _Scratch, v: int, children: Ints32, j: int) -> None:
    """Divide v's j paths among its children (s.budget)."""
    for c in children[::-1]:
        if s.kind[c] == _GENERAL:
            s.budget[c] = s.choice[s.choice_start[c] + j]
            j -= s.budget[c]
    if j == 0:
        return
    pool = s.pool[s.start[v] : s.start[v] + j]
    least, equal = pool[j - 1], 0
    for marginal in pool:
        equal += marginal == least
    for c in children:
        if s.kind[c] != _CONCAVE:
            continue
        for i in range(s.start[c], s.start[c] + s.length[c]):
            if s.rows[i] > least:
                s.budget[c] += 1
            elif s.rows[i] == least and equal > 0:
                s.budget[c] += 1
                equal -= 1
            else:
                break


@compiled
def _descend(
    s: _Scratch, child_offsets: Ints32, child_nodes: Ints32, w: Floats, chosen: Ints32
) -> float:
    """Write the endpoints of the best union into `chosen` and return the union's weight.

    Trimmed rows make the root's budget the smallest that attains its best; then no child's budget
    can be larger than its share needs, or the root would have done with less.
    """
    s.budget[:] = 0
    s.budget[0] = s.length[0]
    worth, found = 0.0, 0
    for v in range(len(w)):
        j = s.budget[v]
        if j == 0:
            continue
        worth += w[v]
        children = child_nodes[child_offsets[v] : child_offsets[v + 1]]
        if j > s.idle[v]:
            _share(s, v, children, j)
        elif s.action_at[v] >= 0:
            chosen[found] = s.action_at[v]
            found += 1
        else:
            c = _forced(s, children, j)[1]
            s.budget[c] = min(j, s.length[c])
    return worth


@compiled
def plan_all(
    parent: Ints32,
    actions: Ints32,
    child_offsets: Ints32,
    child_nodes: Ints32,
    weights: Floats,
    paths: int,
    values: Floats,
    chosen: Ints32,
) -> None:
    """Plan for weights[n, d]; fill values[n] and chosen[n, .] (filled with -1 beforehand)."""
    s = _scratch(parent, actions, child_offsets, paths)
    for k in range(len(weights)):
        _ascend(s, child_offsets, child_nodes, weights[k])
        values[k] = _descend(s, child_offsets, child_nodes, weights[k], chosen[k])


@compiled
def value_curve(
    parent: Ints32,
    actions: Ints32,
    child_offsets: Ints32,
    child_nodes: Ints32,
    weights: Floats,
    paths: int,
    curve: Floats,
) -> None:
    """Fill curve[paths] with h_root(1), h_root(2), ..."""
    s = _scratch(parent, actions, child_offsets, paths)
    _ascend(s, child_offsets, child_nodes, weights)
    for j in range(paths):
        if j >= s.length[0]:
            curve[j] = curve[j - 1]
        elif j > 0 and s.kind[0] == _CONCAVE:
            curve[j] = curve[j - 1] + s.rows[j]
        else:
            curve[j] = s.rows[j]
