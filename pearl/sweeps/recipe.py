"""How a run is made again: the exact command, and what could make it come out otherwise."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass

from pearl.errors import PearlError
from pearl.project import Project
from pearl.runs import results
from pearl.runs.machine import machine_facts
from pearl.runs.pretrained import NetworkStore
from pearl.runs.spec import SHORT, PlannedRun
from pearl.runs.store import RunStore
from pearl.sweeps.obstacles import Origin, obstacles
from pearl.tracking import read
from pearl.tracking.describe import PRETRAINING
from pearl.tracking.rebuild import planned_of, results_files
from pearl.tracking.sqlite import database

MIRROR = "PEARL_DATA_MIRROR"


@dataclass(frozen=True)
class Recipe:
    """A run's key and name, shell commands in order, and warnings for people.

    `reachable` tells whether settings, data and code as they are give the key.
    """

    key: str
    name: str
    commands: tuple[str, ...]
    warnings: tuple[str, ...]
    reachable: bool


def recipe(project: Project, key_or_id: str) -> Recipe:
    """Return how to make a run again; the command deletes nothing, see `sweep(again=True)`.

    Args:
        project: where to look: the store, then MLflow, then the results files.
        key_or_id: a key, its beginning, or an MLflow run id.

    Raises:
        PearlError: none or several runs fit.
    """
    run = _find(project, key_or_id)
    found = obstacles(project, run)
    warnings, commands = [], []
    if found:
        warnings.append("Settings, data and code as they are here don't give this key:")
        warnings += [f"- {reason}" for reason in found]
        here = machine_facts(project.root)["git_commit"]
        if run.commit is None:
            warnings.append("The git commit wasn't recorded: which code gives the key isn't known.")
        elif run.commit != here:
            warnings.append(f"- git commit: {run.commit} then, {here} now")
            commands.append(f"git checkout {run.commit}")
        if run.dirty:
            warnings.append(
                "It was made with uncommitted changes: the commit alone may give another key."
            )
    prefix = ""
    if run.source == "mirror":
        folder = os.environ.get(MIRROR)
        prefix = f"{MIRROR}={shlex.quote(folder or '/folder/with/the/files')} "
        if folder is None:
            warnings.append(f"Let {MIRROR} name the folder with the publisher's files.")
    words = ["pearl", "run", run.experiment, "--profile", run.profile]
    if run.flag is not None:
        words += ["--source", run.flag]
    words += ["--seeds", str(run.seed), "--only", run.key[:SHORT], "--again"]
    commands.append(prefix + shlex.join(words))
    return Recipe(run.key, run.name, tuple(commands), tuple(warnings), not found)


def _find(project: Project, key_or_id: str) -> Origin:
    store = RunStore.of(project)
    for key in NetworkStore.of(project).all_keys():
        if key.startswith(key_or_id):
            raise _is_network(key)
    if any(key.startswith(key_or_id) for key in store.all_keys()):
        return _stored(store, store.find(key_or_id))
    if database(project).is_file():
        try:
            tracked = read.find(project, key_or_id)
        except PearlError:
            tracked = None
        if tracked is not None:
            if tracked.tags["pearl.experiment"] == PRETRAINING:
                raise _is_network(tracked.key)
            if store.has(tracked.key):
                return _stored(store, tracked.key)
            return _tracked(tracked)
    rows = dict(_rows(project, key_or_id))
    if len(rows) == 1:
        [run] = rows.values()
        return Origin.of(run)
    raise PearlError(
        f"{len(rows) or 'No'} runs have a key or MLflow id that begins with {key_or_id!r}.",
        remedy="`pearl runs list` shows the keys.",
    )


def _is_network(key: str) -> PearlError:
    return PearlError(
        f"{key} is a pretrained network, not a run.",
        remedy="It is made with the runs that start from it: make one of those again.",
    )


def _rows(project: Project, prefix: str) -> list[tuple[str, PlannedRun]]:
    found = []
    for file in results_files(project):
        for row in results.read(file).to_dict("records"):
            if str(row["key"]).startswith(prefix):
                named = {str(name): value for name, value in row.items()}
                found.append((str(row["key"]), planned_of(named, project)))
    return found


def _stored(store: RunStore, key: str) -> Origin:
    stored = store.read(key)
    machine = stored.machine
    return Origin.of(stored.run, machine["git_commit"], dirty=bool(machine["git_dirty"]))


def _tracked(run: read.TrackedRun) -> Origin:
    commit = run.tags.get("git.commit", "unknown")
    return Origin(
        key=run.key,
        name=run.name,
        experiment=run.tags["pearl.experiment"],
        profile=run.tags["pearl.profile"],
        source=run.tags["data.source"],
        seed=int(run.tags["seed"]),
        data=run.tags.get("data.fingerprint", ""),
        code=run.tags["pearl.code"],
        config=None,
        commit=None if commit == "unknown" else commit,
        dirty=run.tags.get("git.dirty") == "true",
    )
