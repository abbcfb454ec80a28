"""One run made in this process: its entry called, its numbers checked, its machine told."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pearl.runs.failures import check_finite
from pearl.runs.pretrained import NetworkStore
from pearl.runs.spec import PlannedRun
from pearl.sweeps.networks import pretrained_arrays
from pearl.sweeps.threads import assert_one_blas_thread

if TYPE_CHECKING:
    from pearl.simulation.trajectory import Trajectory

Entry = Callable[..., "Trajectory"]


def make(
    run: PlannedRun, entry: Entry, tables: Path, facts: Mapping[str, Any], networks: NetworkStore
) -> tuple[Trajectory, dict[str, Any]]:
    """Return a run's trajectory, and `facts` of the machine with times and diagnostics.

    Where the environment pretrains, the entry gets the run's network too (None for a method
    without one); making a missing one isn't counted in the seconds. The caller holds the BLAS
    libraries at one thread.

    Raises:
        DivergedError: a number isn't finite; whatever the entry raises comes through.
    """
    further = (pretrained_arrays(networks, run, tables, facts),) if run.pretrain else ()
    started, clock = _now(), time.perf_counter()
    trajectory = entry(run.spec.config, tables, run.spec.seed, *further)
    check_finite(run, trajectory)
    assert_one_blas_thread()
    seconds = round(time.perf_counter() - clock, 3)
    times = {"started": started, "finished": _now(), "seconds": seconds, "blas_threads": 1}
    diagnostics = {"diagnostics": dict(trajectory.diagnostics)}
    return trajectory, {**facts, **times, **diagnostics}


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
