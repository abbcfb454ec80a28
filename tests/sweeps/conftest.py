"""Sweeps leave MLflow out unless a test asks for it."""

import shutil
from pathlib import Path

import pytest

from pearl.project import Project


@pytest.fixture
def with_mlflow(project: Project, empty_mlruns: Path) -> None:
    """Give the project an MLflow store; tests without this fixture leave MLflow out."""
    shutil.copytree(empty_mlruns, project.mlruns)


@pytest.fixture(autouse=True)
def _without_mlflow(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    if "with_mlflow" not in request.fixturenames:
        for name in ("record_networks", "record_runs", "record_failures", "mark_mixed"):
            monkeypatch.setattr(f"pearl.sweeps.outcomes.{name}", lambda *_: [])
