"""Pretrained networks: made once a key under its claim, before the runs or when one needs it."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from pydantic import BaseModel, ConfigDict

from pearl.errors import DataError, SourceError
from pearl.experiments.environment import load_object
from pearl.files import write_text
from pearl.runs.machine import machine_facts
from pearl.runs.pretrained import Arrays, CorruptNetworkError, NetworkStore, StoredNetwork
from pearl.runs.spec import PlannedNetwork, PlannedRun
from pearl.runs.store import RunStore
from pearl.sweeps.threads import assert_one_blas_thread, one_blas_thread

if TYPE_CHECKING:
    from pearl.sweeps.plans import Plan

# What says nothing about a run or network: the others would meet it too.
STOPS = (DataError, SourceError, CorruptNetworkError)


class NetworkChunk(BaseModel):
    """Networks that one worker makes, one after the other, from the tables in a folder."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tables: str
    networks: tuple[PlannedNetwork, ...]


def missing_networks(plan: Plan) -> tuple[PlannedNetwork, ...]:
    """Return the networks that the missing runs need and the store lacks, each once, by key.

    Raises:
        CorruptNetworkError: one that is there is damaged.
    """
    store, missing = NetworkStore.of(plan.project), {}
    needed = {each.key: each for run in plan.missing if (each := run.planned_network)}
    for key, network in sorted(needed.items()):
        if store.has(key):
            store.read(key)
        else:
            missing[key] = network
    return tuple(missing.values())


def networks_behind(plan: Plan, runs: tuple[PlannedRun, ...]) -> list[StoredNetwork]:
    """Return the stored networks that runs started from, by key; those removed since are absent."""
    store = NetworkStore.of(plan.project)
    keys = sorted({run.network.key for run in runs if run.network is not None})
    return [store.read(key) for key in keys if store.has(key)]


def write_network_chunks(plan: Plan, networks: tuple[PlannedNetwork, ...]) -> list[str]:
    """Write one file a network and return their paths; `sweeps.remove_chunks` removes them."""
    folder = plan.project.store / "chunks" / f"{os.getpid()}-{uuid4().hex[:8]}"
    paths = []
    for number, network in enumerate(networks):
        chunk = NetworkChunk(tables=str(plan.data.tables), networks=(network,))
        path = folder / f"{number:06d}.json"
        write_text(path, chunk.model_dump_json())
        paths.append(str(path))
    return paths


def execute_pretraining(project_root: str, networks_file: str) -> list[str]:
    """Make the networks of a chunk that are still missing; return the keys made here.

    One that fails is left: each run that needs it tries again, and is written down with the cause.

    Args:
        project_root: the project's folder.
        networks_file: a file of `write_network_chunks`.

    Raises:
        DataError, SourceError, CorruptNetworkError: data or a stored network is damaged.
    """
    root = Path(project_root)
    chunk = NetworkChunk.model_validate_json(Path(networks_file).read_bytes())
    store, made = NetworkStore(RunStore(root / "store")), []
    for entry in {network.entry for network in chunk.networks}:
        # Imported before the limit is set: a library that is loaded later isn't limited.
        load_object(entry)
    with one_blas_thread():
        for network in chunk.networks:
            there = store.has(network.key)
            try:
                stored_network(store, network, Path(chunk.tables), machine_facts(root))
            except STOPS:
                raise
            except Exception:
                continue
            if not there:
                made.append(network.key)
    return made


def pretrained_arrays(
    store: NetworkStore, run: PlannedRun, tables: Path, facts: Mapping[str, Any]
) -> Arrays | None:
    """Return what a run's pretraining returned, made now where it is missing; None without one."""
    network = run.planned_network
    return stored_network(store, network, tables, facts).arrays() if network else None


def stored_network(
    store: NetworkStore, network: PlannedNetwork, tables: Path, facts: Mapping[str, Any]
) -> StoredNetwork:
    """Return a network from the store, made under its claim where it is missing.

    The caller holds the BLAS libraries at one thread.

    Raises:
        CorruptNetworkError: the stored one is damaged.
        DivergedError: a number isn't finite; whatever the pretraining raises comes through.
    """
    if not store.has(network.key):
        with store.claim(network.key):
            # Whoever held the claim may have made it.
            if not store.has(network.key):
                started, clock = _now(), time.perf_counter()
                pretrain = load_object(network.entry)
                arrays = pretrain(network.part, tables, network.spec.seed)
                assert_one_blas_thread()
                seconds = round(time.perf_counter() - clock, 3)
                times = {"started": started, "finished": _now(), "seconds": seconds}
                store.write(network, arrays, {**facts, **times})
    return store.read(network.key)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
