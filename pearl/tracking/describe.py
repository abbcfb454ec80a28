"""What MLflow is told: of a stored run, a failure, a row of a results file, a network."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pearl.runs.failures import Failure
from pearl.runs.pretrained import ARRAYS, LOSS, StoredNetwork
from pearl.runs.spec import PlannedRun
from pearl.runs.stored import SERIES, StoredRun
from pearl.tracking.entry import NO_ROUNDS, Arrays, Entry
from pearl.tracking.store import KEY_TAG
from pearl.tracking.tags import data_tags, machine_tags, milliseconds, parameters, times

LONGEST_TAG = 8000
PRETRAINING = "pearl/pretraining"
"""The MLflow experiment of the pretrained networks."""
NETWORK_TAG = "pearl.pretrained"


def from_store(stored: StoredRun) -> Entry:
    """Return the entry of a stored run, with its whole curve and its machine."""
    regret, series = stored.regret(), stored.series()
    machine = stored.machine
    names = ["curve.parquet", *([SERIES] if series else [])]
    return _entry(
        stored.run,
        stored.facts | machine.get("diagnostics", {}),
        machine_tags(machine),
        rounds=np.arange(1, len(regret) + 1, dtype=np.int64),
        curves={"regret": regret, **stored.curves()},
        series=series,
        times=times(machine),
        files=tuple(stored.folder / name for name in names),
    )


def from_network(stored: StoredNetwork) -> Entry:
    """Return the entry of a pretrained network: its loss by epoch, its weights as a file."""
    network, arrays = stored.network, stored.arrays()
    loss = np.asarray(arrays.get(LOSS, np.zeros(0)), dtype=np.float64)
    sizes = {name: int(values.size) for name, values in arrays.items() if name != LOSS}
    tags = {
        KEY_TAG: network.key,
        "pearl.experiment": PRETRAINING,
        "pearl.profile": network.profile,
        "pearl.code": network.spec.code,
        "seed": str(network.spec.seed),
        **data_tags(network),
        **machine_tags(stored.machine),
    }
    return Entry(
        key=network.key,
        experiment=PRETRAINING,
        title="Pretrained networks",
        name=network.name,
        description=(
            f"The network that the runs tagged {NETWORK_TAG} = {network.key} start from,"
            f" seed {network.spec.seed}, on {network.data_label}."
        ),
        parameters=parameters({"kind": network.kind, **network.part}, network.spec.seed),
        tags={name: value[:LONGEST_TAG] for name, value in tags.items()},
        metrics={
            "seconds": float(stored.machine["seconds"]),
            "numbers": float(sum(sizes.values())),
        },
        config=network.spec.config,
        series={LOSS: loss} if len(loss) else {},
        times=times(stored.machine),
        files=(stored.folder / ARRAYS,),
    )


def from_failure(failure: Failure) -> Entry:
    """Return the entry of a run that failed: no metrics, its cause as a tag."""
    tags = {
        "pearl.status": "diverged" if failure.kind == "diverged" else "failed",
        "pearl.cause": failure.cause,
        "pearl.attempts": str(failure.attempts),
    }
    moment = milliseconds(failure.when)
    return _entry(failure.run, {}, tags, times=(moment, moment))


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
    if row["network"]:
        tags[NETWORK_TAG] = str(row["network"])
    return _entry(
        run,
        facts,
        tags,
        rounds=np.asarray(row["curve_t"], dtype=np.int64),
        curves={"regret": _floats(row["curve_regret"]), **_lists(row, "curve.")},
        series=_lists(row, "series."),
        times=None,
    )


def _entry(
    run: PlannedRun,
    facts: Mapping[str, Any],
    tags: Mapping[str, str],
    *,
    times: tuple[int, int] | None,
    rounds: NDArray[np.int64] = NO_ROUNDS,
    curves: Arrays | None = None,
    series: Arrays | None = None,
    files: tuple[Path, ...] = (),
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
        **({"pearl.variant": run.variant} if run.variant else {}),
        **({NETWORK_TAG: run.network.key} if run.network else {}),
        **data_tags(run),
        **words,
        **tags,
    }
    return Entry(
        key=run.key,
        experiment=run.experiment,
        title=run.title,
        name=run.name,
        description=(
            f"{run.label}, seed {run.spec.seed}, {run.length}, on {run.data_label}."
            f" Made again by `pearl reproduce {run.key[:12]}`."
        ),
        parameters={"method": run.method, **parameters(run.spec.config, run.spec.seed)},
        tags={name: value[:LONGEST_TAG] for name, value in every.items()},
        metrics={n: float(value) for n, value in facts.items() if not isinstance(value, str)},
        config=run.spec.config,
        times=times,
        rounds=rounds,
        curves=curves or {},
        series=series or {},
        files=files,
    )


def _lists(row: Mapping[str, Any], prefix: str) -> dict[str, NDArray[np.float64]]:
    """Return the lists of a row whose column begins so; a run may lack what others have."""
    return {
        name.removeprefix(prefix): _floats(values)
        for name, values in row.items()
        if name.startswith(prefix) and isinstance(values, np.ndarray | list)
    }


def _floats(values: Any) -> NDArray[np.float64]:
    return np.asarray(values, dtype=np.float64)
