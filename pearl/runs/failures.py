"""Runs that failed: why, how often, with the traceback; kept apart from the finished ones."""

from __future__ import annotations

import traceback
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, ValidationError

from pearl.errors import PearlError
from pearl.files import write_text
from pearl.runs.spec import PlannedRun

if TYPE_CHECKING:
    from pearl.simulation.trajectory import Trajectory


class DivergedError(PearlError):
    """A run produced a number that isn't finite."""


class Failure(BaseModel):
    """The last failed attempt at a run."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    run: PlannedRun
    kind: Literal["error", "diverged"]
    cause: str
    traceback: str
    attempts: int
    when: str

    @property
    def key(self) -> str:
        """The run's key."""
        return self.run.key


def check_finite(run: PlannedRun, trajectory: Trajectory) -> None:
    """Refuse a trajectory with a wrong length, a name used twice or a number that isn't finite.

    Raises:
        DivergedError: names the run and the first such round, place or fact.
        PearlError: a curve hasn't one value a round, or two parts have one name.
    """
    regret = np.asarray(trajectory.regret)
    wanted = (run.horizon,) if run.horizon_unit == "rounds" else (regret.size,)
    curves = {"regret": regret, **trajectory.curves}
    for name, curve in curves.items():
        if np.shape(curve) != wanted or regret.size == 0:
            raise PearlError(f"{run.name}: {name} has shape {np.shape(curve)}, not {wanted}.")
        _check_array(run, name, np.asarray(curve), "round")
    for name, values in trajectory.series.items():
        if np.ndim(values) != 1:
            raise PearlError(f"{run.name}: {name} has shape {np.shape(values)}, not one dimension.")
        _check_array(run, name, np.asarray(values), "place")
    for name, values in trajectory.users.items():
        if np.ndim(values) not in (1, 2):
            raise PearlError(f"{run.name}: {name} has shape {np.shape(values)}, not a row a user.")
        _check_array(run, name, np.asarray(values).reshape(-1), "place")
    names = ["t", "regret", *trajectory.curves, *trajectory.series, *trajectory.facts]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise PearlError(f"{run.name}: two parts have the name {', '.join(twice)}.")
    for name, value in [*trajectory.facts.items(), *trajectory.diagnostics.items()]:
        if isinstance(value, float) and not np.isfinite(value):
            raise DivergedError(f"{run.name}: diverged, {name} is {value}.")


def _check_array(run: PlannedRun, name: str, values: NDArray[np.float64], place: str) -> None:
    wrong = np.flatnonzero(~np.isfinite(values))
    if len(wrong):
        at = int(wrong[0])
        raise DivergedError(f"{run.name}: diverged, {name} is {values[at]} in {place} {at + 1}.")


def write_failure(folder: Path, run: PlannedRun, error: Exception) -> Failure:
    """Write down a failed attempt in `folder`, counting the earlier ones, and return it."""
    earlier = read_failure(folder / f"{run.key}.json")
    failure = Failure(
        run=run,
        kind="diverged" if isinstance(error, DivergedError) else "error",
        cause=f"{type(error).__name__}: {error}",
        traceback="".join(traceback.format_exception(error)),
        attempts=1 + (earlier.attempts if earlier else 0),
        when=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    write_text(folder / f"{run.key}.json", failure.model_dump_json(indent=1) + "\n")
    return failure


def read_failure(path: Path) -> Failure | None:
    """Return the failure in a file, None where there is no file.

    Raises:
        PearlError: the file isn't a failure that pearl wrote.
    """
    try:
        return Failure.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except ValidationError as error:
        raise PearlError(
            f"{path}: this record of a failed run is damaged.",
            remedy="Delete it: `pearl gc` lists it, `pearl gc --yes` clears it away.",
        ) from error
