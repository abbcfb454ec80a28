"""Finished vectors by the SHA-256 of their texts: what a killed embedding left is used again.

A shard is a file named by the SHA-256 of its bytes, so that a cut or changed one is seen.
"""

from __future__ import annotations

import hashlib
import io
import logging
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pearl.files import sha256_of, whole_file

_log = logging.getLogger(__name__)


class VectorCache:
    """The vectors that a folder of shards holds, and a way to add some."""

    def __init__(self, folder: Path, dimension: int) -> None:
        """Read every shard of a folder, which may be absent; a damaged one is logged and left."""
        self._folder, self._dimension = folder, dimension
        self._vectors: dict[bytes, NDArray[np.float32]] = {}
        for file in sorted(folder.glob("[!.]*.npz")):
            if sha256_of(file) != file.stem or not self._read(file):
                _log.warning("%s: damaged; its texts are embedded again", file)

    def __contains__(self, text: str) -> bool:
        """Whether a text's vector is here."""
        return _key(text) in self._vectors

    def add(self, texts: Sequence[str], vectors: NDArray[np.float32]) -> None:
        """Keep the vectors (float32[n, dimension]) of n texts, on disk before this returns."""
        keys = [_key(text) for text in texts]
        stream = io.BytesIO()
        np.savez(stream, keys=np.frombuffer(b"".join(keys), dtype=np.uint8), vectors=vectors)
        content = stream.getvalue()
        name = hashlib.sha256(content).hexdigest()
        with whole_file(self._folder / f"{name}.npz") as temporary:
            temporary.write_bytes(content)
        self._vectors.update(zip(keys, vectors, strict=True))

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return float32[n, dimension], the vectors of n texts that are here."""
        rows = [self._vectors[_key(text)] for text in texts]
        return np.array(rows, dtype=np.float32).reshape(-1, self._dimension)

    def _read(self, file: Path) -> bool:
        try:
            with np.load(file, allow_pickle=False) as shard:
                keys, vectors = shard["keys"].tobytes(), shard["vectors"]
        except (OSError, ValueError, KeyError):
            return False
        if vectors.dtype != np.float32 or vectors.shape != (len(keys) // 32, self._dimension):
            return False
        for row, vector in enumerate(vectors):
            self._vectors[keys[32 * row : 32 * (row + 1)]] = vector
        return True


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()
