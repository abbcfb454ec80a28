"""Named random streams: a draw belongs to (seed, stream, index), never to who drew before it."""

from __future__ import annotations

import hashlib

import numpy as np


def generator(seed: int, stream: str, *index: int) -> np.random.Generator:
    """Return the PCG64 generator of one named stream.

    Args:
        seed: the run's seed; 0 is a seed like any other.
        stream: the stream's name, such as "kv_cache/requests" or "policy/directions".
        index: position within the stream (an episode, a block of rounds), each >= 0.
    """
    if seed < 0 or any(i < 0 for i in index):
        raise ValueError(f"seed and index must be >= 0, got {seed} and {index}")
    name = int.from_bytes(hashlib.sha256(stream.encode()).digest()[:16], "big")
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, name, *index])))
