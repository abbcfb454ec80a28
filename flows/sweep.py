"""An experiment's missing runs as a Prefect flow: one task a chunk, one writer at the end."""

from __future__ import annotations

import math
from typing import Any

from prefect import flow, task
from prefect.cache_policies import NO_CACHE

from flows.chunks import described, make, planned, project_at
from pearl import sweeps

CHUNKS_PER_WORKER = 16


@task(task_run_name="chunk {number} of {count}", cache_policy=NO_CACHE)
def run_chunk(project_root: str, chunk_file: str, number: int, count: int) -> list[str]:
    """Make the runs of one chunk that are still missing; return their keys."""
    return sweeps.execute_chunk(project_root, chunk_file)


@flow(name="sweep", flow_run_name="{experiment}", log_prints=True)
def sweep(
    experiment: str,
    profile: str | None = None,
    source: str | None = None,
    seeds: str | None = None,
    workers: int = 1,
    stage: bool = False,
    project_root: str | None = None,
) -> dict[str, Any]:
    """Make an experiment's missing runs, write its results file and track everything.

    Args:
        experiment: its id, such as memory/figure1e.
        profile: smoke, sample or paper; params.yaml's by default.
        source: hub, mirror or sample; as params.yaml or the profile say by default.
        seeds: such as 0-2 or 0,3,5; the experiment's own by default.
        workers: how many chunks are made at once, by the task runner of the flow.
        stage: read params.yaml alone and write results/, as the DVC stage does.
        project_root: the project's folder; the one around the working folder by default.
    """
    project = project_at(project_root)
    plan = planned(project, experiment, profile, source, seeds, stage=stage)
    return finished(plan, workers)


def finished(plan: sweeps.Plan, workers: int) -> dict[str, Any]:
    """Make a plan's missing runs as tasks of the flow around, and finish the sweep."""
    size = math.ceil(len(plan.missing) / (workers * CHUNKS_PER_WORKER)) or 1
    made = make(run_chunk, plan.project, sweeps.write_chunks(plan, size))
    return described(sweeps.finish(plan).with_made(made))
