"""Small traces, and the real one where it lies beside the project."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from pearl.datasets.mooncake import MooncakeTrace, read_jsonl

SHARED = Path(__file__).resolve().parents[2].parent / "shared"
REAL_TRACE = SHARED / "data" / "mooncake" / "conversation_trace.jsonl"

MakeTrace = Callable[..., MooncakeTrace]


@pytest.fixture(scope="session")
def make_trace() -> MakeTrace:
    def make(requests: Sequence[Sequence[int]], seconds: Sequence[float] | None = None):
        lengths = np.array([len(request) for request in requests], dtype=np.int64)
        arrivals = np.arange(len(requests)) * 10.0 if seconds is None else np.array(seconds)
        return MooncakeTrace(
            timestamp=(1000 * arrivals).astype(np.int64),
            input_length=512 * lengths,
            output_length=np.ones(len(requests), dtype=np.int64),
            offsets=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
            blocks=np.array([block for request in requests for block in request], dtype=np.int64),
        )

    return make


@pytest.fixture(scope="session")
def random_trace(make_trace: MakeTrace) -> Callable[..., MooncakeTrace]:
    """Requests down a random trie of three children a node; an id names its whole prefix."""

    def draw(seed: int, n: int, depth: int) -> MooncakeTrace:
        rng = np.random.default_rng(seed)
        requests = []
        for _ in range(n):
            block, blocks = 0, [0]
            for _ in range(int(rng.integers(0, depth))):
                block = 3 * block + 1 + int(rng.choice(3, p=[0.75, 0.2, 0.05]))
                blocks.append(block)
            requests.append(blocks)
        return make_trace(requests)

    return draw


@pytest.fixture(scope="session")
def real_trace() -> MooncakeTrace:
    if not REAL_TRACE.is_file():
        pytest.skip("the real Mooncake trace isn't beside the project")
    return read_jsonl(REAL_TRACE)
