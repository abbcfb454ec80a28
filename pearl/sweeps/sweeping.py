"""A whole sweep in one call: plan, make what is missing, finish."""

from __future__ import annotations

from collections.abc import Callable

from pearl.errors import SettingError
from pearl.project import Project
from pearl.sweeps.again import make_again
from pearl.sweeps.estimates import Counted, estimate
from pearl.sweeps.outcomes import SweepOutcome, finish
from pearl.sweeps.plans import Plan, plan
from pearl.sweeps.runners import Runner, execute


def sweep(
    project: Project,
    experiment_id: str,
    *,
    profile: str | None = None,
    source: str | None = None,
    runner: Runner = "serial",
    workers: int = 2,
    seeds: str | None = None,
    only: str | None = None,
    retry_failed: bool = False,
    again: bool = False,
    dry_run: bool = False,
    stage: bool = False,
    announce: Callable[[Plan], None] | None = None,
    counted: Counted | None = None,
) -> SweepOutcome:
    """Make the missing runs of an experiment, write its results file, track everything.

    Arguments as in `plan` and `execute`; `announce` is called with the plan before any run is
    made; with `dry_run` the outcome holds the plan and an estimate and nothing is made, not even
    tables; what earlier dry runs `counted` isn't estimated twice. With `again` the one run of
    `only` is made even if it is stored: then beside the store, which stays as it is, and the
    outcome says what differs.
    """
    if again and only is None:
        raise SettingError("--again makes one run again.", remedy="Name its key: --only KEY.")
    todo = plan(
        project,
        experiment_id,
        profile=profile,
        source=source,
        seeds=seeds,
        only=only,
        retry_failed=retry_failed or again,
        stage=stage,
        dry=dry_run,
    )
    if announce:
        announce(todo)
    if dry_run:
        lanes = workers if runner == "processes" else 1
        judged = estimate(todo, workers=lanes, counted=counted)
        return SweepOutcome(plan=todo, failed=todo.failed, estimate=judged)
    if again and todo.found:
        return SweepOutcome(plan=todo, differences=make_again(todo))
    made = execute(todo, runner=runner, workers=workers)
    return finish(todo).with_made(made)


def refresh_results(
    project: Project,
    experiment_id: str,
    *,
    runner: Runner = "serial",
    workers: int = 2,
    announce: Callable[[Plan], None] | None = None,
) -> SweepOutcome:
    """Do what the DVC stage of an experiment does: results/<x>.parquet from tables/ and params.

    A run that failed before is tried again: the stage's code or data may have been mended.

    Raises:
        PearlError: a run fails; the results file isn't written then.
    """
    return sweep(
        project,
        experiment_id,
        runner=runner,
        workers=workers,
        retry_failed=True,
        stage=True,
        announce=announce,
    )
