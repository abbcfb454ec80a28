"""The errors that pearl shows to people: what is wrong, where, and what to do about it."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any


class PearlError(Exception):
    """Something a user can mend; the command line prints it without a traceback."""

    def __init__(self, problem: str, *, remedy: str = "") -> None:
        self.problem = problem
        self.remedy = remedy
        super().__init__(f"{problem}\n  {remedy}" if remedy else problem)

    def __reduce__(self) -> tuple[Callable[..., PearlError], tuple[Any, ...]]:
        """Cross from a worker process whole, whatever arguments a subclass takes."""
        return _restored, (type(self), self.args, self.__dict__)


class DataError(PearlError):
    """A data file is missing, foreign, truncated or malformed.

    `line` is counted from 1; `field` is the publisher's name of the column.
    """

    def __init__(
        self,
        file: Path | str,
        problem: str,
        *,
        line: int | None = None,
        field: str | None = None,
        remedy: str = "",
    ) -> None:
        self.file = Path(file)
        self.line = line
        self.field = field
        place = str(file)
        if line is not None:
            place += f", line {line}"
        if field is not None:
            place += f", field {field!r}"
        super().__init__(f"{place}: {problem}", remedy=remedy)


def _restored(kind: type[PearlError], args: tuple[Any, ...], state: dict[str, Any]) -> PearlError:
    error = kind.__new__(kind, *args)
    error.args = args
    error.__dict__.update(state)
    return error


class SettingError(PearlError):
    """A setting, experiment, method or command-line word is not what it may be."""


class SourceError(PearlError):
    """A data source (hub, mirror, sample) can't give what was asked of it."""


FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
"""How the system says that a disk or a share of it is full."""
_CLOSED = {errno.EACCES, errno.EPERM, errno.EROFS}
_ABSENT = {errno.ENOENT, errno.ENOTDIR, errno.EISDIR}


def of_system(error: OSError, named: Iterable[str] = ()) -> PearlError | None:
    """Return what the operating system refused as something to mend; None where it is a bug.

    Args:
        error: a full disk, a folder that may not be written, a path that leads nowhere.
        named: the paths that the user gave: one that isn't there is theirs to mend only if it is
            among them or below one of them.
    """
    file = os.fsdecode(error.filename) if isinstance(error.filename, str | bytes) else ""
    if error.errno in FULL:
        done, remedy = "written", "Free space or choose another folder; finished runs are kept."
    elif error.errno in _CLOSED:
        done = "read or written"
        remedy = "Change its permissions or choose another folder; finished runs are kept."
    elif error.errno in _ABSENT and file and any(_leads_to(file, path) for path in named):
        done, remedy = "reached", "Check the path."
    else:
        return None
    why = os.strerror(error.errno)
    return PearlError(f"{file or 'A file'} can't be {done}: {why}.", remedy=remedy)


def _leads_to(file: str, path: str) -> bool:
    return bool(path) and Path(file).absolute().is_relative_to(Path(path).expanduser().absolute())
