"""The end of a sweep: rows into a results file, then everything into MLflow."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd

from pearl.errors import PearlError
from pearl.files import write_text
from pearl.runs import results
from pearl.runs.failures import Failure
from pearl.runs.machine import machine_facts, mixed_versions
from pearl.runs.store import RunStore
from pearl.sweeps.estimates import Estimate
from pearl.sweeps.networks import networks_behind
from pearl.sweeps.plans import Plan
from pearl.tracking.write import mark_mixed, record_failures, record_networks, record_runs


@dataclass(frozen=True)
class SweepOutcome:
    """What a sweep found, made and left; `rows` is the results file's content, None if dry.

    `mixed` names the numerical packages that the runs had in several versions. `differences` is
    None unless a stored run was made again to compare it; empty where it came out the same.
    """

    plan: Plan
    made: tuple[str, ...] = ()
    failed: tuple[Failure, ...] = ()
    rows: pd.DataFrame | None = None
    results_file: Path | None = None
    mixed: dict[str, tuple[str, ...]] | None = None
    estimate: Estimate | None = None
    differences: tuple[str, ...] | None = None

    @property
    def complete(self) -> bool:
        """Whether every run of the plan is in the rows."""
        keys = set() if self.rows is None else set(self.rows["key"])
        return keys.issuperset(run.key for run in self.plan.runs)

    def with_made(self, made: list[str]) -> SweepOutcome:
        """Return the outcome with the keys that this sweep made."""
        return replace(self, made=tuple(made))


def finish(plan: Plan) -> SweepOutcome:
    """Write the results file, then record networks, runs and failures in MLflow.

    A DVC stage's file holds exactly the plan's runs, all of them. Outside a stage it holds what
    the store has of the runs asked for and of the experiment's own (every seed of its profile),
    so that asking for a few never takes rows from the report. Seeds beyond the experiment's are
    in it only while a call asks for them.

    Raises:
        PearlError: a DVC stage isn't complete (after its runs and failures are recorded), or no
            run is there at all.
    """
    store = RunStore.of(plan.project)
    wanted = (*plan.runs, *plan.rest)
    stored = {run.key: store.read(run.key) for run in wanted if store.has(run.key)}
    lacking = [run.key for run in plan.runs if run.key not in stored]
    failed = tuple(failure for key in lacking if (failure := store.failure(key)))
    mixed = mixed_versions(run.machine for run in stored.values())
    if stored and not (plan.stage and lacking):
        users = plan.experiment.users
        rows = [results.row(stored[run.key], run, users) for run in wanted if run.key in stored]
        results.write(plan.results_file, rows)
        _write_notes(plan, len(stored), failed, mixed)
    record_networks(plan.project, networks_behind(plan, wanted))
    record_runs(plan.project, stored.values())
    record_failures(plan.project, failed)
    if mixed:
        mark_mixed(plan.project, plan.experiment.id, plan.variant, mixed)
    if plan.stage and lacking:
        raise PearlError(
            f"{plan.experiment.id}: {len(lacking)} of {len(plan.runs)} runs are missing;"
            f" {plan.results_file.relative_to(plan.project.root)} isn't written.",
            remedy=f"`pearl run {plan.experiment.id} --retry-failed` shows why, and tries again.",
        )
    return SweepOutcome(
        plan=plan,
        failed=failed,
        rows=results.read(plan.results_file) if stored else None,
        results_file=plan.results_file if stored else None,
        mixed=mixed,
    )


def mixed_if_resumed(plan: Plan) -> dict[str, tuple[str, ...]]:
    """Return the packages whose versions would be mixed if the missing runs were made now."""
    machines = [run.machine for run in (*plan.found, *plan.beside)]
    if plan.missing:
        machines.append(machine_facts(plan.project.root))
    return mixed_versions(machines)


def _write_notes(
    plan: Plan, present: int, failed: tuple[Failure, ...], mixed: dict[str, tuple[str, ...]]
) -> None:
    """Write what the rows must not hold, since it isn't determined by the settings."""
    notes = {
        "experiment": plan.experiment.id,
        "planned": len(plan.runs) + len(plan.rest),
        "present": present,
        "failed": {failure.key: failure.cause for failure in failed},
        "mixed": mixed,
    }
    folder = plan.project.store / "results" / plan.variant
    text = json.dumps(notes, indent=1, sort_keys=True, ensure_ascii=False)
    write_text(folder / f"{plan.experiment.file_stem}.json", text + "\n")
