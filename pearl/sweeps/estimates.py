"""How long a plan will take and how much it will keep, judged by runs that were made here."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median

from pearl.project import Project
from pearl.runs.store import RunStore
from pearl.sweeps.plans import Plan

# A round of a curve is an index and a float64; compression is left out of account.
BYTES_A_ROUND = 16


@dataclass(frozen=True)
class Estimate:
    """Seconds on `workers` processes, None where no run like it was made; bytes at most.

    `unknown` names the methods without a measured run.
    """

    runs: int
    seconds: float | None
    most_bytes: int
    unknown: tuple[str, ...]


def estimate(plan: Plan, *, workers: int = 1) -> Estimate:
    """Judge the missing runs by the same environment and method, in proportion to T."""
    rates: dict[tuple[str, str], list[float]] = defaultdict(list)
    for kind, method, horizon, seconds in _measured(plan.project):
        rates[kind, method].append(seconds / horizon)
    total, unknown = 0.0, set()
    for run in plan.missing:
        known = rates.get((run.kind, run.method))
        if known:
            total += median(known) * run.horizon
        else:
            unknown.add(run.label)
    lanes = max(1, min(workers, len(plan.missing)))
    return Estimate(
        runs=len(plan.missing),
        seconds=None if unknown else total / lanes,
        most_bytes=sum(run.horizon for run in plan.missing) * BYTES_A_ROUND,
        unknown=tuple(sorted(unknown)),
    )


def _measured(project: Project) -> Iterator[tuple[str, str, int, float]]:
    store = RunStore.of(project)
    for key in store.all_keys():
        try:
            run = json.loads((store.path(key) / "run.json").read_text(encoding="utf-8"))
            machine = json.loads((store.path(key) / "machine.json").read_text(encoding="utf-8"))
            config = run["spec"]["config"]
            kind = str(config["environment"]["kind"])
            yield kind, str(run["method"]), int(config["horizon"]), float(machine["seconds"])
        except (OSError, ValueError, KeyError, TypeError):
            # A damaged run is named where it is read; it says nothing about time.
            continue
