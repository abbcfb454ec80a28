"""How long a plan will take and how much it will keep, judged by what was made here."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import TypeVar

from pearl.project import Project
from pearl.runs.pretrained import NetworkStore
from pearl.runs.spec import PlannedNetwork, PlannedRun
from pearl.runs.store import RunStore
from pearl.sweeps.networks import missing_networks
from pearl.sweeps.plans import Plan

# A round of a curve is an index and a float64; compression is left out of account.
BYTES_A_ROUND = 16
Planned = TypeVar("Planned", PlannedRun, PlannedNetwork)


@dataclass(frozen=True)
class Estimate:
    """Seconds on `workers` processes, None where nothing like it was made; bytes at most.

    `networks` are to be pretrained before the runs. `shared` counts missing runs that are counted
    with another experiment already, by its id. `unknown` names the methods without a measured
    run, and "pretraining" without a measured network; `most_bytes` is None where a round count
    isn't known before the runs.
    """

    runs: int
    networks: int
    seconds: float | None
    most_bytes: int | None
    unknown: tuple[str, ...]
    shared: tuple[tuple[str, int], ...] = ()

    @classmethod
    def total(cls, parts: Sequence[Estimate]) -> Estimate:
        """Add up estimates of experiments that are made one after the other."""
        seconds = [one.seconds for one in parts if one.seconds is not None]
        sizes = [one.most_bytes for one in parts if one.most_bytes is not None]
        return cls(
            runs=sum(one.runs for one in parts),
            networks=sum(one.networks for one in parts),
            seconds=sum(seconds) if len(seconds) == len(parts) else None,
            most_bytes=sum(sizes) if len(sizes) == len(parts) else None,
            unknown=tuple(sorted({name for one in parts for name in one.unknown})),
        )


@dataclass
class Counted:
    """What earlier experiments of one dry run need already: by key, whose it is."""

    runs: dict[str, str] = field(default_factory=dict)
    networks: dict[str, str] = field(default_factory=dict)


@dataclass
class _Measured:
    """Seconds and bytes a unit of the horizon, by what decides them; seconds a network."""

    seconds: dict[tuple[str, ...], list[float]] = field(default_factory=lambda: defaultdict(list))
    sizes: dict[tuple[str, ...], list[float]] = field(default_factory=lambda: defaultdict(list))
    networks: dict[tuple[str, ...], list[float]] = field(default_factory=lambda: defaultdict(list))


def estimate(plan: Plan, *, workers: int = 1, counted: Counted | None = None) -> Estimate:
    """Judge what is missing by the same environment and method, in proportion to the horizon.

    An epoch is as long as the data makes it, so where the horizon counts epochs only runs on the
    same data count. What is `counted` already is left out; the rest is added to it.
    """
    counted = counted or Counted()
    shared = Counter(counted.runs[run.key] for run in plan.missing if run.key in counted.runs)
    missing = [run for run in plan.missing if run.key not in counted.runs]
    networks = [one for one in missing_networks(plan) if one.key not in counted.networks]
    counted.runs |= {run.key: plan.experiment.id for run in missing}
    counted.networks |= {one.key: plan.experiment.id for one in networks}
    measured = _measure(plan.project)
    runs, unknown, most_bytes = 0.0, set(), 0.0
    sized = True
    for run in missing:
        known = measured.seconds.get(_like(run))
        if known:
            runs += median(known) * run.horizon
        else:
            unknown.add(run.label)
        if run.horizon_unit == "rounds":
            most_bytes += run.horizon * BYTES_A_ROUND
        elif sizes := measured.sizes.get(_like(run)):
            most_bytes += max(sizes) * run.horizon
        else:
            sized = False
    trained = 0.0
    for network in networks:
        if seconds := measured.networks.get((network.kind, network.spec.data)):
            trained += median(seconds)
        else:
            unknown.add("pretraining")
    lanes = max(1, min(workers, len(missing)))
    trainers = max(1, min(workers, len(networks)))
    return Estimate(
        runs=len(missing),
        networks=len(networks),
        seconds=None if unknown else runs / lanes + trained / trainers,
        most_bytes=round(most_bytes) if sized else None,
        unknown=tuple(sorted(unknown)),
        shared=tuple(sorted(shared.items())),
    )


def _like(run: PlannedRun) -> tuple[str, ...]:
    data = run.spec.data if run.horizon_unit == "epochs" else ""
    return run.kind, run.method, data


def _measure(project: Project) -> _Measured:
    found, store, networks = _Measured(), RunStore.of(project), NetworkStore.of(project)
    for key in store.all_keys():
        if (read := _read(store.path(key), "run.json", PlannedRun)) is None:
            continue
        run, seconds = read
        size = sum(file.stat().st_size for file in store.path(key).iterdir())
        found.seconds[_like(run)].append(seconds / run.horizon)
        found.sizes[_like(run)].append(size / run.horizon)
    for key in networks.all_keys():
        if (made := _read(networks.path(key), "spec.json", PlannedNetwork)) is not None:
            network, seconds = made
            found.networks[network.kind, network.spec.data].append(seconds)
    return found


def _read(folder: Path, name: str, model: type[Planned]) -> tuple[Planned, float] | None:
    """Return what was made and its seconds; None for a damaged one, named where it is read."""
    try:
        content = json.loads((folder / name).read_text(encoding="utf-8"))
        machine = json.loads((folder / "machine.json").read_text(encoding="utf-8"))
        content.pop("key", None)
        return model.model_validate(content), float(machine["seconds"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
