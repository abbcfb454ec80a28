"""Tables ready to read: the two DVC stages, and the same for any source outside DVC.

Both seal what they build. DVC deletes a stage's folder before the stage runs, so nothing outside
DVC reads tables/.
"""

from __future__ import annotations

import logging
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
from pearl.files import seal, seal_fault, whole_folder
from pearl.project import Project
from pearl.provenance import Provenance, Source

_log = logging.getLogger(__name__)


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
    """Return the tables of any source, building them where they are missing or damaged.

    They stand in store/data/<dataset>/<fingerprint>/; a rebuild of what stood there is logged.
    Neither raw/ nor tables/ is ever written here.
    """
    entry = entry_of(dataset)
    find = partial(obtain, project, entry, source, base_url=base_url, patience=patience)
    # What the hub serves is known from the manifest: tables that exist need no network.
    known = entry.manifest.provenance("hub") if source == "hub" else find().provenance
    folder = project.store / "data" / dataset / known.fingerprint
    if not fault_of(folder, entry, known):
        return Prepared(folder, known)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(folder.with_suffix(".lock")):
        if fault := fault_of(folder, entry, known):
            if folder.exists():
                _log.warning("%s: %s; built anew", folder, fault)
            if not _copied(project.tables / dataset, folder, entry, known):
                _build_into(folder, entry, find())
    return Prepared(folder, known)


def fault_of(folder: Path, entry: DataSet, provenance: Provenance | None = None) -> str:
    """Say why a folder doesn't hold whole tables of this version; nothing ("") where it does.

    With a `provenance` they must be made of these very bytes.
    """
    if fault := seal_fault(folder):
        return fault
    try:
        found = Provenance.read(folder)
    except DataError as error:
        return error.problem
    if provenance is not None and found != provenance:
        return "made of other data, or by another version"
    return "" if entry.is_current(folder) else "tables in another version's layout"


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
        seal(folder)


def _copied(tables: Path, target: Path, entry: DataSet, provenance: Provenance) -> bool:
    """Copy DVC's tables if they are the ones wanted: that spares a download.

    DVC may take them away meanwhile, so it is the copy that is checked.
    """
    try:
        if Provenance.read(tables) != provenance:
            return False
        with whole_folder(target) as folder:
            shutil.copytree(tables, folder, copy_function=shutil.copyfile, dirs_exist_ok=True)
            if fault := fault_of(folder, entry, provenance):
                raise DataError(tables, fault)
    except (DataError, FileNotFoundError, shutil.Error):
        return False
    return True
