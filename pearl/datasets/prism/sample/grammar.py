"""Topics and phrases, read from YAML, and how a sentence is made of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any

import yaml

_MINE = {"my": "your", "My": "Your", "myself": "yourself", "I": "you"}


@dataclass(frozen=True)
class Topic:
    """What conversations are about; `kind` is advice, explain, value or debate."""

    name: str
    kind: str
    subjects: tuple[str, ...]
    asks: tuple[str, ...]
    points: tuple[str, ...]
    brief: tuple[str, ...]
    images: tuple[str, ...]

    @property
    def form(self) -> str:
        """Whether points are verb phrases ("verb") or clauses ("clause")."""
        return "verb" if self.kind == "advice" else "clause"

    def suited(self, place: int) -> tuple[str, ...]:
        """Return the points that suit a prompt; in a debate they speak on both sides."""
        half = len(self.points) // 2
        first = place % half
        return self.points[first], self.points[half + (first + place // half) % half]


def _yaml(name: str) -> Any:
    text = resources.files(__package__).joinpath(name).read_text(encoding="utf-8")
    return yaml.safe_load(text)


def load_topics() -> tuple[Topic, ...]:
    """Read topics.yaml."""
    return tuple(
        Topic(
            name=row["name"],
            kind=row["kind"],
            **{
                part: tuple(row[part]) for part in ("subjects", "asks", "points", "brief", "images")
            },
        )
        for row in _yaml("topics.yaml")
    )


TOPICS = load_topics()
PHRASES: dict[str, Any] = _yaml("phrases.yaml")

# Which kinds of topics a conversation of each type may have.
KINDS = {
    "unguided": ("advice", "explain"),
    "values guided": ("value",),
    "controversy guided": ("debate",),
}


class Dice:
    """Random integers taken one after the other from a row of them."""

    def __init__(self, row: Sequence[int]) -> None:
        self._row: Iterator[int] = iter(row)

    def pick(self, options: Sequence[str]) -> str:
        """Take one of the options."""
        return options[next(self._row) % len(options)]

    def below(self, bound: int) -> int:
        """Take one of 0, ..., bound - 1."""
        return next(self._row) % bound

    def chance(self, per_mille: int) -> bool:
        """Come true in `per_mille` of 1,000 cases."""
        return next(self._row) % 1000 < per_mille


def yours(subject: str) -> str:
    """Turn the asker's subject into the answerer's: "my sister" becomes "your sister"."""
    return " ".join(_MINE.get(word, word) for word in subject.split(" "))


def fill(phrase: str, **parts: str) -> str:
    """Put parts into a phrase's {places}."""
    for name, part in parts.items():
        phrase = phrase.replace("{" + name + "}", part)
    return phrase


def sentence(text: str) -> str:
    """Begin with a capital letter and end with a stop."""
    capital = text[:1].upper() + text[1:]
    return capital if capital[-1] in ".?!:" else capital + "."
