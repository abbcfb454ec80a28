"""Files that are whole or absent: write under a temporary name, then rename.

A seal beside files says what they were when they were made.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

from pearl.errors import FULL

SEAL = "seal.json"


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
    except OSError as error:
        # A write on a full disk doesn't say to which file.
        if error.filename is None and error.errno in FULL:
            error.filename = str(target)
        raise
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


def seal(folder: Path) -> None:
    """Write `seal.json`, the SHA-256 of every file in a folder: the same bytes everywhere."""
    write_text(folder / SEAL, json.dumps(_digests(folder), indent=2, sort_keys=True) + "\n")


def seal_fault(folder: Path) -> str:
    """Say in what a folder's files differ from its seal; nothing ("") where they are as made."""
    try:
        sealed = json.loads((folder / SEAL).read_bytes())
        found = _digests(folder)
    except (FileNotFoundError, NotADirectoryError):
        return f"no {SEAL} says how the files were made"
    except ValueError:
        return f"{SEAL} is damaged"
    if not isinstance(sealed, dict):
        return f"{SEAL} is damaged"
    differ = [name for name in {**sealed, **found} if sealed.get(name) != found.get(name)]
    return f"changed since it was made ({', '.join(sorted(differ))})" if differ else ""


def _digests(folder: Path) -> dict[str, str]:
    files = (file for file in folder.iterdir() if file.is_file())
    return {
        file.name: sha256_of(file)
        for file in sorted(files)
        if file.name != SEAL and not file.name.startswith(".")
    }


def _flush_to_disk(path: Path) -> None:
    with path.open("rb") as stream:
        os.fsync(stream.fileno())
