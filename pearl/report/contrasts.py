"""Which averages a claim about rewards compares, written as in "pearl - greedy | flip=0.5"."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

At = int | Literal["first", "last", "mean"]
Setting = tuple[str, float | str]

TERM = re.compile(r"\s*([+-]?)\s*(\w+)(?:\[([^\]]*)\])?")
PLACES: tuple[At, ...] = ("first", "last", "mean")


@dataclass(frozen=True)
class Point:
    """One average over seeds: of a method, under settings, at a place of a series.

    `settings` are those that tell the runs apart (flip = 0.5), sorted by name. `at` is an epoch as
    the paper counts it (from 1), or the first, the last or the mean of the series' numbers.
    `series` names it; "" is the table's own, and "metric/ece" is the runs' metric ece. `variant` is
    the experiment's variant, "" its base.
    """

    method: str
    settings: tuple[Setting, ...] = ()
    at: At = "last"
    series: str = ""
    variant: str = ""

    def under(self, **settings: float | str) -> Point:
        """Return the point under further settings."""
        return replace(self, settings=tuple(sorted({**dict(self.settings), **settings}.items())))


@dataclass(frozen=True)
class Contrast:
    """A sum of points minus a sum of points, seed by seed; a single point is a value."""

    plus: tuple[Point, ...]
    minus: tuple[Point, ...] = ()

    @property
    def is_value(self) -> bool:
        """Whether it is one point, compared with nothing."""
        return len(self.plus) == 1 and not self.minus

    @property
    def points(self) -> tuple[Point, ...]:
        """All its points, those added first."""
        return self.plus + self.minus

    def reversed(self) -> Contrast:
        """Return the contrast of opposite sign."""
        return Contrast(self.minus, self.plus)


def parse_contrast(text: str) -> Contrast:
    """Read "a - b | flip=0.5 epoch=1": what stands after the bar holds for every term.

    A term may have settings of its own: "a[flip=0.75] - a[flip=0.25]". The names epoch (a number,
    first, last or mean), series and variant are the point's; every other is a setting.

    Raises:
        ValueError: the text doesn't read so.
    """
    terms, _, common = text.partition("|")
    plus: list[Point] = []
    minus: list[Point] = []
    position = 0
    while terms[position:].strip():
        match = TERM.match(terms, position)
        if match is None or (position > 0 and not match[1]):
            raise ValueError(f"{text!r}: expected terms such as pearl - greedy | flip=0.5")
        point = _point(match[2], f"{common} {match[3] or ''}", text)
        (minus if match[1] == "-" else plus).append(point)
        position = match.end()
    if not plus:
        raise ValueError(f"{text!r}: nothing is added")
    return Contrast(tuple(plus), tuple(minus))


def _point(method: str, words: str, text: str) -> Point:
    point = Point(method)
    for word in words.split():
        name, equals, value = word.partition("=")
        if not (name and equals and value):
            raise ValueError(f"{text!r}: {word!r} is no name=value")
        if name == "epoch":
            point = replace(point, at=_place(value, text))
        elif name == "series":
            point = replace(point, series=value)
        elif name == "variant":
            point = replace(point, variant=value)
        else:
            point = point.under(**{name: _value(value)})
    return point


def _place(value: str, text: str) -> At:
    for place in PLACES:
        if value == place:
            return place
    if not value.isdigit() or int(value) < 1:
        raise ValueError(f"{text!r}: epoch={value} is no epoch (from 1), first, last or mean")
    return int(value)


def _value(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text
