"""JSON lines: one object a line, every fault named by file and line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pearl.errors import DataError

FOREIGN = {
    b"\x1f\x8b": "a gzip archive; unpack it first",
    b"PK\x03\x04": "a zip archive; unpack it first",
    b"PAR1": "a Parquet file, not JSON lines",
    b"\xff\xfe": "UTF-16 text; the publisher's file is UTF-8",
    b"\xfe\xff": "UTF-16 text; the publisher's file is UTF-8",
    b"\xef\xbb\xbf": "UTF-8 text with a byte order mark; the publisher's file has none",
    b"version https://git-lfs": "a Git LFS pointer, not the file that it points to",
    b"<": "a web page or XML, not JSON lines",
    b"[": "a JSON array; one JSON object a line is expected",
}


def read_objects(path: Path, remedy: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield each line's number (from 1) and object.

    Raises:
        DataError: the file is missing, empty or foreign; a line is empty, cut off, no JSON object,
            not UTF-8, or names a field twice.
    """
    if not path.is_file():
        raise DataError(path, "there is no such file", remedy=remedy)
    with path.open("rb") as stream:
        start = stream.read(64)
        if not start.strip():
            raise DataError(path, "the file is empty", remedy=remedy)
        for mark, kind in FOREIGN.items():
            if start.startswith(mark):
                raise DataError(path, f"this is {kind}", line=1, remedy=remedy)
        stream.seek(0)
        for number, line in enumerate(stream, start=1):
            yield number, _object(path, number, line, remedy)


def _object(path: Path, number: int, line: bytes, remedy: str) -> dict[str, Any]:
    def wrong(problem: str, field: str | None = None) -> DataError:
        return DataError(path, problem, line=number, field=field, remedy=remedy)

    if not line.strip():
        raise wrong("the line is empty")
    if b"\0" in line:
        raise wrong("a NUL byte: the file is binary, UTF-16 or damaged")
    try:
        found = json.loads(line.decode("utf-8"), object_pairs_hook=_without_twins)
    except UnicodeDecodeError as error:
        raise wrong("the line is not UTF-8 text") from error
    except _TwinError as error:
        raise wrong("the field stands twice", error.name) from error
    except (ValueError, RecursionError) as error:
        reason = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
        cut = not line.rstrip().endswith(b"}")
        raise wrong(f"{'the line is cut off' if cut else 'not JSON'}: {reason}") from error
    if not isinstance(found, dict):
        raise wrong(f"a JSON {type(found).__name__}, where an object is expected")
    return found


class _TwinError(Exception):
    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(name)


def _without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise _TwinError(next(name for name in names if names.count(name) > 1))
    return found
