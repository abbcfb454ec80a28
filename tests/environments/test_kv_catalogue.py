"""The catalogue against a plain construction from sets of prefixes."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from pearl.environments.kv_catalogue import build_catalogue, reuse_tokens
from pearl.errors import SettingError

Prefix = tuple[int, ...]


def requests_of(trace) -> list[Prefix]:
    return [
        tuple(trace.blocks[low:high].tolist())
        for low, high in zip(trace.offsets[:-1], trace.offsets[1:], strict=True)
    ]


def plain(requests: list[Prefix], min_requests: int, max_depth: int | None):
    """Return parent, actions, and the segment of every retained prefix; segments sort as tuples."""
    seen = Counter(request[:k] for request in requests for k in range(1, len(request) + 1))
    retained = {prefix for prefix, count in seen.items() if count >= min_requests}
    ends = set()
    for request in requests:
        matches = [request[:k] for k in range(1, len(request) + 1) if request[:k] in retained]
        if matches and (max_depth is None or len(matches[-1]) <= max_depth):
            ends.add(matches[-1])
    kept = {end[:k] for end in ends for k in range(1, len(end) + 1)}
    branches = Counter(prefix[:-1] for prefix in kept)
    nodes = sorted(p for p in kept if p in ends or branches[p] > 1)
    number = {prefix: v for v, prefix in enumerate(nodes)}
    segment = {}
    for prefix in kept:
        below = prefix
        while below not in number:
            below = next(p for p in kept if p[:-1] == below)
        segment[prefix] = number[below]
    parent = []
    for node in nodes:
        above = [node[:k] for k in range(1, len(node)) if node[:k] in number]
        parent.append(number[above[-1]] if above else -1)
    return parent, sorted(number[end] for end in ends), segment


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("max_depth", [None, 4])
@pytest.mark.parametrize("min_requests", [1, 2, 3])
def test_equals_the_plain_construction(random_trace, seed, max_depth, min_requests) -> None:
    trace = random_trace(seed, 60, 9)
    requests = requests_of(trace)
    rows, others = np.arange(0, 60, 2), np.arange(1, 60, 2)
    parent, actions, segment = plain(requests[::2], min_requests, max_depth)
    catalogue = build_catalogue(trace, rows, min_requests=min_requests, max_depth=max_depth)
    assert catalogue.tree.parent.tolist() == parent
    assert catalogue.tree.actions.tolist() == actions
    assert catalogue.longest_path == max(len(p) for p in segment if segment[p] in actions)
    expected = np.zeros((len(others), len(parent)), dtype=np.int64)
    for row, request in enumerate(requests[1::2]):
        for k in range(1, len(request) + 1):
            if request[:k] in segment:
                expected[row, segment[request[:k]]] += 512
    reuse = reuse_tokens(catalogue, trace, others, block_tokens=512)
    assert reuse.dtype == np.int64
    np.testing.assert_array_equal(reuse.toarray(), expected)


def test_a_hand_made_trace(make_trace) -> None:
    trace = make_trace(
        [
            (0, 1, 2, 3),
            (0, 1, 2, 3, 4),
            (0, 1, 2, 5),
            (0, 1, 2, 5, 6),
            (0, 7, 8),
            (0, 7, 8, 9),
            (0, 1),
            (0, 1, 2, 3, 4, 10),
            (0, 7, 11),
            (12,),
        ]
    )
    # retained: 0 1 2 3 4, 0 1 2 5, 0 7 8; endpoints 01, 0123, 01234, 0125, 078 (and 07, 0)
    catalogue = build_catalogue(trace, np.arange(9), min_requests=2, max_depth=None)
    # segments: [0] [1] [2] [3] [4] [5] [7] [8]
    assert catalogue.tree.parent.tolist() == [-1, 0, 1, 2, 3, 2, 0, 6]
    assert catalogue.tree.actions.tolist() == [1, 3, 4, 5, 6, 7]
    # without the request that ends on 0 1 and the one that leaves at 7, chains contract
    few = np.array([0, 1, 2, 3, 4, 5])
    catalogue = build_catalogue(trace, few, min_requests=2, max_depth=None)
    # segments: [0] [1 2] [3] [5] [7 8]
    assert catalogue.tree.parent.tolist() == [-1, 0, 1, 1, 0]
    assert catalogue.tree.actions.tolist() == [2, 3, 4]
    reuse = reuse_tokens(catalogue, trace, np.array([7, 8, 6, 9]), block_tokens=512)
    assert (reuse.toarray() // 512).tolist() == [
        [1, 2, 1, 0, 0],
        [1, 0, 0, 0, 1],  # 0 7: a match that ends inside a segment counts
        [1, 1, 0, 0, 0],
        [0, 0, 0, 0, 0],
    ]


def test_deep_endpoints_are_dropped_not_shortened(make_trace) -> None:
    trace = make_trace([(0, 1, 2), (0, 1, 2), (0, 3), (0, 3)])
    catalogue = build_catalogue(trace, np.arange(4), min_requests=2, max_depth=2)
    assert catalogue.tree.parent.tolist() == [-1]  # 0 and 3 contract, nothing branches
    assert catalogue.longest_path == 2


def test_an_empty_catalogue_is_an_error(make_trace) -> None:
    trace = make_trace([(0, 1), (0, 2)])
    with pytest.raises(SettingError, match=r"empty catalogue: none of 2 .* min_requests = 3"):
        build_catalogue(trace, np.arange(2), min_requests=3, max_depth=None)
    trace = make_trace([(0, 1), (0, 1)])
    with pytest.raises(SettingError, match="max_depth_blocks = 1"):
        build_catalogue(trace, np.arange(2), min_requests=2, max_depth=1)


def test_two_roots_are_an_error(make_trace) -> None:
    trace = make_trace([(0, 1), (0, 1), (2, 3), (2, 3)])
    with pytest.raises(SettingError, match="found 2"):
        build_catalogue(trace, np.arange(4), min_requests=2, max_depth=None)
