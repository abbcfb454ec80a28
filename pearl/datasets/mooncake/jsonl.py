"""Read and write the publisher's `conversation_trace.jsonl`, one request a line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from pearl.datasets.mooncake.trace import MooncakeTrace, violations
from pearl.errors import DataError

FIELDS = ("timestamp", "input_length", "output_length", "hash_ids")
LARGEST = 2**63 - 1
REMEDY = (
    "Get the publisher's file anew (`pearl data fetch mooncake`), or use another source "
    "(--source sample)."
)
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


def read_jsonl(path: Path) -> MooncakeTrace:
    """Read a trace in the publisher's format.

    Raises:
        DataError: the file is missing, empty, foreign, truncated or breaks a rule of the trace;
            it names the file, the line (from 1), the field and a remedy.
    """
    if not path.is_file():
        raise DataError(path, "there is no such file", remedy=REMEDY)
    lines = _lines(path)
    requests = [_request(path, number, line) for number, line in enumerate(lines, start=1)]
    lengths = np.array([len(request[3]) for request in requests], dtype=np.int64)
    trace = MooncakeTrace(
        timestamp=np.array([request[0] for request in requests], dtype=np.int64),
        input_length=np.array([request[1] for request in requests], dtype=np.int64),
        output_length=np.array([request[2] for request in requests], dtype=np.int64),
        offsets=np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths)]),
        blocks=np.array([block for request in requests for block in request[3]], dtype=np.int64),
    )
    for found in violations(trace):
        raise DataError(path, found.problem, line=found.row + 1, field=found.field, remedy=REMEDY)
    return trace


def write_jsonl(trace: MooncakeTrace, path: Path) -> None:
    """Write a trace in the publisher's format, the same bytes on every machine."""
    blocks = trace.blocks.tolist()
    offsets = trace.offsets.tolist()
    columns = (trace.timestamp.tolist(), trace.input_length.tolist(), trace.output_length.tolist())
    with path.open("w", encoding="ascii", newline="\n") as stream:
        for i, row in enumerate(zip(*columns, strict=True)):
            request = dict(zip(FIELDS, (*row, blocks[offsets[i] : offsets[i + 1]]), strict=True))
            stream.write(json.dumps(request) + "\n")


def _lines(path: Path) -> list[str]:
    content = path.read_bytes()
    if not content.strip():
        raise DataError(path, "the file is empty", remedy=REMEDY)
    for start, kind in FOREIGN.items():
        if content.startswith(start):
            raise DataError(path, f"this is {kind}", line=1, remedy=REMEDY)
    if (nul := content.find(b"\0")) >= 0:
        problem = "a NUL byte: the file is binary, UTF-16 or damaged"
        raise DataError(path, problem, line=content.count(b"\n", 0, nul) + 1, remedy=REMEDY)
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise DataError(path, "the line is not UTF-8 text", line=line, remedy=REMEDY) from error
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return lines


def _request(path: Path, number: int, line: str) -> tuple[int, int, int, list[int]]:
    def wrong(problem: str, field: str | None = None) -> DataError:
        return DataError(path, problem, line=number, field=field, remedy=REMEDY)

    if not line.strip():
        raise wrong("the line is empty")
    try:
        pairs: Any = json.loads(line, object_pairs_hook=_Pairs)
    except (ValueError, RecursionError) as error:
        reason = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
        cut = not line.rstrip().endswith("}")
        raise wrong(f"{'the line is cut off' if cut else 'not JSON'}: {reason}") from error
    if not isinstance(pairs, _Pairs):
        raise wrong(f"a JSON {type(pairs).__name__}, where an object is expected")
    names = [name for name, _ in pairs]
    if not set(names) & set(FIELDS):
        seen = ", ".join(names[:6]) or "none"
        raise wrong(f"no Mooncake request: its fields are {seen}; expected {', '.join(FIELDS)}")
    request = dict(pairs)
    for field in FIELDS:
        if field not in request:
            raise wrong("the field is missing", field)
    for name in names:
        if name not in FIELDS:
            raise wrong("a field that a Mooncake trace doesn't have", name)
        if names.count(name) > 1:
            raise wrong("the field stands twice", name)
    for field in FIELDS[:3]:
        if (problem := _integer_problem(request[field])) is not None:
            raise wrong(problem, field)
    ids = request["hash_ids"]
    if not type(ids) is list:  # noqa: E714 - an object arrives as a subclass of list
        raise wrong(f"{_shown(ids)} is not a list of block ids", "hash_ids")
    for block in ids:
        if (problem := _integer_problem(block)) is not None:
            raise wrong(problem, "hash_ids")
    return request["timestamp"], request["input_length"], request["output_length"], ids


class _Pairs(list[tuple[str, Any]]):
    """A JSON object as its pairs, so that a field written twice is seen."""


def _integer_problem(value: object) -> str | None:
    if type(value) is not int:
        return f"{_shown(value)} is not an integer"
    if value < 0:
        return f"{value} is below 0"
    if value > LARGEST:
        return f"{_shown(value)} doesn't fit 64 bits"
    return None


def _shown(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= 40 else text[:37] + "..."
