"""Texts to vectors, with a progress bar, resumed where an earlier attempt was killed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pearl.datasets.embedding.cache import VectorCache
from pearl.datasets.embedding.model import FACTS, Encode, load_encoder
from pearl.progress import progress

CHUNK = 256
"""Texts between two writes to the cache: what a kill can cost."""


def embed_texts(
    texts: Sequence[str], cache: Path, load: Callable[[], Encode] | None = None
) -> NDArray[np.float32]:
    """Return float32[n, 384], one unit vector a text; equal texts have equal vectors.

    Args:
        texts: n texts.
        cache: the folder that keeps finished vectors, a folder a model and rounding.
        load: loads the encoder (the pinned model by default); called only where a text isn't in
            the cache.

    Raises:
        SourceError: the model can't be had, see `load_encoder`.
    """
    known = VectorCache(cache / f"{FACTS.weights_sha256[:16]}-{FACTS.rounding}", FACTS.dimension)
    missing = [text for text in dict.fromkeys(texts) if text not in known]
    if missing:
        # Like lengths together: a batch is padded to its longest text.
        missing.sort(key=lambda text: (len(text), text))
        encode = (load or load_encoder)()
        with progress("embedding", len(missing), unit="texts") as advance:
            for start in range(0, len(missing), CHUNK):
                chunk = missing[start : start + CHUNK]
                known.add(chunk, encode(chunk))
                advance(len(chunk))
    return known.vectors(texts)
