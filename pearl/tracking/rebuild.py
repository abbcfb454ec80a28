"""Rebuild MLflow from what is kept: the store's runs first, then rows of results files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from pearl.errors import PearlError
from pearl.experiments.environment import load_environments
from pearl.experiments.exhibit import load_exhibits
from pearl.experiments.experiment import load_experiments
from pearl.progress import progress
from pearl.project import Project
from pearl.runs import results
from pearl.runs.pretrained import NetworkStore
from pearl.runs.spec import PlannedRun, RunSpec
from pearl.runs.store import RunStore
from pearl.tracking.describe import from_failure, from_network, from_row, from_store
from pearl.tracking.entry import Entry
from pearl.tracking.write import record_entries


@dataclass(frozen=True)
class Synced:
    """What a sync did: keys recorded now, keys known before, and of the new ones the rebuilt.

    Pretrained networks count as runs: MLflow shows them so.
    """

    recorded: int
    known: int
    from_results: int


def sync(project: Project) -> Synced:
    """Record everything that is kept and not tracked yet.

    Raises:
        CorruptRunError, CorruptNetworkError, DataError: a stored run, a pretrained network or a
            results file is damaged.
    """
    store, networks = RunStore.of(project), NetworkStore.of(project)
    trained = networks.all_keys()
    keys = store.all_keys()
    rows = {key: entry for key, entry in _rows(project) if key not in set(keys)}
    failures = store.failures()
    total = len(trained) + len(keys) + len(rows) + len(failures)
    with progress("tracking", total) as advance:

        def entries() -> Iterator[Entry]:
            for key in trained:
                yield from_network(networks.read(key))
                advance(1)
            for key in keys:
                yield from_store(store.read(key))
                advance(1)
            for entry in rows.values():
                yield entry
                advance(1)
            for failure in failures:
                yield from_failure(failure)
                advance(1)

        new = record_entries(project, entries())
    return Synced(len(new), total - len(new), sum(key in rows for key in new))


def results_files(project: Project) -> list[Path]:
    """Return the results files of the DVC stages and of `pearl run`, sorted.

    What an exhibit measured stands beside them and holds no runs.
    """
    measured = {exhibit.file_stem for exhibit in load_exhibits().values()}
    own = (project.store / "results").glob("*/*.parquet")
    files = [*sorted(project.results.glob("*.parquet")), *sorted(own)]
    return [file for file in files if file.stem not in measured]


def planned_of(row: dict[str, object], project: Project) -> PlannedRun:
    """Return the run that a row of a results file describes.

    Raises:
        PearlError: the row's key isn't the hash of what the row says.
    """
    config = json.loads(str(row["config"]))
    environments = load_environments(project)
    experiments = load_experiments(project)
    kind = str(config["environment"]["kind"])
    experiment = str(row["experiment"])
    known, environment = experiments.get(experiment), environments.get(kind)
    run = PlannedRun(
        spec=RunSpec(
            config=config,
            seed=int(str(row["seed"])),
            data=str(row["data_fingerprint"]),
            code=str(row["code"]),
        ),
        entry=environment.entry if environment else "",
        experiment=experiment,
        title=known.title if known else "no longer defined",
        profile=str(row["profile"]),
        method=str(row["method"]),
        label=str(row["label"]),
        name=str(row["name"]),
        data_source=str(row["data_source"]),
        provenance=json.loads(str(row["provenance"])),
        horizon_unit=environment.horizon_unit if environment else "rounds",
        variant=str(row["variant"]),
    )
    if run.key != row["key"]:
        raise PearlError(f"Row {row['key']} of {experiment}: the key doesn't fit its settings.")
    return run


def _rows(project: Project) -> Iterator[tuple[str, Entry]]:
    for file in results_files(project):
        frame: pd.DataFrame = results.read(file)
        for row in frame.to_dict("records"):
            named = {str(name): value for name, value in row.items()}
            shown = file.relative_to(project.root).as_posix()
            yield str(named["key"]), from_row(named, planned_of(named, project), shown)
