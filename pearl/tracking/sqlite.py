"""The SQLite file behind MLflow: its path, its address, and a connection that names damage."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from pearl.errors import PearlError
from pearl.project import Project

HELD = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def database(project: Project) -> Path:
    """Return the SQLite file."""
    return project.mlruns / "mlflow.db"


def address(file: Path) -> str:
    """Return a SQLite file as SQLAlchemy's URL, for `mlflow server`, the client and the store.

    The driver is named because MLflow takes what follows `sqlite:///` for a path as it stands, and
    makes that folder: one whose name holds an escape sequence, where the true one holds a `?`.
    """
    from sqlalchemy import URL

    return URL.create("sqlite+pysqlite", database=str(file)).render_as_string()


@contextmanager
def connected(project: Project) -> Iterator[sqlite3.Connection]:
    """Yield a connection to the store, and commit what the block did.

    Raises:
        PearlError: the file isn't an MLflow store, or another program holds it for a minute.
    """
    file = database(project)
    try:
        with closing(sqlite3.connect(file, timeout=60)) as connection, connection:
            yield connection
    except sqlite3.DatabaseError as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF in HELD:
            raise PearlError(
                f"{file} is held by another program: {error}.", remedy="Try again once it is done."
            ) from error
        raise not_a_store(file, error) from error


def not_a_store(file: Path, error: Exception) -> PearlError:
    """Return the error that says how to get a new store instead of a damaged one."""
    return PearlError(
        f"{file} is not an MLflow store: {error}.",
        remedy="Move it away, then `pearl track sync` makes it anew from the stored runs.",
    )
