import importlib
import sys
from pathlib import Path

import pytest

from pearl.errors import SettingError
from pearl.runs.code import code_hash, modules_behind

FRESH = code_hash.__wrapped__


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "hashed_world"
    folder.mkdir()
    (folder / "__init__.py").write_text('"""A package."""\n')
    (folder / "entry.py").write_text(
        "import json\nfrom hashed_world import helper\nfrom .deep.leaf import twice\n\n\n"
        'def run(x):\n    """Say it."""\n    return twice(helper.add(x))\n'
    )
    (folder / "helper.py").write_text("def add(x):\n    return x + 1\n")
    (folder / "deep").mkdir()
    (folder / "deep" / "__init__.py").write_text("")
    (folder / "deep" / "leaf.py").write_text(
        "from pearl.randomness import generator\n\n\ndef twice(x):\n    return 2 * x\n"
    )
    (folder / "bystander.py").write_text("x = 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.invalidate_caches()
    for name in [name for name in sys.modules if name.startswith("hashed_world")]:
        del sys.modules[name]
    return folder


def test_the_closure_is_followed_and_nothing_else(package: Path) -> None:
    assert list(modules_behind("hashed_world.entry:run")) == [
        "hashed_world.deep.leaf",
        "hashed_world.entry",
        "hashed_world.helper",
        "pearl.randomness",
    ]


def test_words_do_not_count(package: Path) -> None:
    before = FRESH("hashed_world.entry:run")
    entry = package / "entry.py"
    text = entry.read_text().replace('"""Say it."""', '"""Say it otherwise."""  # a comment')
    entry.write_text('"""New words."""\n\n' + text)
    (package / "bystander.py").write_text("x = 2\n")
    assert FRESH("hashed_world.entry:run") == before


@pytest.mark.parametrize("name", ["entry.py", "helper.py", "deep/leaf.py", "__init__.py"])
def test_code_counts_wherever_it_is(package: Path, name: str) -> None:
    before = FRESH("hashed_world.entry:run")
    file = package / name
    file.write_text(file.read_text() + "\n\nz = 3\n")
    assert FRESH("hashed_world.entry:run") != before


def test_the_function_counts_and_a_missing_module_is_named(package: Path) -> None:
    assert FRESH("hashed_world.entry:run") != FRESH("hashed_world.entry:walk")
    with pytest.raises(SettingError, match=r"hashed_world\.gone"):
        FRESH("hashed_world.gone:run")


def test_docstrings_do_not_hide_an_empty_body(package: Path) -> None:
    helper = package / "helper.py"
    helper.write_text('class A:\n    """Only words."""\n')
    before = FRESH("hashed_world.entry:run")
    helper.write_text('class A:\n    """Other words."""\n\n    x: int\n    """Of x."""\n')
    assert FRESH("hashed_world.entry:run") != before
