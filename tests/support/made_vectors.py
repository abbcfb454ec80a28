"""An encoder without a model: a text's vector follows from its SHA-256."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pearl.datasets.embedding.model import FACTS, rounded


class MadeEncoder:
    """Keeps the texts that it was asked for; fails at the text `broken`."""

    def __init__(self, broken: str = "") -> None:
        self.seen: list[str] = []
        self.broken = broken

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if self.broken in texts:
            raise KeyboardInterrupt
        self.seen += texts
        rows = [
            np.random.default_rng(
                int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
            ).standard_normal(FACTS.dimension)
            for text in texts
        ]
        found = np.array(rows)
        return rounded(found / np.sqrt((found**2).sum(axis=1, keepdims=True)))
