"""Bytes over HTTPS: resumed where a connection broke, whole and checked before they count."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import requests
from filelock import FileLock
from urllib3.exceptions import HTTPError, ReadTimeoutError

from pearl.datasets.manifest import PublishedFile
from pearl.errors import SourceError
from pearl.files import sha256_of
from pearl.progress import Advance, progress
from pearl.provenance import FileFacts

CHUNK_BYTES = 1 << 16
PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})
OTHER_WAYS = "use a copy (--source mirror with PEARL_DATA_MIRROR), or --source sample."


@dataclass(frozen=True)
class Patience:
    """How long a download goes on.

    `attempts` counts attempts in a row that brought nothing new; before the k-th further one it
    waits `pause` * 2^(k-1) seconds. `timeout` is the longest silence of the server, in seconds.
    """

    attempts: int = 5
    pause: float = 1.0
    timeout: float = 30.0
    sleep: Callable[[float], None] = time.sleep


class _BrokenError(Exception):
    """An attempt that may succeed when it is made again."""


Published = FileFacts | PublishedFile


def download(url: str, facts: Published, folder: Path, patience: Patience | None = None) -> Path:
    """Return the path of the published file in `folder`, downloading what is missing of it.

    The bytes gather in `<name>.part`, which outlives a broken connection and a killed process; the
    file takes its name only when its SHA-256 is the published one. One process at a time downloads
    a file. A server that ignores Range is read from the beginning. Where no size is published the
    server's own announcement stands in for it; where no SHA-256 is, the content is the caller's to
    check.

    Raises:
        SourceError: the server can't be reached, says no, or serves other bytes.
    """
    patience = patience or Patience()
    folder.mkdir(parents=True, exist_ok=True)
    target, part = folder / facts.name, folder / f"{facts.name}.part"
    with FileLock(folder / f"{facts.name}.lock"):
        if target.is_file() and facts.sha256 in (None, sha256_of(target)):
            return target
        target.unlink(missing_ok=True)
        resumed = _size(part) > 0
        _gather(url, facts, part, patience)
        found = sha256_of(part)
        if facts.sha256 not in (None, found) and resumed:
            # The beginning may come from an earlier, damaged attempt: one try from nothing.
            part.unlink()
            _gather(url, facts, part, patience)
            found = sha256_of(part)
        if facts.sha256 not in (None, found):
            part.unlink()
            raise SourceError(
                f"{url} serves other bytes than were published: sha256 {found}, published "
                f"{facts.sha256}. They were deleted.",
                remedy=f"Something between here and the publisher changes the file; {OTHER_WAYS}",
            )
        part.replace(target)
    return target


def _gather(url: str, facts: Published, part: Path, patience: Patience) -> None:
    """Bring `part` to the published size, over as many attempts as bring something new."""
    if facts.byte_count is not None and _size(part) > facts.byte_count:
        part.unlink()
    most, failures = _size(part), 0
    with progress(f"downloading {facts.name}", facts.byte_count, unit="bytes") as advance:
        advance(most)
        while True:
            try:
                if facts.byte_count is None or _size(part) < facts.byte_count:
                    _attempt(url, facts, part, patience.timeout, advance)
                return
            except (_BrokenError, requests.RequestException, HTTPError) as error:
                size = _size(part)
                failures = 1 if size > most else failures + 1
                most = max(most, size)
                if failures >= patience.attempts:
                    raise SourceError(
                        f"{url} can't be downloaded: {_reason(error)}; {size} of "
                        f"{facts.byte_count or 'its'} bytes are here and are kept.",
                        remedy=f"Run the same command again to go on from there, or {OTHER_WAYS}",
                    ) from error
                patience.sleep(patience.pause * 2 ** (failures - 1))


def _attempt(url: str, facts: Published, part: Path, timeout: float, advance: Advance) -> None:
    offset = _size(part)
    headers = {"Accept-Encoding": "identity"}
    if offset:
        headers["Range"] = f"bytes={offset}-"
    with requests.get(url, headers=headers, stream=True, timeout=timeout) as response:
        whole = response.status_code == 200
        encoded = response.headers.get("Content-Encoding", "identity") != "identity"
        if not whole and not (_continues(response, offset) and not encoded):
            _refuse(url, response, part)
        total = facts.byte_count if facts.byte_count is not None else _announced(response)
        if total is None and facts.sha256 is None:
            raise SourceError(
                f"{url}: the server doesn't say how long the file is, and nothing else tells "
                "whether it is whole.",
                remedy=f"Something stands between here and the publisher; {OTHER_WAYS}",
            )
        if whole:
            advance(-offset)
            offset = 0
        with part.open("wb" if whole else "ab", buffering=0) as stream:
            # read1 gives what has arrived: nothing is lost of a chunk that breaks off.
            while chunk := response.raw.read1(CHUNK_BYTES, decode_content=True):
                offset += len(chunk)
                if total is not None and offset > total:
                    break
                stream.write(chunk)
                advance(len(chunk))
    if total is None:
        return
    if offset > total:
        part.unlink()
        raise SourceError(
            f"{url} serves more than the {total} bytes that were published.",
            remedy=f"Something between here and the publisher changes the file; {OTHER_WAYS}",
        )
    if offset < total:
        raise _BrokenError(f"the connection ended after {offset} bytes")


def _announced(response: requests.Response) -> int | None:
    """Return the whole file's size as the server tells it, None where it doesn't."""
    place = re.match(r"bytes \d+-\d+/(\d+)$", response.headers.get("Content-Range", ""))
    if place is not None:
        return int(place[1])
    length = response.headers.get("Content-Length", "")
    encoded = response.headers.get("Content-Encoding", "identity") != "identity"
    return int(length) if length.isdigit() and not encoded else None


def _continues(response: requests.Response, offset: int) -> bool:
    place = re.match(r"bytes (\d+)-", response.headers.get("Content-Range", ""))
    return response.status_code == 206 and place is not None and int(place[1]) == offset


def _refuse(url: str, response: requests.Response, part: Path) -> None:
    """Raise what an answer means that brings no usable bytes."""
    status = response.status_code
    if status in (206, 416):
        part.unlink(missing_ok=True)
        raise _BrokenError("the server answered with another part than was asked for")
    if status in PASSING:
        raise _BrokenError(f"the server answered {status} {response.reason}")
    raise SourceError(
        f"{url}: the server answered {status} {response.reason}.",
        remedy="The publisher may have moved the file: see the homepage in its manifest, or "
        f"{OTHER_WAYS}",
    )


def _reason(error: Exception) -> str:
    if isinstance(error, (requests.Timeout, ReadTimeoutError)):
        return "the server was silent for too long"
    if isinstance(error, requests.ConnectionError):
        return "the server can't be reached"
    if isinstance(error, HTTPError):
        return "the connection broke"
    return str(error)


def _size(file: Path) -> int:
    return file.stat().st_size if file.exists() else 0
