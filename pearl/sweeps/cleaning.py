"""What nothing needs any more: runs of code that is gone, and what killed writers left."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil

from pearl.errors import PearlError, SettingError
from pearl.experiments import load_environments
from pearl.project import Project
from pearl.runs.code import code_hash
from pearl.runs.failures import read_failure
from pearl.runs.pretrained import NetworkStore
from pearl.runs.store import RunStore

# The names that pearl.files gives to what isn't whole yet, .<target>.<process>-<random>.part;
# a database under such a name has companions of SQLite's.
LEFTOVER = re.compile(r"^\..+\.(\d+)-[0-9a-z]+\.(part|old)(-journal|-wal|-shm)?$")


@dataclass(frozen=True)
class Waste:
    """A file or folder that may go, and why; `key` where it is a run or a pretrained network."""

    path: Path
    why: str
    byte_count: int
    key: str | None = None
    network: bool = False


def find_waste(project: Project) -> list[Waste]:
    """Return what may be deleted, changing nothing.

    A run is waste when the code of its environment has another hash now, a pretrained network when
    that of its pretraining has; damaged ones and those of environments that aren't defined here
    are left alone. A damaged record of a failure tells nothing any more.
    """
    return [*_orphans(project), *_networks(project), *_leftovers(project)]


def clean(project: Project, waste: Iterable[Waste]) -> None:
    """Delete what `find_waste` found; runs and networks under their claim."""
    store, networks = RunStore.of(project), NetworkStore.of(project)
    for each in waste:
        if each.key is not None and each.network:
            networks.remove(each.key)
        elif each.key is not None:
            store.remove(each.key)
        elif each.path.is_dir():
            shutil.rmtree(each.path, ignore_errors=True)
        else:
            each.path.unlink(missing_ok=True)


def _orphans(project: Project) -> Iterator[Waste]:
    store = RunStore.of(project)
    current: dict[str, str] = {}
    for kind, environment in load_environments(project).items():
        try:
            current[kind] = code_hash(*environment.code_entries)
        except SettingError:
            continue
    for key in store.all_keys():
        folder = store.path(key)
        try:
            spec = json.loads((folder / "run.json").read_text(encoding="utf-8"))["spec"]
            kind, code = spec["config"]["environment"]["kind"], spec["code"]
        except (OSError, ValueError, KeyError, TypeError):
            continue
        if kind in current and code != current[kind]:
            yield Waste(folder, f"run of other code than {kind} has now", _bytes(folder), key)
    for path in store.failure_files():
        try:
            failure = read_failure(path)
        except PearlError:
            yield Waste(path, "damaged record of a failed run", _bytes(path))
            continue
        if failure is None:
            continue
        kind, code = failure.run.kind, failure.run.spec.code
        if kind in current and code != current[kind]:
            yield Waste(path, f"failure of other code than {kind} has now", _bytes(path))


def _networks(project: Project) -> Iterator[Waste]:
    store = NetworkStore.of(project)
    current: dict[str, str] = {}
    for kind, environment in load_environments(project).items():
        if environment.pretrain is None:
            continue
        try:
            current[kind] = code_hash(environment.pretrain)
        except SettingError:
            continue
    for key in store.all_keys():
        try:
            network = store.read(key).network
        except PearlError:
            continue
        if network.spec.code != current.get(network.kind, network.spec.code):
            why = f"network of other code than {network.kind} pretrains with now"
            yield Waste(store.path(key), why, _bytes(store.path(key)), key, network=True)


def _leftovers(project: Project) -> Iterator[Waste]:
    for room in (project.store, project.mlruns, project.results, project.tables, project.raw):
        for path in sorted(room.rglob(".*")) if room.is_dir() else []:
            match = LEFTOVER.match(path.name)
            if match and not psutil.pid_exists(int(match[1])):
                yield Waste(path, "left by a writer that was killed", _bytes(path))
    for folder in sorted((project.store / "chunks").glob("*-*")):
        if not psutil.pid_exists(int(folder.name.partition("-")[0])):
            yield Waste(folder, "work list of a sweep that was killed", _bytes(folder))


def _bytes(path: Path) -> int:
    if path.is_file():
        return path.stat().st_size
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
