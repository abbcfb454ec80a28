"""What is here of a data set, what isn't, and how to get it; never touches the network."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from pearl.datasets import places
from pearl.datasets.dataset import DataSet
from pearl.datasets.verify import variants
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
        _looked("mirror", lambda: str(places.mirror(project, entry).folder)),
        _looked("hub (downloaded)", lambda: places.hub_here(project, entry).provenance.label),
    ]
    for folder, stage in ((project.raw / name, "fetch"), (project.tables / name, "build")):
        remedy = f"`dvc repro {stage}@{name}` makes it"
        found.append(_looked(f"{folder.parent.name}/{name}", partial(_label, folder, remedy)))
    for folder in variants(project, entry):
        found.append(_looked(f"store/data/{name}/{folder.name}", partial(_label, folder)))
    return found


def _label(folder: Path, remedy: str = "it is built anew when needed") -> str:
    return Provenance.read(folder, remedy=remedy).label


def _looked(place: str, look: Callable[[], str]) -> Presence:
    try:
        return Presence(place, True, look())
    except PearlError as error:
        return Presence(place, False, str(error))
