"""What every test shares: quiet libraries, and a toy project to plan and run in."""

import os
from pathlib import Path

import pytest
from toy_world import make_project

from pearl.project import Project
from pearl.tracking.store import writer

os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")
os.environ.setdefault("DO_NOT_TRACK", "1")
os.environ.setdefault("PREFECT_SERVER_ANALYTICS_ENABLED", "false")
for name in ("PEARL_DATA_MIRROR", "PEARL_HOME", "PEARL_RUNNER", "PEARL_WORKERS", "PREFECT_API_URL"):
    os.environ.pop(name, None)


@pytest.fixture(scope="session")
def empty_mlruns(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty MLflow store to copy: making one takes seconds, so it's made once.

    A `?` would end the path in a URL made by hand, and `%25` would be read as `%`.
    """
    folder = tmp_path_factory.mktemp("template") / "a b?c=1&d%25e#f é漢" / "project"
    with writer(Project(folder)):
        return folder / "mlruns"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """The project of tests/support/toy_world.py, as the working folder."""
    made = make_project(tmp_path / "project")
    monkeypatch.chdir(made.root)
    for name in ("TOY_LOG", "TOY_PAUSE", "TOY_BROKEN"):
        monkeypatch.delenv(name, raising=False)
    return made
