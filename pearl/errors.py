"""The errors that pearl shows to people: what is wrong, where, and what to do about it."""

from __future__ import annotations

from collections.abc import Callable
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
