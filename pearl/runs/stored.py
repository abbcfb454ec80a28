"""A finished run on disk: its files, and a seal that tells whether they are whole."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray
from pydantic import ValidationError

from pearl.errors import PearlError
from pearl.files import sha256_of, whole_folder
from pearl.runs.spec import PlannedRun

if TYPE_CHECKING:
    from pearl.simulation.trajectory import Trajectory

FILES = ("run.json", "facts.json", "machine.json", "curve.parquet", "episodes.parquet")
SERIES = "series.parquet"
"""There only where the run has series."""
USERS = "users.parquet"
"""There only where the run tells users apart."""
SEAL = "seal.json"


class CorruptRunError(PearlError):
    """A run's folder isn't what was written."""

    def __init__(self, folder: Path, problem: str) -> None:
        self.folder = folder
        super().__init__(
            f"{folder}: this stored run is damaged: {problem}.",
            remedy=f"`pearl runs rm {folder.name[:12]} --yes` removes it; run again to make it.",
        )


@dataclass(frozen=True)
class StoredRun:
    """A run that was made; the arrays are read when asked for.

    `facts` holds the run's named scalars, `machine` where and when it was made.
    """

    folder: Path
    run: PlannedRun
    facts: dict[str, Any]
    machine: dict[str, Any]

    @property
    def key(self) -> str:
        """The run's key."""
        return self.run.key

    def regret(self) -> NDArray[np.float64]:
        """Return the cumulative pseudo-regret after each round, float64[T]."""
        return _floats(pq.read_table(self.folder / "curve.parquet", columns=["regret"])["regret"])

    def curves(self) -> dict[str, NDArray[np.float64]]:
        """Return the run's further curves by name, each float64[T]."""
        table = pq.read_table(self.folder / "curve.parquet")
        names = [name for name in table.column_names if name not in ("t", "regret")]
        return {name: _floats(table[name]) for name in names}

    def series(self) -> dict[str, NDArray[np.float64]]:
        """Return the run's series by name; empty where it has none."""
        if not (self.folder / SERIES).is_file():
            return {}
        table = pq.read_table(self.folder / SERIES)
        values = table["values"].to_pylist()
        return {
            name: np.asarray(each, dtype=np.float64)
            for name, each in zip(table["name"].to_pylist(), values, strict=True)
        }

    def users(self) -> dict[str, NDArray[np.float32]]:
        """Return what was measured of each user by name, float32[U] or [U, n]; empty without."""
        if not (self.folder / USERS).is_file():
            return {}
        table = pq.read_table(self.folder / USERS)
        found = {}
        for name, width, values in zip(
            table["name"].to_pylist(), table["width"].to_pylist(), table["values"], strict=True
        ):
            flat = np.asarray(values.values.to_numpy(), dtype=np.float32)
            found[name] = flat.reshape(-1, width) if width else flat
        return found

    def episode_starts(self) -> NDArray[np.int64]:
        """Return the rounds, from 1, at which an episode began."""
        column = pq.read_table(self.folder / "episodes.parquet").column("start")
        return np.asarray(column.to_numpy(), dtype=np.int64)


