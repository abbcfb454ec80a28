"""Where MLflow's store is: made once, under a lock, and opened by its explicit address."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock

from pearl.errors import PearlError
from pearl.files import whole_file
from pearl.project import Project
from pearl.tracking import moved
from pearl.tracking.sqlite import address, connected, database, not_a_store

if TYPE_CHECKING:
    from mlflow import MlflowClient

KEY_TAG = "pearl.key"


def artifacts(project: Project) -> Path:
    """Return the folder of all artifacts."""
    return project.mlruns / "artifacts"


@contextmanager
def writer(project: Project) -> Iterator[MlflowClient]:
    """Hold the one lock under which the store is written, and yield a client.

    The store is made where it is missing, and its paths are mended where the project was moved.

    Raises:
        PearlError: the file isn't an MLflow store.
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
        PearlError: there is no store yet, or the file isn't one.
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
    with connected(project) as connection:
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
        SqlAlchemyStore(address(temporary), artifacts(project).as_uri())


def _client(project: Project) -> MlflowClient:
    from mlflow import MlflowClient
    from mlflow.exceptions import MlflowException

    # MLflow tries again for minutes to open what is no database, so SQLite is asked first.
    with connected(project) as connection:
        connection.execute("SELECT version_num FROM alembic_version").fetchone()
    place = address(database(project))
    try:
        return MlflowClient(tracking_uri=place, registry_uri=place)
    except MlflowException as error:
        raise not_a_store(database(project), error) from error
