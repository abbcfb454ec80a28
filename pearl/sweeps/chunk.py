"""A chunk of runs, made in whatever process it is handed to: paths in, keys out, no tracking."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from uuid import uuid4

from pydantic import BaseModel, ConfigDict

from pearl.experiments.environment import load_object
from pearl.files import write_text
from pearl.runs.machine import machine_facts
from pearl.runs.pretrained import NetworkStore
from pearl.runs.spec import PlannedRun
from pearl.runs.store import RunStore
from pearl.sweeps.making import Entry, make
from pearl.sweeps.networks import STOPS
from pearl.sweeps.plans import Plan
from pearl.sweeps.threads import assert_one_blas_thread, one_blas_thread


class Chunk(BaseModel):
    """Runs that one worker makes, one after the other.

    `tables` is the folder of the data set (no folder where everything is simulated); `attempts`
    counts each key's failures when the plan was made.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    tables: str
    runs: tuple[PlannedRun, ...]
    attempts: dict[str, int]


def write_chunks(plan: Plan, size: int) -> list[str]:
    """Write the missing runs as files of at most `size` runs and return their paths.

    A method's seeds stand next to each other, methods in the experiment's order.
    """
    order = {name: place for place, name in enumerate(plan.experiment.methods)}
    missing = sorted(plan.missing, key=lambda run: (order[run.method], run.name, run.spec.seed))
    store = RunStore.of(plan.project)
    folder = plan.project.store / "chunks" / f"{os.getpid()}-{uuid4().hex[:8]}"
    paths = []
    for first in range(0, len(missing), size):
        runs = tuple(missing[first : first + size])
        failures = {run.key: store.failure(run.key) for run in runs}
        chunk = Chunk(
            tables=str(plan.data.tables),
            runs=runs,
            attempts={key: known.attempts if known else 0 for key, known in failures.items()},
        )
        path = folder / f"{first:06d}.json"
        write_text(path, chunk.model_dump_json())
        paths.append(str(path))
    return paths


def remove_chunks(paths: list[str]) -> None:
    """Remove chunk files, and their folder once it is empty."""
    for path in paths:
        Path(path).unlink(missing_ok=True)
    for folder in {Path(path).parent for path in paths}:
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()


def execute_chunk(project_root: str, specs_file: str) -> list[str]:
    """Make the runs of a chunk that are still missing; return the keys made here.

    A run that somebody else is making is left to them, and looked at again at the end. A run that
    fails is written down with its cause, and the others go on.

    Args:
        project_root: the project's folder.
        specs_file: a file of `write_chunks`.

    Raises:
        DataError, SourceError: the tables are missing or damaged; what was made is kept.
        CorruptNetworkError: so is a pretrained network.
    """
    root = Path(project_root)
    chunk = Chunk.model_validate_json(Path(specs_file).read_bytes())
    store = RunStore(root / "store")
    made: list[str] = []
    entries = {run.entry: load_object(run.entry) for run in chunk.runs}
    for pretrain in {run.pretrain for run in chunk.runs if run.pretrain}:
        load_object(pretrain)
    with one_blas_thread():
        assert_one_blas_thread()
        waiting = []
        for run in chunk.runs:
            with store.claim(run.key, wait=False) as held:
                if not held:
                    waiting.append(run)
                elif _make(store, run, chunk, entries[run.entry], machine_facts(root)):
                    made.append(run.key)
        for run in waiting:
            with store.claim(run.key):
                if _make(store, run, chunk, entries[run.entry], machine_facts(root)):
                    made.append(run.key)
    return made


def _make(
    store: RunStore, run: PlannedRun, chunk: Chunk, entry: Entry, facts: Mapping[str, Any]
) -> bool:
    """Make one claimed run; False where it is there already, or failed (here or elsewhere)."""
    known = store.failure(run.key)
    if store.has(run.key) or (known and known.attempts > chunk.attempts[run.key]):
        return False
    try:
        trajectory, machine = make(run, entry, Path(chunk.tables), facts, NetworkStore(store))
    except STOPS:
        raise
    except Exception as error:
        store.add_failure(run, error)
        return False
    store.write(run, trajectory, machine)
    return True
