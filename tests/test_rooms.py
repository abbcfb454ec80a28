"""A room imports only from rooms below it."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
ROOMS = [
    {
        *("errors", "files", "randomness", "compiled", "progress", "project", "provenance"),
        *("words", "yaml_files"),
    },
    {"datasets"},
    {"environments"},
    {"memory", "bandits"},
    {"simulation"},
    {"theory"},
    {"experiments"},
    {"runs"},
    {"tracking"},
    {"sweeps"},
    {"report"},
    {"cli"},
    {"flows"},
]
LEVEL = {room: level for level, rooms in enumerate(ROOMS) for room in rooms}
MODULES = sorted([*(ROOT / "pearl").rglob("*.py"), *(ROOT / "flows").rglob("*.py")])


def room_of(dotted: str) -> str | None:
    parts = dotted.split(".")
    if parts[0] == "flows":
        return "flows"
    return parts[1] if parts[0] == "pearl" and len(parts) > 1 else None


def imported_rooms(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {room_of(alias.name) for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports hide the room"
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {room_of(name) for name in names}
    return {room for room in found if room in LEVEL}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_module_imports_only_downward(path: Path) -> None:
    own = room_of(".".join(path.relative_to(ROOT).with_suffix("").parts))
    if own in (None, "__init__"):
        assert imported_rooms(path) == set()
        return
    assert own in LEVEL, f"{own} is a room that ROOMS doesn't know: give it its level"
    above = {
        room
        for room in imported_rooms(path)
        if LEVEL[room] > LEVEL[own] or (LEVEL[room] == LEVEL[own] > 0 and room != own)
    }
    assert above == set()


def test_compiled_functions_call_only_their_own_module() -> None:
    compiled: dict[str, Path] = {}
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef) and any(
                isinstance(mark, ast.Name) and mark.id == "compiled" for mark in node.decorator_list
            ):
                compiled[node.name] = path
    assert compiled
    for path in MODULES:
        tree = ast.parse(path.read_text())
        foreign = {
            alias.asname or alias.name
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
            if alias.name in compiled
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and compiled.get(node.name) == path:
                called = {
                    call.func.id
                    for call in ast.walk(node)
                    if isinstance(call, ast.Call) and isinstance(call.func, ast.Name)
                }
                assert not called & foreign, f"{path}: {node.name} calls {called & foreign}"
