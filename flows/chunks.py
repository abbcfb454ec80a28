"""What the flows share: a plan, tasks that each do one chunk file, artifacts of the outcome."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from prefect import Task
from prefect.artifacts import create_markdown_artifact, create_table_artifact
from prefect.futures import wait
from prefect.task_runners import ProcessPoolTaskRunner, TaskRunner, ThreadPoolTaskRunner

from pearl import sweeps
from pearl.project import Project
from pearl.runs.results import headline

ChunkTask = Task[[str, str, int, int], list[str]]


def project_at(root: str | None) -> Project:
    """Return the project in a folder, the one around the working folder by default."""
    return Project(Path(root)) if root else Project.find()


def planned(
    project: Project,
    experiment: str,
    profile: str | None,
    source: str | None,
    seeds: str | None,
    *,
    stage: bool,
) -> sweeps.Plan:
    """Plan an experiment's runs and print what there is to do."""
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
    return plan


def make(task: ChunkTask, project: Project, chunks: Sequence[str]) -> list[str]:
    """Do every chunk file as a task of the flow, remove the files, and return the keys made."""
    root = str(project.root)
    try:
        numbered = enumerate(chunks, start=1)
        futures = [task.submit(root, path, n, len(chunks)) for n, path in numbered]
        wait(futures)
        return [key for future in futures for key in future.result()]
    finally:
        sweeps.remove_chunks(list(chunks))


def artifact_name(experiment: str) -> str:
    """Return an experiment's id in the letters that Prefect allows in an artifact's key."""
    return re.sub(r"[^a-z0-9]+", "-", experiment.lower())


def task_runner(workers: int) -> TaskRunner[Any]:
    """Return Prefect's runner of that many chunks at once: one thread, or processes."""
    if workers == 1:
        return ThreadPoolTaskRunner(max_workers=1)
    return ProcessPoolTaskRunner(max_workers=workers)


def described(outcome: sweeps.SweepOutcome) -> dict[str, Any]:
    """Leave the results in the Prefect UI and return the counts.

    A table of the headline number by method and setting, and what it stands on.
    """
    plan = outcome.plan
    name = artifact_name(plan.experiment.id)
    if outcome.rows is not None:
        number, values, decimals = headline(outcome.rows)
        settings = outcome.rows["name"].map(lambda run: ", ".join(run.split(" · ")[1:-1]))
        told = outcome.rows.assign(number=values, setting=settings)
        rows = [
            {
                "method": label,
                **({"setting": setting} if setting else {}),
                "seeds": len(group),
                number if number.startswith("mean") else f"mean {number}": round(
                    float(group.mean()), decimals
                ),
            }
            for (label, setting), group in told.groupby(["label", "setting"])["number"]
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
    return {
        "experiment": plan.experiment.id,
        "found": len(plan.found),
        "made": len(outcome.made),
        "failed": len(outcome.failed),
    }


def _data(plan: sweeps.Plan) -> str:
    label = plan.data.provenance.label if plan.data.provenance else "simulated"
    return f"{plan.data.line}. {label[0].upper()}{label[1:]}."
