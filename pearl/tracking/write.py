"""The one code path that writes MLflow: a client, explicit run ids, one lock.

A key is recorded once; what a killed or failed writer left of it is cleared away first.
"""

from __future__ import annotations

import json
import shutil
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlparse

import pyarrow as pa
import pyarrow.parquet as pq

from pearl.project import Project
from pearl.runs.failures import DivergedError, Failure
from pearl.runs.pretrained import StoredNetwork
from pearl.runs.stored import StoredRun, read_run
from pearl.tracking.describe import from_failure, from_network, from_store
from pearl.tracking.entry import Entry
from pearl.tracking.store import artifacts, finished, recorded, writer

if TYPE_CHECKING:
    from mlflow import MlflowClient


def record(project: Project, run_folder: Path) -> bool:
    """Record a stored run; False where its key was recorded already."""
    return bool(record_runs(project, [read_run(run_folder)]))


def record_runs(project: Project, runs: Iterable[StoredRun]) -> list[str]:
    """Record stored runs; return the keys that were new.

    Raises:
        DivergedError: a run holds a number that isn't finite; it is marked diverged, and the
            others are recorded first.
    """
    done = finished(project)
    new = [run for run in runs if run.key not in done]
    # One at a time: a run may hold curves of a million rounds, and a sweep thousands of runs.
    # With nothing to write, MLflow isn't even imported: that alone takes seconds.
    return record_entries(project, (from_store(run) for run in new)) if new else []


def record_networks(project: Project, networks: Iterable[StoredNetwork]) -> list[str]:
    """Record pretrained networks; return the keys that were new."""
    done = finished(project)
    entries = [from_network(network) for network in networks if network.key not in done]
    return record_entries(project, entries) if entries else []


def record_failures(project: Project, failures: Iterable[Failure]) -> list[str]:
    """Record failed runs, as FAILED with their cause; return the keys that were written."""
    entries = [from_failure(failure) for failure in failures]
    return record_entries(project, entries) if entries else []


def record_entries(project: Project, entries: Iterable[Entry]) -> list[str]:
    """Record entries whose key has no finished run yet; return the keys that were written."""
    written: list[str] = []
    refused: list[DivergedError] = []
    with writer(project) as client:
        known = recorded(project)
        for entry in entries:
            earlier = known.get(entry.key, [])
            if any(status == "FINISHED" for _, status in earlier):
                continue
            if entry.failed and len(earlier) == 1 and _is_recorded(client, earlier[0], entry):
                continue
            # Nobody else writes while we hold the lock: a run that isn't finished is a leftover.
            for run_id, _ in earlier:
                _discard(client, project, run_id)
            refusal = _write(client, project, entry)
            if refusal:
                refused.append(refusal)
            else:
                known[entry.key] = [("", "FINISHED")]
                written.append(entry.key)
    if refused:
        raise refused[0]
    return written


def forget(project: Project, keys: Iterable[str]) -> int:
    """Delete the tracked runs of these keys; return how many there were."""
    count = 0
    with writer(project) as client:
        known = recorded(project)
        for key in keys:
            for run_id, _ in known.get(key, []):
                _discard(client, project, run_id)
                count += 1
    return count


def _is_recorded(client: MlflowClient, earlier: tuple[str, str], entry: Entry) -> bool:
    """Tell whether a failed run stands there already with the same number of attempts."""
    run_id, status = earlier
    tags = client.get_run(run_id).data.tags if status == "FAILED" else {}
    return bool(tags.get("pearl.attempts") == entry.tags["pearl.attempts"])


def _write(client: MlflowClient, project: Project, entry: Entry) -> DivergedError | None:
    """Write one run; return why its numbers were refused, if they were."""
    from mlflow.entities import Metric, Param

    now = int(time.time() * 1000)
    start, end = entry.times or (now, now)
    run = client.create_run(
        _experiment(client, project, entry),
        start_time=start,
        run_name=entry.name,
        tags={**entry.tags, "mlflow.note.content": entry.description},
    )
    run_id: str = run.info.run_id
    parameters = [Param(name, value) for name, value in entry.parameters.items()]
    for first in range(0, len(parameters), 100):
        client.log_batch(run_id, params=parameters[first : first + 100])
    try:
        entry.check_finite()
    except DivergedError as error:
        client.set_tag(run_id, "pearl.status", "diverged")
        client.set_tag(run_id, "pearl.cause", error.problem)
        client.set_terminated(run_id, status="FAILED", end_time=end)
        return error
    metrics = [Metric(name, value, end, step) for name, step, value in entry.points()]
    for first in range(0, len(metrics), 1000):
        client.log_batch(run_id, metrics=metrics[first : first + 1000])
    with tempfile.TemporaryDirectory() as folder:
        for file in _artifact_files(entry, Path(folder)):
            client.log_artifact(run_id, str(file))
    client.set_terminated(run_id, status="FAILED" if entry.failed else "FINISHED", end_time=end)
    return None


def _artifact_files(entry: Entry, folder: Path) -> list[Path]:
    config = folder / "config.json"
    config.write_text(json.dumps(entry.config, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    if entry.files or len(entry.rounds) == 0:
        return [config, *entry.files]
    curve = folder / "curve.parquet"
    pq.write_table(pa.table({"t": entry.rounds, **entry.curves}), curve)
    return [config, curve]


def _experiment(client: MlflowClient, project: Project, entry: Entry) -> str:
    """Return the id of the MLflow experiment of a pearl experiment; make, rename or restore it."""
    from mlflow.entities import ViewType

    name = f"{entry.experiment} - {entry.title}"
    found = client.search_experiments(
        view_type=ViewType.ALL, filter_string=f"tags.`pearl.experiment` = '{entry.experiment}'"
    )
    if not found:
        folder = artifacts(project) / entry.experiment.replace("/", "-")
        new: str = client.create_experiment(
            name,
            artifact_location=folder.as_uri(),
            tags={"pearl.experiment": entry.experiment},
        )
        return new
    experiment = found[0]
    if experiment.lifecycle_stage != "active":
        client.restore_experiment(experiment.experiment_id)
    if experiment.name != name:
        client.rename_experiment(experiment.experiment_id, name)
    identity: str = experiment.experiment_id
    return identity


def _discard(client: MlflowClient, project: Project, run_id: str) -> None:
    """Delete a run in MLflow's sense, and its artifacts where they are inside this project."""
    folder = Path(unquote(urlparse(client.get_run(run_id).info.artifact_uri).path)).parent
    client.delete_run(run_id)
    if folder.name == run_id and folder.is_relative_to(artifacts(project)):
        shutil.rmtree(folder, ignore_errors=True)


def mark_mixed(
    project: Project, experiment: str, variant: str, mixed: dict[str, tuple[str, ...]]
) -> None:
    """Say at an experiment that the runs of a variant were made under several versions."""
    with writer(project) as client:
        found = client.search_experiments(filter_string=f"tags.`pearl.experiment` = '{experiment}'")
        for place in found:
            text = "; ".join(f"{name} {', '.join(seen)}" for name, seen in mixed.items())
            client.set_experiment_tag(place.experiment_id, f"pearl.mixed.{variant}", text)
