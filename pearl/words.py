"""Names and words that people write: an unknown one is refused with the nearest known."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from types import UnionType
from typing import Any, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from pearl.errors import SettingError

Model = TypeVar("Model", bound=BaseModel)


def one_of(word: str, known: Iterable[str], what: str) -> str:
    """Return `word` if it is known.

    Raises:
        SettingError: it isn't; the message holds the nearest known word, or all of them.
    """
    names = list(known)
    if word in names:
        return word
    raise SettingError(f"There is no {what} {word!r}.", remedy=suggestion(word, names))


def suggestion(word: str, known: Iterable[str]) -> str:
    """Return "Did you mean ...?" or, where nothing is near, the list of what there is."""
    names = list(known)
    near = difflib.get_close_matches(word, names, n=1, cutoff=0.5)
    if near:
        return f"Did you mean {near[0]!r}?"
    return f"Known: {', '.join(names)}." if names else "None is known."


def validated(model: type[Model], content: Any, where: str) -> Model:
    """Return `content` as a model.

    Args:
        model: a pydantic model that forbids unknown names.
        content: what a file or a caller gave.
        where: the file, or the place in it, that the message names.

    Raises:
        SettingError: names every wrong place, and for an unknown name or word the nearest known.
    """
    if not isinstance(content, Mapping):
        raise SettingError(f"{where}: expected named settings, found {content!r}.")
    try:
        return model.model_validate(dict(content))
    except ValidationError as error:
        faults = [_fault(model, details) for details in error.errors()]
        problems = "; ".join(problem for problem, _ in faults)
        remedies = " ".join(dict.fromkeys(remedy for _, remedy in faults if remedy))
        raise SettingError(f"{where}: {problems}", remedy=remedies) from error


def _fault(model: type[BaseModel], details: ErrorDetails) -> tuple[str, str]:
    place = ".".join(str(part) for part in details["loc"])
    name = str(details["loc"][-1]) if details["loc"] else ""
    if details["type"] == "extra_forbidden":
        return f"unknown name {place!r}", suggestion(name, _names_at(model, details["loc"][:-1]))
    if details["type"] == "literal_error":
        expected = str(details.get("ctx", {}).get("expected", ""))
        words = [word or number for word, number in re.findall(r"'([^']*)'|([\d.]+)", expected)]
        # A key of a mapping is reported at (..., key, "[key]").
        place = place.removesuffix(".[key]")
        return f"{place}: unknown word {details['input']!r}", suggestion(
            str(details["input"]), words
        )
    if details["type"] == "missing":
        return f"{place} is missing", ""
    if details["type"] == "value_error":
        # A model's own check across its fields: its words say which and why.
        said = str(details["ctx"]["error"])
        return f"{place}: {said}" if place else said, ""
    return f"{place} = {details['input']!r}: {details['msg']}", ""


def _names_at(model: type[BaseModel], place: tuple[int | str, ...]) -> list[str]:
    """Return the field names of the model that stands at `place` inside `model`."""
    current: Any = model
    for part in place:
        current = _without_none(current)
        if isinstance(current, type) and issubclass(current, BaseModel):
            field = current.model_fields.get(str(part))
            current = field.annotation if field else None
        else:
            arguments = get_args(current)
            current = arguments[-1] if arguments else None
    current = _without_none(current)
    is_model = isinstance(current, type) and issubclass(current, BaseModel)
    return list(current.model_fields) if is_model else []


def _without_none(annotation: Any) -> Any:
    if get_origin(annotation) in (Union, UnionType):
        rest = [part for part in get_args(annotation) if part is not type(None)]
        return rest[0] if len(rest) == 1 else annotation
    return annotation
