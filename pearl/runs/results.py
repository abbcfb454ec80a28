"""Results: a plan's runs as one Parquet file, its bytes determined by the runs alone.

No times, no machine, no paths: the same runs give the same file on every machine that has the
same pyarrow.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from pearl.errors import DataError
from pearl.files import whole_file
from pearl.runs.canonical import canonical
from pearl.runs.spec import PlannedRun
from pearl.runs.stored import StoredRun

CURVE_POINTS = 200
FIXED = [
    ("key", pa.string()),
    ("experiment", pa.string()),
    ("profile", pa.string()),
    ("method", pa.string()),
    ("label", pa.string()),
    ("seed", pa.int64()),
    ("settings", pa.string()),
    ("horizon", pa.int64()),
    ("data_source", pa.string()),
    ("data_fingerprint", pa.string()),
    ("provenance", pa.string()),
    ("name", pa.string()),
    ("config", pa.string()),
    ("code", pa.string()),
]
# Columns that files made by earlier versions lack: no variants and no networks then.
LATER = [("variant", pa.string()), ("network", pa.string())]
USERS = "user."
"""Columns of one number a user, or of a row of numbers a user, one user after the other."""
TOTAL = ".total"
LISTS = ("curve.", "series.", USERS)
PARTS = ("metric.", "fact.", *LISTS)
CURVES = [
    ("curve_t", pa.list_(pa.int64())),
    ("curve_regret", pa.list_(pa.float64())),
    ("episode_starts", pa.list_(pa.int64())),
]


def curve_rounds(horizon: int) -> NDArray[np.int64]:
    """Return at most 200 rounds from 1 to T: half log-spaced, half multiples of T/100."""
    half = CURVE_POINTS // 2
    even = np.linspace(0, horizon, half + 1)[1:]
    points = np.concatenate([np.geomspace(1, horizon, half), np.maximum(even, 1)])
    return np.unique(np.rint(points).astype(np.int64))


def row(stored: StoredRun, planned: PlannedRun, users: Collection[str] = ()) -> dict[str, Any]:
    """Return a stored run as one row of the experiment that planned it, in the plan's words.

    Args:
        stored: the run.
        planned: whose words the row has.
        users: which of the things measured of each user the row holds; "reward.total" is a user's
            sum of what "reward" has by epoch.
    """
    run = planned
    environment = run.spec.config["environment"]
    regret = stored.regret()
    rounds = curve_rounds(len(regret))
    parts: dict[str, Any] = {}
    for name, value in stored.facts.items():
        kind = "fact" if isinstance(value, str) else "metric"
        parts[f"{kind}.{name}"] = _printed(value)
    for name, curve in stored.curves().items():
        parts[f"curve.{name}"] = _all_printed(curve[rounds - 1])
    for name, values in stored.series().items():
        parts[f"series.{name}"] = _all_printed(values)
    if users:
        kept = stored.users()
        for name in users:
            base = name.removesuffix(TOTAL)
            if base in kept:
                parts[f"{USERS}{name}"] = _of_users(kept[base], total=name != base)
    return {
        "key": run.key,
        "experiment": run.experiment,
        "profile": run.profile,
        "method": run.method,
        "label": run.label,
        "seed": run.spec.seed,
        "settings": canonical({n: value for n, value in environment.items() if n != "kind"}),
        "horizon": run.horizon,
        "data_source": run.data_source,
        "data_fingerprint": run.spec.data,
        "provenance": canonical(run.provenance),
        "name": run.name,
        "config": canonical(run.spec.config),
        "code": run.spec.code,
        "variant": run.variant,
        "network": run.network.key if run.network else "",
        **parts,
        "curve_t": rounds,
        "curve_regret": regret[rounds - 1],
        "episode_starts": stored.episode_starts(),
    }


def _of_users(values: NDArray[np.float32], *, total: bool) -> NDArray[np.float32]:
    if not total:
        return values.reshape(-1)
    # One epoch after the other, so that the sum is the same everywhere.
    added = np.zeros(len(values))
    for column in values.T:
        added += column
    return added.astype(np.float32)


def table(rows: Iterable[dict[str, Any]]) -> pa.Table:
    """Return rows as a table sorted by key.

    Whole numbers make an int64 column, others float64, curves and series lists of float64, what was
    measured of users lists of float32; what a run lacks is null.
    """
    ordered = sorted(rows, key=lambda each: str(each["key"]))
    parts = sorted({name for each in ordered for name in each if name.startswith(PARTS)})
    fields = [*FIXED, *LATER, *((name, _type(ordered, name)) for name in parts), *CURVES]
    columns = [pa.array([each.get(name) for each in ordered], type=kind) for name, kind in fields]
    return pa.Table.from_arrays(columns, schema=pa.schema(fields))


def _printed(value: Any) -> Any:
    """Return a float with nine significant digits: what is the same on every machine."""
    return float(f"{value:.9g}") if isinstance(value, float) else value


def _all_printed(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.array([_printed(value) for value in values.tolist()], dtype=np.float64)


def frame(rows: Iterable[dict[str, Any]]) -> pd.DataFrame:
    """Return rows as a data frame sorted by key."""
    made: pd.DataFrame = table(rows).to_pandas()
    return made


def list_columns(rows: pd.DataFrame) -> list[str]:
    """Return the columns that hold a list a run: curves and series."""
    fixed = [name for name, _ in CURVES]
    return [*fixed, *(name for name in rows.columns if str(name).startswith(LISTS))]


def headline(rows: pd.DataFrame) -> tuple[str, pd.Series[float], int]:
    """Return what tells most of a run in one number: its name, a value a run, the decimals shown.

    The mean reward where every run has one, else the final regret.
    """
    if "metric.mean_reward" in rows and rows["metric.mean_reward"].notna().all():
        return "mean reward", rows["metric.mean_reward"].astype(float), 4
    return "final regret", rows["curve_regret"].map(lambda curve: float(curve[-1])), 2


def write(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    """Write rows sorted by key, whole or not at all."""
    with whole_file(path) as temporary:
        pq.write_table(table(rows), temporary, compression="zstd")


def read(path: Path) -> pd.DataFrame:
    """Return a results file, one row a run, sorted by key.

    Raises:
        DataError: the file is missing, isn't Parquet, or lacks a column.
    """
    remedy = "Make it with `dvc repro` or `pearl run`."
    if not path.is_file():
        raise DataError(path, "there is no such file", remedy=remedy)
    try:
        found = pq.read_table(path)
    except (pa.ArrowInvalid, OSError) as error:
        raise DataError(path, f"not readable as Parquet: {error}", remedy=remedy) from error
    for name, _ in [*FIXED, *CURVES]:
        if name not in found.column_names:
            raise DataError(path, "not a results file of pearl", field=name, remedy=remedy)
    for name, kind in LATER:
        if name not in found.column_names:
            found = found.append_column(name, pa.array([""] * len(found), type=kind))
    made: pd.DataFrame = found.to_pandas()
    return made


def _type(rows: list[dict[str, Any]], name: str) -> pa.DataType:
    if name.startswith(USERS):
        return pa.list_(pa.float32())
    if name.startswith(LISTS):
        return pa.list_(pa.float64())
    values = [each[name] for each in rows if each.get(name) is not None]
    if any(isinstance(value, str) for value in values):
        return pa.string()
    return pa.int64() if all(isinstance(value, int) for value in values) else pa.float64()
