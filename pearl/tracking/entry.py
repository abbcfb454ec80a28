"""What MLflow is told about one run, from the store or from a results file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pearl.runs.failures import DivergedError, Failure
from pearl.runs.spec import PlannedRun
from pearl.runs.stored import StoredRun
from pearl.tracking.store import KEY_TAG

METRIC_POINTS = 200
LONGEST_PARAMETER = 6000
LONGEST_TAG = 8000


@dataclass(frozen=True)
class Entry:
    """A run as MLflow will show it.

    `rounds` and `regret` are the curve at hand: every round from the store, fewer from a results
    file. `times` are milliseconds since 1970 of start and end, None where they aren't known.
    """

    key: str
    experiment: str
    name: str
    description: str
    parameters: dict[str, str]
    tags: dict[str, str]
    metrics: dict[str, float]
    config: dict[str, Any]
    rounds: NDArray[np.int64]
    regret: NDArray[np.float64]
    times: tuple[int, int] | None
    curve_file: Path | None = None
    title: str = field(default="")

    @property
    def failed(self) -> bool:
        """Whether this tells of a failure, not of a finished run."""
        return self.tags["pearl.status"] != "finished"

    def thinned(self) -> list[tuple[int, float]]:
        """Return at most 200 log-spaced points (round, regret) of the curve, first and last in."""
        if len(self.rounds) == 0:
            return []
        ideal = np.geomspace(self.rounds[0], self.rounds[-1], METRIC_POINTS)
        chosen = np.unique(np.searchsorted(self.rounds, np.rint(ideal)))
        return [(int(self.rounds[i]), float(self.regret[i])) for i in chosen]

    def check_finite(self) -> None:
        """Refuse numbers that MLflow would take and later confuse.

        Raises:
            DivergedError: a metric or the curve isn't finite.
        """
        wrong = [name for name, value in self.metrics.items() if not np.isfinite(value)]
        if not np.isfinite(self.regret).all():
            wrong.append("regret")
        if wrong:
            raise DivergedError(
                f"{self.name} ({self.key[:12]}): not finite, so not recorded: {', '.join(wrong)}.",
                remedy="The run is marked diverged in MLflow.",
            )


def from_store(stored: StoredRun) -> Entry:
    """Return the entry of a stored run, with its whole curve and its machine."""
    regret = stored.regret()
    machine = stored.machine
    tags = {
        "pearl.status": "finished",
        "git.commit": str(machine["git_commit"] or "unknown"),
        "git.dirty": str(machine["git_dirty"]).lower(),
        "python": machine["python"],
        "blas": "; ".join(machine["blas"]),
        "machine": f"{machine['processor']}, {machine['cores']} cores, {machine['system']}",
        **{f"package.{name}": version for name, version in machine["packages"].items()},
    }
    if machine["git_commit"]:
        tags["mlflow.source.git.commit"] = machine["git_commit"]
    return _entry(
        stored.run,
        stored.facts | machine.get("diagnostics", {}),
        tags,
        rounds=np.arange(1, len(regret) + 1, dtype=np.int64),
        regret=regret,
        times=(_milliseconds(machine["started"]), _milliseconds(machine["finished"])),
        curve_file=stored.folder / "curve.parquet",
    )


def from_failure(failure: Failure) -> Entry:
    """Return the entry of a run that failed: no metrics, its cause as a tag."""
    tags = {
        "pearl.status": "diverged" if failure.kind == "diverged" else "failed",
        "pearl.cause": failure.cause,
        "pearl.attempts": str(failure.attempts),
    }
    moment = _milliseconds(failure.when)
    nothing = np.zeros(0)
    rounds = np.zeros(0, dtype=np.int64)
    return _entry(failure.run, {}, tags, rounds=rounds, regret=nothing, times=(moment, moment))


def from_row(row: Mapping[str, Any], run: PlannedRun, file: str) -> Entry:
    """Return the entry of a run of which only its row in a results file is left.

    Args:
        row: one row of `runs.results.read`.
        run: the run that the row describes.
        file: the results file, for the tag that says where this comes from.
    """
    facts = {
        name.partition(".")[2]: value
        for name, value in row.items()
        if name.startswith(("metric.", "fact.")) and not pd.isna(value)
    }
    tags = {
        "pearl.status": "finished",
        "pearl.rebuilt_from": f"{file}: thinned curve, no machine facts; the run's store is gone",
    }
    rounds = np.asarray(row["curve_t"], dtype=np.int64)
    regret = np.asarray(row["curve_regret"], dtype=np.float64)
    return _entry(run, facts, tags, rounds=rounds, regret=regret, times=None)


def _entry(
    run: PlannedRun,
    facts: Mapping[str, Any],
    tags: Mapping[str, str],
    *,
    rounds: NDArray[np.int64],
    regret: NDArray[np.float64],
    times: tuple[int, int] | None,
    curve_file: Path | None = None,
) -> Entry:
    words = {f"fact.{name}": value for name, value in facts.items() if isinstance(value, str)}
    every = {
        KEY_TAG: run.key,
        "pearl.experiment": run.experiment,
        "pearl.profile": run.profile,
        "pearl.method": run.method,
        "pearl.code": run.spec.code,
        "seed": str(run.spec.seed),
        "mlflow.source.name": f"pearl run {run.experiment}",
        **_data_tags(run),
        **words,
        **tags,
    }
    return Entry(
        key=run.key,
        experiment=run.experiment,
        title=run.title,
        name=run.name,
        description=(
            f"{run.label}, seed {run.spec.seed}, T = {run.horizon:,}, on {run.data_label}."
            f" Made again by `pearl reproduce {run.key[:12]}`."
        ),
        parameters=_parameters(run),
        tags={name: value[:LONGEST_TAG] for name, value in every.items()},
        metrics={n: float(value) for n, value in facts.items() if not isinstance(value, str)},
        config=run.spec.config,
        rounds=rounds,
        regret=regret,
        times=times,
        curve_file=curve_file,
    )


def _data_tags(run: PlannedRun) -> dict[str, str]:
    tags = {"data.source": run.data_source, "data.label": run.data_label}
    if run.provenance:
        facts = run.provenance
        tags |= {f"data.{name}": str(facts[name]) for name in ("revision", "rows", "licence")}
        tags["data.set"] = str(facts["dataset"])
        tags["data.fingerprint"] = run.spec.data
        tags["data.sha256"] = "; ".join(f"{f['sha256']} {f['name']}" for f in facts["files"])
    return tags


def _parameters(run: PlannedRun) -> dict[str, str]:
    parameters = {"method": run.method, "seed": str(run.spec.seed)}
    for name, value in run.spec.flat_config.items():
        text = value if isinstance(value, str) else json.dumps(value, sort_keys=True)
        parameters[name] = text[:LONGEST_PARAMETER]
    return parameters


def _milliseconds(moment: str) -> int:
    return int(datetime.fromisoformat(moment).timestamp() * 1000)
