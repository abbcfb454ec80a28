"""An empty MLflow store, and sweeps that leave MLflow out unless a test asks for it."""

import shutil
from pathlib import Path

import pytest

from pearl.project import Project
from pearl.tracking.store import writer


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
