"""An experiment's missing runs as a Prefect flow: one task a chunk, one writer at the end."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

from prefect import flow, task
from prefect.artifacts import create_markdown_artifact, create_table_artifact
from prefect.cache_policies import NO_CACHE
from prefect.futures import wait
from prefect.task_runners import ProcessPoolTaskRunner, TaskRunner, ThreadPoolTaskRunner

from pearl import sweeps
from pearl.project import Project

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
    project = Project(Path(project_root)) if project_root else Project.find()
    plan = sweeps.plan(
        project,
        experiment,
        profile=profile,
        source=source,
        seeds=seeds,
        retry_failed=stage,
        stage=stage,
    )
    print(plan.data.line)
    print(f"{len(plan.runs)} runs: {len(plan.found)} found, {len(plan.missing)} to make")
    size = math.ceil(len(plan.missing) / (workers * CHUNKS_PER_WORKER)) or 1
    chunks = sweeps.write_chunks(plan, size)
    root = str(project.root)
    try:
        numbered = enumerate(chunks, start=1)
        futures = [run_chunk.submit(root, path, n, len(chunks)) for n, path in numbered]
        wait(futures)
        made = [key for future in futures for key in future.result()]
    finally:
        sweeps.remove_chunks(chunks)
    outcome = sweeps.finish(plan).with_made(made)
    _describe(outcome)
    return {
        "experiment": experiment,
        "found": len(plan.found),
        "made": len(outcome.made),
        "failed": len(outcome.failed),
    }


def artifact_name(experiment: str) -> str:
    """Return an experiment's id in the letters that Prefect allows in an artifact's key."""
    return re.sub(r"[^a-z0-9]+", "-", experiment.lower())


def task_runner(workers: int) -> TaskRunner[Any]:
    """Return Prefect's runner of that many chunks at once: one thread, or processes."""
    if workers == 1:
        return ThreadPoolTaskRunner(max_workers=1)
    return ProcessPoolTaskRunner(max_workers=workers)


def _data(plan: sweeps.Plan) -> str:
    label = plan.data.provenance.label if plan.data.provenance else "simulated"
    return f"{plan.data.line}. {label[0].upper()}{label[1:]}."


def _describe(outcome: sweeps.SweepOutcome) -> None:
    """Leave the results in the Prefect UI: a table of final regrets, and what they stand on."""
    plan = outcome.plan
    name = artifact_name(plan.experiment.id)
    if outcome.rows is not None:
        final = outcome.rows["curve_regret"].map(lambda curve: float(curve[-1]))
        table = outcome.rows.assign(final_regret=final).groupby("label", sort=True)["final_regret"]
        rows = [
            {"method": label, "seeds": len(group), "mean final regret": round(group.mean(), 2)}
            for label, group in table
        ]
        create_table_artifact(
            rows, key=f"{name}-results", description=f"{plan.experiment.title}. {_data(plan)}"
        )
    failures = [f"- `{failure.key[:12]}` {failure.cause}" for failure in outcome.failed]
    create_markdown_artifact(
        "\n".join(
            [
                f"**{plan.experiment.title}** ({plan.experiment.id}, profile {plan.profile})",
                "",
                _data(plan),
                "",
                f"{len(plan.found)} runs found, {len(outcome.made)} made,"
                f" {len(outcome.failed)} failed.",
                *failures,
            ]
        ),
        key=f"{name}-summary",
        description=plan.experiment.question,
    )
