"""The toy project of tests/runs/toy_world.py."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "runs"))

from toy_world import make_project

from pearl.project import Project


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    made = make_project(tmp_path / "project")
    monkeypatch.chdir(made.root)
    monkeypatch.delenv("PEARL_HOME", raising=False)
    for name in ("TOY_LOG", "TOY_BROKEN"):
        monkeypatch.delenv(name, raising=False)
    return made
