"""Where MLflow's store is: made once, under a lock, and opened by its explicit address."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock

from pearl.errors import PearlError
from pearl.files import whole_file
from pearl.project import Project
from pearl.tracking import moved

if TYPE_CHECKING:
    from mlflow import MlflowClient

KEY_TAG = "pearl.key"


def database(project: Project) -> Path:
    """Return the SQLite file."""
    return project.mlruns / "mlflow.db"


def address(project: Project) -> str:
    """Return the tracking URI, for `mlflow server` and the client."""
    return f"sqlite:///{database(project)}"


def artifacts(project: Project) -> Path:
    """Return the folder of all artifacts."""
    return project.mlruns / "artifacts"


@contextmanager
def writer(project: Project) -> Iterator[MlflowClient]:
    """Hold the one lock under which the store is written, and yield a client.

    The store is made where it is missing, and its paths are mended where the project was moved.
    """
    project.mlruns.mkdir(parents=True, exist_ok=True)
    with FileLock(project.mlruns / "writer.lock"):
        if not database(project).is_file():
            _create(project)
        moved.repair(project)
        yield _client(project)


def reader(project: Project) -> MlflowClient:
    """Return a client for reading.

    Raises:
        PearlError: there is no store yet.
    """
    require(project)
    return _client(project)


def require(project: Project) -> None:
    """Refuse to go on where there is no store."""
    if not database(project).is_file():
        raise PearlError(
            f"There is no MLflow store at {database(project)}.",
            remedy="`pearl track sync` makes it from the stored runs and results.",
        )


def recorded(project: Project) -> dict[str, list[tuple[str, str]]]:
    """Return run id and status of every tracked run by pearl's key, deleted ones left out.

    Asked of SQLite itself: MLflow's own search takes seconds a thousand runs.
    """
    found: dict[str, list[tuple[str, str]]] = {}
    question = (
        "SELECT tags.value, runs.run_uuid, runs.status FROM tags JOIN runs USING (run_uuid)"
        " WHERE tags.key = ? AND runs.lifecycle_stage = 'active' ORDER BY runs.run_uuid"
    )
    with closing(sqlite3.connect(database(project))) as connection:
        for key, run_id, status in connection.execute(question, (KEY_TAG,)):
            found.setdefault(key, []).append((run_id, status))
    return found


def finished(project: Project) -> set[str]:
    """Return the keys of all finished runs; empty where there is no store."""
    if not database(project).is_file():
        return set()
    found = recorded(project)
    return {key for key, runs in found.items() if any(status == "FINISHED" for _, status in runs)}


def _create(project: Project) -> None:
    from mlflow.store.tracking.sqlalchemy_store import SqlAlchemyStore

    with whole_file(database(project)) as temporary:
        # Made through the store itself: a client would root "Default" in the working folder.
        SqlAlchemyStore(f"sqlite:///{temporary}", artifacts(project).as_uri())


def _client(project: Project) -> MlflowClient:
    from mlflow import MlflowClient

    return MlflowClient(tracking_uri=address(project), registry_uri=address(project))
