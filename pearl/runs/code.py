"""What code a run depends on, as one hash.

Starting from an environment's entry module, every import is followed within the entry's own
top-level package and pearl. What is hashed is the syntax tree without docstrings: comments,
layout and explanations may change, what is executed may not. Imports made by name at run time
aren't seen.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from pearl.errors import SettingError

# They speak to people, or find, read and move files: what they read stands in a run's config.
_SILENT = ("errors", "files", "progress", "project", "provenance", "words", "yaml_files")
NOT_HASHED = {"pearl", *(f"pearl.{name}" for name in _SILENT)}


@cache
def code_hash(entry: str, *further: str) -> str:
    """Return the hash of the code behind one or several entry points, 64 hex digits.

    Args:
        entry: "module:function"; the function's name is part of the hash.
        further: others that the same runs execute, such as the pretraining of their network.

    Raises:
        SettingError: the module doesn't exist or isn't Python source.
    """
    modules: dict[str, Path] = {}
    for each in (entry, *further):
        modules |= modules_behind(each)
    parts = [f"{name}:{_tree_digest(path)}" for name, path in sorted(modules.items())]
    return hashlib.sha256("\n".join([entry, *further, *parts]).encode()).hexdigest()


def modules_behind(entry: str) -> dict[str, Path]:
    """Return the modules whose code the hash covers, sorted by name, with their files.

    Those that hold nothing but a docstring are left out.
    """
    module = entry.partition(":")[0]
    packages = {"pearl", module.partition(".")[0]}
    found: dict[str, Path] = {}
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name in found or name in NOT_HASHED or name.partition(".")[0] not in packages:
            continue
        path = _source(name)
        if path is None:
            if name == module:
                raise SettingError(
                    f"{entry}: there is no Python module {module!r}.",
                    remedy="Check the name in environments.yaml and that its package is installed.",
                )
            continue
        found[name] = path
        parent = name.rpartition(".")[0]
        waiting += [parent] if parent else []
        waiting += _imports(path, name if path.name == "__init__.py" else parent)
    return {name: found[name] for name in sorted(found) if _tree(found[name]).body}


def _source(name: str) -> Path | None:
    """Return the file of a module, or None where the name is an object inside a module."""
    try:
        spec = find_spec(name)
    except (ModuleNotFoundError, ValueError):
        return None
    if spec is None or spec.origin is None or not spec.origin.endswith(".py"):
        return None
    return Path(spec.origin)


def _imports(path: Path, package: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1]
            base = ".".join([*above, node.module or ""]).strip(".") if node.level else node.module
            if base:
                yield base
                yield from (f"{base}.{alias.name}" for alias in node.names)


def _tree_digest(path: Path) -> str:
    return hashlib.sha256(ast.dump(_tree(path)).encode()).hexdigest()


def _tree(path: Path) -> ast.Module:
    """Return a file's syntax tree without docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            # A string that stands alone does nothing: docstrings, and those under attributes.
            node.body = [line for line in node.body if not _is_text(line)]
    return tree


def _is_text(line: ast.stmt) -> bool:
    return (
        isinstance(line, ast.Expr)
        and isinstance(line.value, ast.Constant)
        and isinstance(line.value.value, str)
    )