def write_run(
    folder: Path, run: PlannedRun, trajectory: Trajectory, machine: dict[str, Any]
) -> None:
    """Write a run's folder, whole or not at all; equal trajectories give equal Parquet bytes."""
    regret = np.asarray(trajectory.regret, dtype=np.float64)
    starts = np.asarray(trajectory.episode_starts, dtype=np.int64)
    rounds = np.arange(1, len(regret) + 1, dtype=np.int64)
    optional = ((SERIES, trajectory.series), (USERS, trajectory.users))
    names = (*FILES, *(name for name, content in optional if content))
    with whole_folder(folder) as temporary:
        _write_json(temporary / "run.json", {"key": run.key, **run.model_dump(mode="json")})
        _write_json(temporary / "facts.json", dict(trajectory.facts))
        _write_json(temporary / "machine.json", machine)
        curves = {"regret": regret, **_arrays(trajectory.curves)}
        # A million rounds in a third of the bytes and of the time that dictionaries take.
        pq.write_table(
            pa.table({"t": rounds, **curves}),
            temporary / "curve.parquet",
            compression="zstd",
            use_dictionary=False,
            column_encoding={
                "t": "DELTA_BINARY_PACKED",
                **dict.fromkeys(curves, "BYTE_STREAM_SPLIT"),
            },
        )
        pq.write_table(
            pa.table({"start": starts}), temporary / "episodes.parquet", compression="zstd"
        )
        if trajectory.series:
            pq.write_table(
                _series_table(_arrays(trajectory.series)),
                temporary / SERIES,
                compression="zstd",
            )
        if trajectory.users:
            pq.write_table(
                _users_table(_arrays(trajectory.users)), temporary / USERS, compression="zstd"
            )
        _write_json(temporary / SEAL, {name: sha256_of(temporary / name) for name in names})


def read_run(folder: Path) -> StoredRun:
    """Read a run's folder and check its seal.

    Raises:
        CorruptRunError: a file is missing or changed, or the key doesn't fit the folder.
    """
    seal = _read_json(folder, SEAL)
    for name in {**dict.fromkeys(FILES), **seal}:
        if not (folder / name).is_file():
            raise CorruptRunError(folder, f"{name} is missing")
        if sha256_of(folder / name) != seal.get(name):
            raise CorruptRunError(folder, f"{name} is not what was written")
    for name in (SERIES, USERS):
        if name not in seal and (folder / name).exists():
            raise CorruptRunError(folder, f"{name} is not what was written")
    content = _read_json(folder, "run.json")
    key = content.pop("key", None)
    try:
        run = PlannedRun.model_validate(content)
    except ValidationError as error:
        raise CorruptRunError(folder, f"run.json: {error.errors()[0]['msg']}") from error
    if not (key == run.key == folder.name):
        raise CorruptRunError(folder, f"it holds the run {run.key}")
    return StoredRun(
        folder, run, _read_json(folder, "facts.json"), _read_json(folder, "machine.json")
    )


def _arrays(named: Mapping[str, NDArray[np.float64]]) -> dict[str, NDArray[np.float64]]:
    """Return arrays as float64, sorted by name."""
    return {name: np.asarray(named[name], dtype=np.float64) for name in sorted(named)}


def _series_table(series: Mapping[str, NDArray[np.float64]]) -> pa.Table:
    """Return series of any lengths as one table, a row a series."""
    kinds = pa.schema([("name", pa.string()), ("values", pa.list_(pa.float64()))])
    return pa.table({"name": list(series), "values": list(series.values())}, schema=kinds)


def _users_table(users: Mapping[str, NDArray[np.float64]]) -> pa.Table:
    """Return arrays of one row a user as one table; `width` is 0 where a user has one number."""
    kinds = pa.schema(
        [("name", pa.string()), ("width", pa.int32()), ("values", pa.list_(pa.float32()))]
    )
    values = [single(each).reshape(-1) for each in users.values()]
    widths = [each.shape[1] if each.ndim == 2 else 0 for each in users.values()]
    return pa.table({"name": list(users), "width": widths, "values": values}, schema=kinds)


def single(values: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return numbers in single precision: how what is measured of users is kept."""
    return np.asarray(values, dtype=np.float32)


def _floats(column: pa.ChunkedArray) -> NDArray[np.float64]:
    return np.asarray(column.to_numpy(), dtype=np.float64)


def _write_json(path: Path, content: dict[str, Any]) -> None:
    text = json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False, allow_nan=False)
    path.write_text(text + "\n", encoding="utf-8")


def _read_json(folder: Path, name: str) -> dict[str, Any]:
    try:
        content = json.loads((folder / name).read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise CorruptRunError(folder, f"{name} is missing") from error
    except ValueError as error:
        raise CorruptRunError(folder, f"{name} is not JSON") from error
    if not isinstance(content, dict):
        raise CorruptRunError(folder, f"{name} holds no named values")
    return content
