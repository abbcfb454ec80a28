"""Files that are whole or absent: write under a temporary name, then rename."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file's bytes as 64 hex digits."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


@contextmanager
def whole_file(target: Path) -> Iterator[Path]:
    """Yield a temporary path beside `target`; rename it onto `target` if the block succeeds."""
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_name(f".{target.name}.{os.getpid()}-{uuid4().hex[:8]}.part")
    try:
        yield temporary
        _flush_to_disk(temporary)
        os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def whole_folder(target: Path) -> Iterator[Path]:
    """Yield a temporary folder beside `target`; rename it onto `target` if the block succeeds.

    An existing `target` is replaced; the old folder is removed only after the new one is complete.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_name(f".{target.name}.{os.getpid()}-{uuid4().hex[:8]}.part")
    temporary.mkdir()
    try:
        yield temporary
        if target.exists():
            retired = temporary.with_suffix(".old")
            os.replace(target, retired)
            os.replace(temporary, target)
            shutil.rmtree(retired)
        else:
            os.replace(temporary, target)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def write_text(target: Path, text: str) -> None:
    """Write UTF-8 text with line feeds, whole or not at all."""
    with whole_file(target) as temporary:
        temporary.write_bytes(text.encode())


def _flush_to_disk(path: Path) -> None:
    with path.open("rb") as stream:
        os.fsync(stream.fileno())
