"""Every check of a data set's files, without network: what `pearl data verify` prints."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from pearl.datasets import places
from pearl.datasets.built import embedded_fault, fault_of
from pearl.datasets.dataset import Check, Comparison, DataSet
from pearl.datasets.places import Obtained
from pearl.errors import DataError, PearlError
from pearl.project import Project
from pearl.provenance import FILE_NAME as PROVENANCE
from pearl.provenance import Provenance, Source

HIGHEST_SPREAD = 99


def verify(project: Project, entry: DataSet, source: Source, *, full: bool = False) -> list[Check]:
    """Check the files of one source, and whatever of the data set stands built beside them.

    `full` means the sample at full size, where the source is the sample.
    """
    name = f"{source}: files and checksums"
    try:
        found = _here(project, entry, source, full)
    except PearlError as error:
        checks = [Check(name, False, str(error))]
    else:
        facts = found.provenance.files
        seen = ", ".join(f"{f.name} {f.sha256[:12]}… {f.byte_count:,} bytes" for f in facts)
        checks = [Check(name, True, seen)]
        checks += entry.check_raw(found.folder, found.provenance)
        if source == "sample" and entry.compare is not None:
            checks.append(_near(entry.compare(found.folder)))
        if source == "sample" and not (full and entry.full_sample):
            checks.append(_reproduced(found.folder, entry))
    raw, tables = project.raw / entry.name, project.tables / entry.name
    if raw.exists():
        checks.append(_whole(raw, "raw"))
    if tables.exists():
        checks += _tables(raw, tables, entry)
    for folder in variants(project, entry):
        fault = fault_of(folder, entry)
        seen = f"{fault}: it is built anew when needed" if fault else "as it was built"
        checks.append(Check(f"store/data/{entry.name}/{folder.name}", not fault, seen))
    return checks + _embeddings(project, entry)


def variants(project: Project, entry: DataSet) -> list[Path]:
    """The folders store/data/<dataset>/<fingerprint>/ that hold tables."""
    folders = (project.store / "data" / entry.name).glob("[!.]*/")
    return sorted(folder for folder in folders if folder.is_dir())


def embedded_variants(project: Project, entry: DataSet) -> list[Path]:
    """The folders store/embeddings/<dataset>/<fingerprint>-<points>/ that hold vectors."""
    folders = (project.store / "embeddings" / entry.name).glob("[!.]*-*/")
    return sorted(folder for folder in folders if folder.is_dir())


def _embeddings(project: Project, entry: DataSet) -> list[Check]:
    embedder, checks = entry.embedder, []
    if embedder is None:
        return []
    here = project.embeddings / entry.name
    for folder in [*([here] if here.exists() else []), *embedded_variants(project, entry)]:
        points = folder.name.rpartition("-")[2]
        spread = int(points) if points.isdigit() else HIGHEST_SPREAD
        fault = embedded_fault(folder, embedder, spread)
        seen = f"{fault}: it is made anew when needed" if fault else "as it was embedded"
        place = folder.relative_to(project.root)
        checks.append(Check(str(place), not fault, seen))
        if not fault:
            same = Provenance.read(folder).embedding == embedder.facts
            model = f"{embedder.facts.model} {embedder.facts.weights_sha256[:12]}…"
            checks.append(Check(f"{place}: model and rounding", same, model))
    return checks


def _here(project: Project, entry: DataSet, source: Source, full: bool) -> Obtained:
    if source == "hub":
        return places.hub_here(project, entry)
    if full and source == "sample" and entry.full_sample:
        return places.full_sample_here(project, entry)
    return places.obtain(project, entry, source)


def _near(comparisons: list[Comparison]) -> Check:
    judged = [item for item in comparisons if item.within is not None]
    far = [item.name for item in judged if not item.within]
    seen = f"too far: {', '.join(far)}" if far else f"all {len(judged)} within their tolerance"
    return Check("the sample's statistics near the published ones", not far, seen)


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
    fault = fault_of(tables, entry)
    remedy = f"run `dvc repro build@{entry.name}`"
    sealed = Check(
        "tables/: as they were built", not fault, f"{fault}: {remedy}" if fault else "the seal"
    )
    name = "tables/: made from raw/"
    if not (raw / PROVENANCE).is_file():
        return [sealed, Check(name, False, "raw/ is missing: run `dvc repro`")]
    try:
        same = Provenance.read(tables) == Provenance.read(raw)
    except DataError as error:
        return [sealed, Check(name, False, str(error))]
    seen = "the same provenance" if same else f"another provenance: {remedy}"
    return [sealed, Check(name, same, seen), *entry.check_tables(raw, tables)]
