"""Every check of a data set's files, without network: what `pearl data verify` prints."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from pearl.datasets import places
from pearl.datasets.dataset import Check, DataSet
from pearl.datasets.places import Obtained
from pearl.errors import DataError, PearlError
from pearl.project import Project
from pearl.provenance import FILE_NAME as PROVENANCE
from pearl.provenance import Provenance, Source


def verify(project: Project, entry: DataSet, source: Source) -> list[Check]:
    """Check the files of one source, and whatever raw/, tables/ and store/data/ hold beside it."""
    name = f"{source}: files and checksums"
    try:
        found = _here(project, entry, source)
    except PearlError as error:
        checks = [Check(name, False, str(error))]
    else:
        facts = found.provenance.files
        seen = ", ".join(f"{f.name} {f.sha256[:12]}… {f.byte_count:,} bytes" for f in facts)
        checks = [Check(name, True, seen)]
        checks += entry.check_raw(found.folder, found.provenance.rows)
        if source == "sample":
            checks.append(_reproduced(found.folder, entry))
    raw, tables = project.raw / entry.name, project.tables / entry.name
    if raw.exists():
        checks.append(_whole(raw, "raw"))
    if tables.exists():
        checks += _tables(raw, tables, entry)
    for folder in variants(project, entry):
        current = entry.is_current(folder)
        seen = "whole" if current else "damaged or of another version; it is built anew when needed"
        checks.append(Check(f"store/data/{entry.name}/{folder.name}", current, seen))
    return checks


def variants(project: Project, entry: DataSet) -> list[Path]:
    """The folders store/data/<dataset>/<fingerprint>/ that hold tables."""
    return sorted(file.parent for file in (project.store / "data" / entry.name).glob("*/*.json"))


def _here(project: Project, entry: DataSet, source: Source) -> Obtained:
    if source == "hub":
        return places.hub_here(project, entry)
    return places.obtain(project, entry, source)


def _reproduced(folder: Path, entry: DataSet) -> Check:
    with TemporaryDirectory() as temporary:
        again = Path(temporary) / entry.name
        entry.write_sample(again)
        names = sorted({file.name for place in (folder, again) for file in place.iterdir()})
        differ = [name for name in names if not _same(folder / name, again / name)]
    seen = f"differs in {', '.join(differ)}" if differ else ", ".join(names)
    return Check("the generator makes the sample byte for byte", not differ, seen)


def _same(one: Path, other: Path) -> bool:
    return one.is_file() and other.is_file() and one.read_bytes() == other.read_bytes()


def _whole(folder: Path, name: str) -> Check:
    try:
        provenance = Provenance.read(folder)
        for facts in provenance.files:
            places.check_file(folder / facts.name, facts, DataError)
    except DataError as error:
        return Check(f"{name}/: files and provenance", False, str(error))
    return Check(f"{name}/: files and provenance", True, provenance.label)


def _tables(raw: Path, tables: Path, entry: DataSet) -> list[Check]:
    if not (raw / PROVENANCE).is_file():
        return [Check("tables/: made from raw/", False, "raw/ is missing: run `dvc repro`")]
    try:
        same = Provenance.read(tables) == Provenance.read(raw)
    except DataError as error:
        return [Check("tables/: made from raw/", False, str(error))]
    seen = "the same provenance" if same else "another provenance: run `dvc repro`"
    return [Check("tables/: made from raw/", same, seen), *entry.check_tables(raw, tables)]
