"""What is here of a data set, what isn't, and how to get it; never touches the network."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from pearl.datasets import places
from pearl.datasets.dataset import Comparison, DataSet
from pearl.datasets.places import Obtained
from pearl.datasets.verify import embedded_variants, variants
from pearl.errors import PearlError
from pearl.project import Project
from pearl.provenance import Provenance


@dataclass(frozen=True)
class Presence:
    """One place where a data set may stand: `seen` describes it, or says how to get it."""

    place: str
    present: bool
    seen: str


def presence(project: Project, entry: DataSet) -> list[Presence]:
    """Look at each source and each folder that fetch, build and prepare write."""
    name = entry.name
    found = [
        _looked("sample (samples/)", lambda: places.sample(project, entry).provenance.label),
        _looked(
            "sample (data/)", lambda: places.sample(project, entry, stage=True).provenance.label
        ),
        *_full(project, entry),
        _looked("mirror", lambda: str(places.mirror(project, entry).folder)),
        _looked("hub (downloaded)", lambda: places.hub_here(project, entry).provenance.label),
    ]
    stages = [(project.raw / name, "fetch"), (project.tables / name, "build")]
    if entry.embedder is not None:
        stages.append((project.embeddings / name, "embed"))
    for folder, stage in stages:
        remedy = f"`dvc repro {stage}@{name}` makes it"
        found.append(_looked(f"{folder.parent.name}/{name}", partial(_label, folder, remedy)))
    for folder in variants(project, entry):
        found.append(_looked(f"store/data/{name}/{folder.name}", partial(_label, folder)))
    for folder in embedded_variants(project, entry):
        found.append(_looked(f"store/embeddings/{name}/{folder.name}", partial(_label, folder)))
    return found


def compared(project: Project, entry: DataSet, *, full: bool = False) -> Obtained | None:
    """Return the sample that `comparisons` looks at: at `full` size where that one is here.

    None where there is no whole sample; `presence` says why.
    """
    looks: list[Callable[[], Obtained]] = [partial(places.sample, project, entry)]
    if full and entry.full_sample is not None:
        looks.insert(0, partial(places.full_sample_here, project, entry))
    for look in looks:
        try:
            return look()
        except PearlError:
            continue
    return None


def comparisons(entry: DataSet, sample: Obtained) -> list[Comparison]:
    """Compare a sample with what was published."""
    if entry.compare is not None:
        return entry.compare(sample.folder)
    facts = places.sample_manifest(sample.folder, entry).sample
    held = facts.statistics if facts else {}
    return [
        Comparison(fact, f"{real:,}", "measured", "", f"{held[fact]:,}", None)
        for fact, real in entry.manifest.statistics.items()
    ]


def _full(project: Project, entry: DataSet) -> list[Presence]:
    if entry.full_sample is None:
        return []
    look = partial(places.full_sample_here, project, entry)
    return [_looked("sample (full size)", lambda: look().provenance.label)]


def _label(folder: Path, remedy: str = "it is built anew when needed") -> str:
    return Provenance.read(folder, remedy=remedy).label


def _looked(place: str, look: Callable[[], str]) -> Presence:
    try:
        return Presence(place, True, look())
    except PearlError as error:
        return Presence(place, False, str(error))
