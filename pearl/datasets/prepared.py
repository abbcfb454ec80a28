"""Data ready to read: the DVC stages fetch, build and embed, and the same for any source outside.

All seal what they build. DVC deletes a stage's folder before the stage runs, so nothing outside
DVC reads tables/ or embeddings/.
"""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from pearl.datasets import built, places
from pearl.datasets.built import Fault, fault_of
from pearl.datasets.dataset import DataSet, Embedder
from pearl.datasets.download import Patience
from pearl.datasets.embedding.settings import embedding_settings
from pearl.datasets.places import Obtained, check_file, obtain
from pearl.datasets.registry import dataset as entry_of
from pearl.errors import DataError, PearlError
from pearl.files import whole_folder
from pearl.project import Project
from pearl.provenance import Provenance, Source

__all__ = ["Prepared", "build", "embed", "fault_of", "fetch", "identity", "prepare", "tables"]
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Prepared:
    """A folder of tables, or of what they were embedded to, and what it stands on."""

    folder: Path
    provenance: Provenance


def fetch(
    project: Project,
    dataset: str,
    source: Source,
    *,
    full: bool = False,
    base_url: str | None = None,
    patience: Patience | None = None,
) -> Provenance:
    """Stage fetch@d: write raw/<dataset>/, the publisher's files and `provenance.json`."""
    entry = entry_of(dataset)
    found = obtain(
        project, entry, source, stage=True, full=full, base_url=base_url, patience=patience
    )
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
    built.build_tables(project.tables / dataset, entry, Obtained(raw, provenance))
    return provenance


def embed(project: Project, dataset: str) -> Provenance:
    """Stage embed@d: write embeddings/<dataset>/ from tables/<dataset>/.

    Raises:
        PearlError: nothing of the data set is embedded.
        DataError: the tables are missing, or not as they were built.
    """
    entry, folder = entry_of(dataset), project.tables / dataset
    embedder = _embedder(entry)
    remedy = f"Run `dvc repro build@{dataset}`, or `pearl data build {dataset} --stage`."
    provenance = _embedded(Provenance.read(folder, remedy=remedy), embedder)
    if fault := fault_of(folder, entry):
        raise DataError(folder, fault, remedy=remedy)
    built.embed_tables(
        project.embeddings / dataset,
        embedder,
        folder,
        provenance,
        cache=_cache(project),
        min_spread=embedding_settings(project).min_points,
    )
    return provenance


def identity(project: Project, dataset: str, source: Source, *, full: bool = False) -> Provenance:
    """Return the provenance that `prepare` would return, building nothing, without network.

    Only the full-size sample is generated, where it isn't here: its bytes are its identity.

    Raises:
        DataError, SourceError: see `places.known`.
    """
    entry = entry_of(dataset)
    provenance = places.known(project, entry, source, full=full)
    return _embedded(provenance, entry.embedder) if entry.embedder else provenance


def prepare(
    project: Project,
    dataset: str,
    source: Source,
    *,
    full: bool = False,
    base_url: str | None = None,
    patience: Patience | None = None,
) -> Prepared:
    """Return what a run reads of any source, made where it is missing or damaged.

    That is the folder of vectors in store/embeddings/<dataset>/ where texts have to be embedded
    (slates down to params.yaml's `embeddings.min_spread`), else the tables. `full` asks for the
    sample at the publisher's size. Neither raw/, tables/ nor embeddings/ is ever written here.
    """
    entry = entry_of(dataset)
    found = tables(project, dataset, source, full=full, base_url=base_url, patience=patience)
    embedder = entry.embedder
    if embedder is None:
        return found
    points = embedding_settings(project).min_points
    provenance = _embedded(found.provenance, embedder)
    folder = project.store / "embeddings" / dataset / f"{provenance.fingerprint}-{points}"
    _made(
        folder,
        lambda place: built.embedded_fault(place, embedder, points, provenance),
        project.embeddings / dataset,
        lambda: built.embed_tables(
            folder,
            embedder,
            found.folder,
            provenance,
            cache=_cache(project),
            min_spread=points,
        ),
    )
    return Prepared(folder, provenance)


def tables(
    project: Project,
    dataset: str,
    source: Source,
    *,
    full: bool = False,
    base_url: str | None = None,
    patience: Patience | None = None,
) -> Prepared:
    """Return the tables of any source, building them where they are missing or damaged.

    They stand in store/data/<dataset>/<fingerprint>/; a rebuild of what stood there is logged.
    """
    entry = entry_of(dataset)

    def find() -> Obtained:
        return obtain(project, entry, source, full=full, base_url=base_url, patience=patience)

    try:
        # What the hub serves may be known already: tables that exist need no network.
        known = places.known(project, entry, source, full=full)
    except PearlError:
        known = find().provenance
    folder = project.store / "data" / dataset / known.fingerprint
    _made(
        folder,
        lambda place: fault_of(place, entry, known),
        project.tables / dataset,
        lambda: built.build_tables(folder, entry, find()),
    )
    return Prepared(folder, known)


def _made(folder: Path, fault: Fault, of_dvc: Path, make: Callable[[], None]) -> None:
    """Let `folder` be whole: as it is, copied from DVC's, or made; one process at a time."""
    if not fault(folder):
        return
    folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(folder.with_suffix(".lock")):
        if found := fault(folder):
            if folder.exists():
                _log.warning("%s: %s; built anew", folder, found)
            if not built.copied(of_dvc, folder, fault):
                make()


def _embedded(provenance: Provenance, embedder: Embedder) -> Provenance:
    return provenance.model_copy(update={"embedding": embedder.facts})


def _embedder(entry: DataSet) -> Embedder:
    if entry.embedder is None:
        raise PearlError(
            f"Nothing of {entry.name} is embedded.", remedy="Its tables are read as they are."
        )
    return entry.embedder


def _cache(project: Project) -> Path:
    return project.store / "embeddings" / "cache"
