"""A moved project: MLflow stores absolute artifact paths, so they are found and mended here."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import unquote

from pearl.project import Project
from pearl.tracking.sqlite import connected, database

# Table, its id, and the column that holds a path, as MLflow 3.17 has them.
PLACES = (
    ("experiments", "experiment_id", "artifact_location"),
    ("runs", "run_uuid", "artifact_uri"),
    ("logged_models", "model_id", "artifact_location"),
    ("model_versions", "rowid", "source"),
    ("model_versions", "rowid", "storage_location"),
)
MIDDLE = "/mlruns/artifacts"


@dataclass(frozen=True)
class _Wrong:
    """One path of the store that points into another folder's mlruns/artifacts."""

    table: str
    identity: tuple[str, object]
    column: str
    old: str
    new: str


def former_root(project: Project) -> str | None:
    """Return the artifact folder that the store believes in; None where that is the real one."""
    wrong = _wrong(project)
    return unquote(wrong[0].old.partition(MIDDLE)[0]).removeprefix("file://") if wrong else None


def repair(project: Project) -> int:
    """Point every artifact path at this project's folder; return how many were changed.

    The caller holds the writer's lock. Paths outside any mlruns/artifacts belong to others and
    stay as they are.
    """
    wrong = _wrong(project)
    if wrong:
        with connected(project) as connection:
            for place in wrong:
                name, value = place.identity
                connection.execute(
                    f"UPDATE {place.table} SET {place.column} = ? WHERE {name} = ?",
                    (place.new, value),
                )
    return len(wrong)


def _wrong(project: Project) -> list[_Wrong]:
    root = (project.mlruns / "artifacts").as_uri()
    found = []
    if not database(project).is_file():
        return []
    with connected(project) as connection:
        for table, identity, column in PLACES:
            rows = connection.execute(
                f"SELECT {identity}, {column} FROM {table} WHERE {column} LIKE ?"
                f" AND {column} NOT LIKE ? ESCAPE '\\'",
                (f"%{MIDDLE}/%", _literally(root) + "/%"),
            )
            for value, old in rows:
                new = f"{root}/{old.partition(f'{MIDDLE}/')[2]}"
                found.append(_Wrong(table, (identity, value), column, old, new))
    return found


def _literally(text: str) -> str:
    """Escape what LIKE would read as a wildcard."""
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
