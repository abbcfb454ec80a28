"""Tables ready to read: the two DVC stages, and the same for any source outside DVC."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from filelock import FileLock

from pearl.datasets.dataset import DataSet
from pearl.datasets.download import Patience
from pearl.datasets.places import Obtained, check_file, obtain
from pearl.datasets.registry import dataset as entry_of
from pearl.errors import DataError
from pearl.files import whole_folder
from pearl.project import Project
from pearl.provenance import FILE_NAME as PROVENANCE
from pearl.provenance import Provenance, Source


@dataclass(frozen=True)
class Prepared:
    """A folder of tables, and what they stand on."""

    folder: Path
    provenance: Provenance


def fetch(
    project: Project,
    dataset: str,
    source: Source,
    *,
    base_url: str | None = None,
    patience: Patience | None = None,
) -> Provenance:
    """Stage fetch@d: write raw/<dataset>/, the publisher's files and `provenance.json`."""
    entry = entry_of(dataset)
    found = obtain(project, entry, source, stage=True, base_url=base_url, patience=patience)
    with whole_folder(project.raw / dataset) as folder:
        for facts in found.provenance.files:
            shutil.copyfile(found.folder / facts.name, folder / facts.name)
        found.provenance.write(folder)
    return found.provenance


def build(project: Project, dataset: str) -> Provenance:
    """Stage build@d: write tables/<dataset>/ from raw/<dataset>/."""
    entry, raw = entry_of(dataset), project.raw / dataset
    remedy = f"Run `dvc repro fetch@{dataset}`, or `pearl data fetch {dataset} --stage`."
    provenance = Provenance.read(raw, remedy=remedy)
    for facts in provenance.files:
        check_file(raw / facts.name, facts, lambda file, said: DataError(file, said, remedy=remedy))
    _build_into(project.tables / dataset, entry, Obtained(raw, provenance))
    return provenance


def prepare(
    project: Project,
    dataset: str,
    source: Source,
    *,
    base_url: str | None = None,
    patience: Patience | None = None,
) -> Prepared:
    """Return the tables of any source, building them where they are missing.

    That is tables/<dataset> if DVC made it from the same bytes of the same source, else
    store/data/<dataset>/<fingerprint>/. Neither raw/ nor tables/ is ever written here.
    """
    entry = entry_of(dataset)
    find = partial(obtain, project, entry, source, base_url=base_url, patience=patience)
    # What the hub serves is known from the manifest: tables that exist need no network.
    known = entry.manifest.provenance("hub") if source == "hub" else find().provenance
    of_dvc = project.tables / dataset
    if _holds(of_dvc, entry, known):
        return Prepared(of_dvc, known)
    folder = project.store / "data" / dataset / known.fingerprint
    folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(folder.with_suffix(".lock")):
        if not _holds(folder, entry, known):
            _build_into(folder, entry, find())
    return Prepared(folder, known)


def _build_into(target: Path, entry: DataSet, found: Obtained) -> None:
    with whole_folder(target) as folder:
        rows = entry.build(found.folder, folder)
        if rows != found.provenance.rows:
            raise DataError(
                found.folder,
                f"{rows} records, where the manifest names {found.provenance.rows}",
                remedy="Fetch the data set anew.",
            )
        found.provenance.write(folder)


def _holds(folder: Path, entry: DataSet, provenance: Provenance) -> bool:
    """Whether a folder holds whole tables of this version, made of these bytes."""
    if not (folder / PROVENANCE).is_file():
        return False
    try:
        return Provenance.read(folder) == provenance and entry.is_current(folder)
    except DataError:
        return False
