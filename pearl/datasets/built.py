"""Folders that were built: whole, sealed, of the data that was meant, or with a fault named."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from pearl.datasets.dataset import DataSet, Embedder
from pearl.datasets.places import Obtained
from pearl.errors import DataError
from pearl.files import seal, seal_fault, whole_folder
from pearl.provenance import Provenance

Fault = Callable[[Path], str]


def fault_of(folder: Path, entry: DataSet, provenance: Provenance | None = None) -> str:
    """Say why a folder doesn't hold whole tables of this version; nothing ("") where it does.

    With a `provenance` they must be made of these very bytes.
    """
    if fault := _sealed_fault(folder, provenance):
        return fault
    return "" if entry.is_current(folder) else "tables in another version's layout"


def embedded_fault(
    folder: Path, embedder: Embedder, min_spread: int, provenance: Provenance | None = None
) -> str:
    """Say why a folder doesn't hold whole vectors of this version; nothing ("") where it does."""
    if fault := _sealed_fault(folder, provenance):
        return fault
    if embedder.is_current(folder, min_spread):
        return ""
    return f"vectors in another version's layout, or not down to a spread of {min_spread} points"


def build_tables(target: Path, entry: DataSet, found: Obtained) -> None:
    """Write a data set's tables into `target`; DataError where a file isn't what it should be."""
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


def embed_tables(
    target: Path,
    embedder: Embedder,
    tables: Path,
    provenance: Provenance,
    *,
    cache: Path,
    min_spread: int,
) -> None:
    """Write the vectors of `tables` into `target`; `provenance` names what embeds them."""
    with whole_folder(target) as folder:
        embedder.embed(tables, folder, cache, min_spread)
        provenance.write(folder)
        seal(folder)


def copied(source: Path, target: Path, fault: Fault) -> bool:
    """Copy what DVC made if it is what is wanted: that spares a download or an hour's work.

    DVC may take it away meanwhile, so it is the copy that `fault` judges at last.
    """
    if fault(source):
        return False
    try:
        with whole_folder(target) as folder:
            shutil.copytree(source, folder, copy_function=shutil.copyfile, dirs_exist_ok=True)
            if found := fault(folder):
                raise DataError(source, found)
    except (DataError, FileNotFoundError, shutil.Error):
        return False
    return True


def _sealed_fault(folder: Path, provenance: Provenance | None) -> str:
    if fault := seal_fault(folder):
        return fault
    try:
        found = Provenance.read(folder)
    except DataError as error:
        return error.problem
    if provenance is not None and found != provenance:
        return "made of other data, or by another version"
    return ""
