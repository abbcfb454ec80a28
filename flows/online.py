"""Runs that start from pretrained networks, as a Prefect flow: the networks first, then chunks."""

from __future__ import annotations

from typing import Any

from prefect import flow

from flows.chunks import planned, project_at, task_runner
from flows.pretrain import pretrain
from flows.sweep import finished
from pearl.sweeps.networks import missing_networks


@flow(name="online", flow_run_name="{experiment}", log_prints=True)
def online(
    experiment: str,
    profile: str | None = None,
    source: str | None = None,
    seeds: str | None = None,
    workers: int = 1,
    stage: bool = False,
    project_root: str | None = None,
) -> dict[str, Any]:
    """Make an experiment's missing networks and runs, write its results and track everything.

    Args:
        experiment: its id, such as pearl/table05.
        profile: smoke, sample or paper; params.yaml's by default.
        source: hub, mirror or sample; as params.yaml or the profile say by default.
        seeds: such as 0-2 or 0,3,5; the experiment's own by default.
        workers: how many networks or chunks are made at once, by the task runners of the flows.
        stage: read params.yaml alone and write results/, as the DVC stage does.
        project_root: the project's folder; the one around the working folder by default.
    """
    project = project_at(project_root)
    plan = planned(project, experiment, profile, source, seeds, stage=stage)
    if networks := missing_networks(plan):
        runner = task_runner(min(workers, len(networks)))
        pretrain.with_options(task_runner=runner)(
            experiment, profile, source, seeds, stage, project_root
        )
    return finished(plan, workers)
