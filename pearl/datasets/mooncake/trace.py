"""The Mooncake trace in memory, and the rules that every trace keeps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

BLOCK_TOKENS = 512

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class MooncakeTrace:
    """n requests in order of arrival; a hash id names one block of 512 tokens and all before it.

    Attributes:
        timestamp: int64[n], milliseconds since the trace began, never decreasing.
        input_length: int64[n], prompt tokens, >= 1.
        output_length: int64[n], generated tokens, >= 0.
        offsets: int64[n + 1]; request i holds blocks[offsets[i]:offsets[i + 1]], root first.
        blocks: int64[offsets[-1]], hash ids >= 0; a request has ceil(input_length / 512).
    """

    timestamp: Integers
    input_length: Integers
    output_length: Integers
    offsets: Integers
    blocks: Integers

    def __post_init__(self) -> None:
        """Refuse arrays of another type or shape; `violations` checks what they say."""
        for field in fields(self):
            array = getattr(self, field.name)
            if array.dtype != np.int64 or array.ndim != 1:
                raise ValueError(f"{field.name} must be int64[...], not {array.dtype}{array.shape}")
        n = len(self.timestamp)
        if len(self.input_length) != n or len(self.output_length) != n:
            raise ValueError("timestamp, input_length and output_length differ in length")
        if len(self.offsets) != n + 1 or self.offsets[0] != 0:
            raise ValueError(f"offsets must be int64[{n + 1}] and begin with 0")
        if np.any(np.diff(self.offsets) < 0) or self.offsets[-1] != len(self.blocks):
            raise ValueError("offsets must ascend to the number of blocks")

    def __len__(self) -> int:
        """Return n, the number of requests."""
        return len(self.timestamp)


@dataclass(frozen=True)
class Violation:
    """A rule that a trace breaks at one request (`row` from 0) in one of the publisher's fields."""

    row: int
    field: str
    problem: str


def violations(trace: MooncakeTrace) -> list[Violation]:
    """Return the first request that breaks each rule, the earliest request first.

    The rules hold on the publisher's file: arrivals in order, one block per 512 tokens begun,
    block 0 first in every request, and prefix-chained ids (a block always follows the same one).
    """
    found = [v for rule in (_ranges, _order, _counts, _roots, _chain) for v in rule(trace)]
    return sorted(found, key=lambda violation: violation.row)


def new_block_order_holds(trace: MooncakeTrace) -> bool:
    """Say whether ids are numbered 0, 1, 2, ... in order of first appearance."""
    first = np.unique(trace.blocks, return_index=True)
    return bool(
        np.array_equal(first[0], np.arange(len(first[0]))) and np.all(np.diff(first[1]) > 0)
    )


def predecessors(trace: MooncakeTrace) -> Integers:
    """Return int64[len(blocks)]: the id before each block in its request, -1 before the first."""
    before = np.empty_like(trace.blocks)
    before[1:] = trace.blocks[:-1]
    starts = trace.offsets[:-1]
    before[starts[starts < trace.offsets[1:]]] = -1
    return before


def _ranges(trace: MooncakeTrace) -> Iterator[Violation]:
    for name, least in (("timestamp", 0), ("input_length", 1), ("output_length", 0)):
        values: Integers = getattr(trace, name)
        for row in np.flatnonzero(values < least)[:1]:
            yield Violation(int(row), name, f"{values[row]} is below {least}")
    for position in np.flatnonzero(trace.blocks < 0)[:1]:
        problem = f"block id {trace.blocks[position]} is below 0"
        yield Violation(_row(trace, position), "hash_ids", problem)


def _order(trace: MooncakeTrace) -> Iterator[Violation]:
    for row in np.flatnonzero(np.diff(trace.timestamp) < 0)[:1]:
        earlier, later = trace.timestamp[row : row + 2]
        problem = f"{later} comes after {earlier}: timestamps never decrease"
        yield Violation(int(row) + 1, "timestamp", problem)


def _counts(trace: MooncakeTrace) -> Iterator[Violation]:
    expected = -(-trace.input_length // BLOCK_TOKENS)
    counts = np.diff(trace.offsets)
    for row in np.flatnonzero(counts != expected)[:1]:
        problem = (
            f"{counts[row]} block ids, but {trace.input_length[row]} input tokens make "
            f"{expected[row]} blocks of {BLOCK_TOKENS}"
        )
        yield Violation(int(row), "hash_ids", problem)


def _roots(trace: MooncakeTrace) -> Iterator[Violation]:
    rows = np.flatnonzero(np.diff(trace.offsets) > 0)
    roots = trace.blocks[trace.offsets[rows]]
    for index in np.flatnonzero(roots != 0)[:1]:
        problem = f"the first block is {roots[index]}; every request begins with block 0"
        yield Violation(int(rows[index]), "hash_ids", problem)


def _chain(trace: MooncakeTrace) -> Iterator[Violation]:
    before = predecessors(trace)
    _, first, which = np.unique(trace.blocks, return_index=True, return_inverse=True)
    usual = before[first][which]
    for position in np.flatnonzero(before != usual)[:1]:
        row, block = _row(trace, position), trace.blocks[position]
        problem = (
            f"block {block} {_after(before[position])}, but it "
            f"{_after(usual[position])} where it first appears: ids aren't prefix-chained"
        )
        yield Violation(row, "hash_ids", problem)


def _after(block: np.int64) -> str:
    return "begins the request" if block == -1 else f"follows block {block}"


def _row(trace: MooncakeTrace, position: np.int64) -> int:
    return int(np.searchsorted(trace.offsets, position, side="right")) - 1
