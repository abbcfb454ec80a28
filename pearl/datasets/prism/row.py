"""One row of a publisher's file, whose values are asked for by name and kind."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pearl.errors import DataError

REMEDY = (
    "Get the publisher's files anew (`pearl data fetch prism`), or use another source "
    "(--source sample)."
)


@dataclass(frozen=True)
class Row:
    """The values of a row, and where it stands: a file and its line (from 1)."""

    file: Path
    line: int
    values: dict[str, Any]
    within: str = ""
    """The name of the object that the values are part of; "" for the row itself."""

    def wrong(self, problem: str, field: str | None = None) -> DataError:
        """Return the error that names this row."""
        place = f"{self.within}.{field}" if self.within and field else field or self.within
        return DataError(self.file, problem, line=self.line, field=place or None, remedy=REMEDY)

    def columns(self, required: Iterable[str], *, only: bool) -> None:
        """Raise DataError unless all `required` are there, and nothing else where `only`."""
        for name in required:
            if name not in self.values:
                raise self.wrong("the field is missing", name)
        if only:
            for name in self.values:
                if name not in required:
                    raise self.wrong("a field that the publisher's schema doesn't have", name)

    def inner(self, name: str) -> Row:
        """Return the object that stands in a field."""
        value = self.values[name]
        if not isinstance(value, dict):
            raise self.wrong(f"{shown(value)} is not an object", name)
        return Row(self.file, self.line, value, name)

    def text(self, name: str) -> str:
        """Return a text; "EMPTY STRING" is the publisher's word for a missing one and is kept."""
        value = self.values[name]
        if not isinstance(value, str):
            raise self.wrong(f"{shown(value)} is not a text", name)
        try:
            value.encode("utf-8")
        except UnicodeEncodeError as error:
            raise self.wrong("half a character: the text is no Unicode", name) from error
        return value

    def name(self, name: str) -> str:
        """Return a text that has to say something: an identifier."""
        value = self.text(name)
        if not value.strip():
            raise self.wrong("the text is empty", name)
        return value

    def whole(self, name: str, least: int, most: int | None = None) -> int:
        """Return a whole number from `least` to `most`."""
        value = self.values[name]
        if type(value) is not int:
            raise self.wrong(f"{shown(value)} is not a whole number", name)
        if value < least or (most is not None and value > most):
            bounds = f"{least}-{most}" if most is not None else f"{least} and above"
            raise self.wrong(f"{shown(value)} is outside {bounds}", name)
        return value

    def number(self, name: str, least: float, most: float) -> float:
        """Return a number from `least` to `most`; null is none."""
        value = self.values[name]
        if type(value) not in (int, float):
            raise self.wrong(f"{shown(value)} is not a number", name)
        if not least <= value <= most:
            raise self.wrong(f"{shown(value)} is outside {least:g}-{most:g}", name)
        return float(value)

    def flag(self, name: str) -> bool:
        """Return true or false."""
        value = self.values[name]
        if type(value) is not bool:
            raise self.wrong(f"{shown(value)} is neither true nor false", name)
        return value


def shown(value: object) -> str:
    """Return a value as JSON shows it, cut after 40 characters."""
    text = json.dumps(value, default=str)
    return text if len(text) <= 40 else text[:37] + "..."
