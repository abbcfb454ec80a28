"""The publisher's files at each source: found, checked and named with their provenance."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from pearl.datasets import manifest as manifests
from pearl.datasets.dataset import DataSet
from pearl.datasets.download import Patience, download
from pearl.datasets.first_seen import checked_files, downloads, known_files
from pearl.datasets.manifest import Manifest
from pearl.errors import DataError, SourceError
from pearl.files import seal, seal_fault, sha256_of
from pearl.project import Project
from pearl.provenance import FileFacts, Provenance, Source

MIRROR = "PEARL_DATA_MIRROR"


@dataclass(frozen=True)
class Obtained:
    """A folder that holds exactly the files that `provenance` names."""

    folder: Path
    provenance: Provenance


def hub(
    project: Project, entry: DataSet, base_url: str | None = None, patience: Patience | None = None
) -> Obtained:
    """Download what is missing of the publisher's files; `base_url` stands in for the publisher."""
    manifest, folder = entry.manifest, downloads(project, entry)
    for file in manifest.files:
        download(f"{base_url or manifest.url}/{file.name}", file, folder, patience)
    try:
        return hub_here(project, entry)
    except SourceError:
        # A file whose checksum nobody published has to be asked for again, not kept.
        for file in manifest.files:
            if file.sha256 is None:
                (folder / file.name).unlink(missing_ok=True)
        raise


def hub_here(project: Project, entry: DataSet) -> Obtained:
    """Find what was downloaded before, without network; SourceError where it isn't whole."""
    folder = downloads(project, entry)
    files = checked_files(project, entry, folder, lambda file, said: _hub_error(entry, file, said))
    return Obtained(folder, entry.manifest.provenance("hub", files))


def mirror(project: Project, entry: DataSet) -> Obtained:
    """Find the publisher's files in the folder named by PEARL_DATA_MIRROR and check them."""
    folder = mirror_folder(entry)
    files = checked_files(project, entry, folder, _mirror_error)
    return Obtained(folder, entry.manifest.provenance("mirror", files))


def mirror_folder(entry: DataSet) -> Path:
    """The data set's folder in the mirror; SourceError where no mirror is named or it is absent."""
    named = os.environ.get(MIRROR)
    if not named:
        raise SourceError(
            f"Source mirror of {entry.name}: the variable {MIRROR} isn't set.",
            remedy=f"Let {MIRROR} name the folder that holds {_wanted(entry)}, or {_else(entry)}",
        )
    root = Path(named).expanduser().absolute()
    if not root.is_dir():
        raise SourceError(
            f"Source mirror of {entry.name}: {MIRROR}={named} is no folder.",
            remedy=f"Let it name the folder that holds {_wanted(entry)}, or {_else(entry)}",
        )
    for facts in entry.manifest.files:
        if not (root / entry.name / facts.name).is_file():
            raise SourceError(
                f"Source mirror of {entry.name}: {root / entry.name / facts.name} doesn't exist.",
                remedy=f"Put the publisher's file there, or {_else(entry)}",
            )
    return root / entry.name


def sample(
    project: Project, entry: DataSet, *, stage: bool = False, full: bool = False
) -> Obtained:
    """Find the sample, from data/ in a DVC stage (what data.dvc imports), else from samples/.

    At `full` size it stands in the store, where it is generated once; a data set whose generator
    knows one size only has no other.
    """
    if full and entry.full_sample is not None:
        return _full_sample(project, entry)
    root = project.data if stage else project.samples
    folder = root / entry.name
    manifest = sample_manifest(folder, entry)
    provenance = manifest.provenance("sample")
    for facts in provenance.files:
        check_file(folder / facts.name, facts, _sample_error)
    return Obtained(folder, provenance)


