"""The toy project of tests/runs/toy_world.py."""

import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "runs"))

from toy_world import make_project

from pearl.project import Project
from pearl.tracking.store import writer


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    made = make_project(tmp_path / "project")
    monkeypatch.chdir(made.root)
    monkeypatch.delenv("PEARL_HOME", raising=False)
    for name in ("TOY_LOG", "TOY_BROKEN"):
        monkeypatch.delenv(name, raising=False)
    return made


@pytest.fixture(scope="session")
def empty_mlruns(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty MLflow store: making one takes a second."""
    folder = tmp_path_factory.mktemp("template")
    with writer(Project(folder)):
        return folder / "mlruns"


@pytest.fixture
def with_mlflow(project: Project, empty_mlruns: Path) -> None:
    """Give the project an MLflow store; tests without this fixture leave MLflow out."""
    shutil.copytree(empty_mlruns, project.mlruns)


@pytest.fixture(autouse=True)
def _without_mlflow(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    if "with_mlflow" not in request.fixturenames:
        for name in ("record_runs", "record_failures", "mark_mixed"):
            monkeypatch.setattr(f"pearl.sweeps.outcomes.{name}", lambda *_: [])
