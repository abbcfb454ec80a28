"""YAML that people write: UTF-8, one mapping with named entries, no name twice; else refused."""

from __future__ import annotations

from collections.abc import Callable
from importlib.abc import Traversable
from pathlib import Path
from typing import Any

import yaml

from pearl.errors import SettingError

Refuse = Callable[[str, int | None], Exception]
"""Makes the error from what is wrong and the line (from 1; None where there is none)."""


def read_mapping(
    file: Path | Traversable,
    remedy: str = "Mend the place named above, or restore the file from git.",
) -> dict[str, Any]:
    """Return the content of a YAML file that holds named settings.

    Raises:
        SettingError: not UTF-8, not YAML, no mapping, nothing in it, a name that stands twice or
            isn't text; it names the file and, where there is one, the line.
    """

    def refuse(problem: str, line: int | None) -> SettingError:
        place = f"{file}, line {line}" if line else str(file)
        return SettingError(f"{place}: {problem}", remedy=remedy)

    return mapping_of(file.read_bytes(), refuse)


def mapping_of(content: bytes, refuse: Refuse) -> dict[str, Any]:
    """Return a YAML file's bytes as a mapping; raise what `refuse` makes of anything else."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise refuse("the file is not UTF-8 text", None) from error
    try:
        document = yaml.load(text, Loader=_NoNameTwice)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else None
        raise refuse(f"not YAML: {error.problem or error.context}", line) from error
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise refuse("not YAML: a character that text doesn't hold", line) from error
    except (ValueError, LookupError, AttributeError, RecursionError) as error:
        # PyYAML lets these through: a date such as 2026-13-01, a wrong tag, endless nesting.
        raise refuse(f"not YAML: {error}", None) from error
    if document is None:
        raise refuse("the file is empty, where named settings are expected", None)
    if not isinstance(document, dict):
        kind = type(document).__name__
        raise refuse(f"the file holds a {kind}, not named settings", None)
    for name in document:
        if not isinstance(name, str):
            raise refuse(f"the name {name!r} is no text; put it in quotes", None)
    return document


class _NoNameTwice(yaml.SafeLoader):
    """YAML without code, in which a name that stands twice is a fault, as the standard has it."""

    def compose_mapping_node(self, anchor: Any) -> yaml.MappingNode:
        node: yaml.MappingNode = super().compose_mapping_node(anchor)
        seen: dict[tuple[str, str], yaml.Mark] = {}
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                continue
            first = seen.setdefault((key.tag, key.value), key.start_mark)
            if first is not key.start_mark:
                problem = f"the name {key.value!r} stands twice, first in line {first.line + 1}"
                raise yaml.MarkedYAMLError(problem=problem, problem_mark=key.start_mark)
        return node