def sample_manifest(folder: Path, entry: DataSet) -> Manifest:
    """Read the manifest beside a sample; DataError unless it is this version's, with a sample."""
    file = folder / manifests.FILE_NAME
    if not file.is_file():
        raise _sample_error(file, "there is no such file")
    found = manifests.parse(file, file.read_bytes(), remedy=_sample_remedy(file))
    if found.sample is None:
        raise DataError(file, "it names no sample", field="sample", remedy=_sample_remedy(file))
    if found.model_copy(update={"sample": None}) != entry.manifest:
        problem = "the publisher's facts differ from this version's"
        raise DataError(file, problem, remedy=_sample_remedy(file))
    return found


def obtain(
    project: Project,
    entry: DataSet,
    source: Source,
    *,
    stage: bool = False,
    full: bool = False,
    base_url: str | None = None,
    patience: Patience | None = None,
) -> Obtained:
    """Return the publisher's files from one source, never from another one.

    `full` asks for the sample at the publisher's size; it says nothing about hub and mirror.
    """
    if source == "hub":
        return hub(project, entry, base_url, patience)
    if source == "mirror":
        return mirror(project, entry)
    return sample(project, entry, stage=stage, full=full)


def known(project: Project, entry: DataSet, source: Source, *, full: bool = False) -> Provenance:
    """Return what a source's files are, without network.

    Raises:
        DataError, SourceError: a mirror or sample is missing or malformed; or the hub's files were
            never here and their publisher leaves a checksum open.
    """
    if source != "hub":
        return obtain(project, entry, source, full=full).provenance
    files = known_files(project, entry)
    if files is None:
        return hub_here(project, entry).provenance
    return entry.manifest.provenance("hub", files)


def check_file(file: Path, facts: FileFacts, error: Callable[[Path, str], Exception]) -> None:
    """Raise what `error` makes of a file that is missing or has another SHA-256 than `facts`."""
    if not file.is_file():
        raise error(file, "there is no such file")
    found = sha256_of(file)
    if found != facts.sha256:
        size = file.stat().st_size
        raise error(
            file,
            f"sha256 {found} ({size} bytes), where the manifest names {facts.sha256} "
            f"({facts.byte_count} bytes)",
        )


def full_sample_here(project: Project, entry: DataSet) -> Obtained:
    """Find the full-size sample that was generated before; SourceError where it isn't whole."""
    folder = _full_sample_folder(project, entry)
    if fault := seal_fault(folder):
        raise SourceError(
            f"Sample at full size: {folder}: {fault if folder.exists() else 'not generated yet'}.",
            remedy=f"`pearl data fetch {entry.name} --profile paper --source sample` generates it.",
        )
    return Obtained(folder, sample_manifest(folder, entry).provenance("sample"))


def _full_sample(project: Project, entry: DataSet) -> Obtained:
    assert entry.full_sample is not None
    folder = _full_sample_folder(project, entry)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(folder.with_suffix(".lock")):
        if seal_fault(folder):
            entry.full_sample.write(folder)
            seal(folder)
    return full_sample_here(project, entry)


def _full_sample_folder(project: Project, entry: DataSet) -> Path:
    version = entry.full_sample.version if entry.full_sample else "none"
    return project.store / "samples" / f"{entry.name}-full" / version


def _hub_error(entry: DataSet, file: Path, problem: str) -> SourceError:
    return SourceError(
        f"Source hub: {file}: {problem}.",
        remedy=f"`pearl data fetch {entry.name} --source hub` downloads it (needs network).",
    )


def _mirror_error(file: Path, problem: str) -> SourceError:
    return SourceError(
        f"Source mirror: {file}: {problem}.",
        remedy="The copy is cut off, changed or of another revision: copy the publisher's file "
        "again, or use --source hub.",
    )


def _sample_error(file: Path, problem: str) -> DataError:
    return DataError(file, problem, remedy=_sample_remedy(file))


def _sample_remedy(file: Path) -> str:
    name = file.parent.name
    return (
        f"`pearl data sample {name}` makes samples/{name} anew; `dvc repro` brings it into data/."
    )


def _wanted(entry: DataSet) -> str:
    return ", ".join(f"{entry.name}/{facts.name}" for facts in entry.manifest.files)


def _else(entry: DataSet) -> str:
    return "choose another source (--source hub or sample)."
