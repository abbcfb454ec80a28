"""What a DVC experiment stage runs: a flow where a Prefect server is named, else in process."""

from __future__ import annotations

import argparse
import os
import re
import sys

from rich.console import Console

from pearl import sweeps
from pearl.cli import INTERRUPTED, without_traceback
from pearl.cli.run_view import announce
from pearl.errors import SettingError
from pearl.experiments import load_environment, load_exhibits, load_experiment
from pearl.project import Project
from pearl.sweeps.measuring import measure


def main() -> int:
    """Write results/<experiment>.parquet; return a process exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("experiment", help="such as memory/figure1e")
    experiment = parser.parse_args().experiment
    with without_traceback():
        project, workers = Project.find(), worker_count()
        if (exhibit := load_exhibits().get(experiment)) is not None:
            # Seconds of reading: no flow is worth its while.
            measure(project, exhibit, stage=True, announce=print)
            return 0
        try:
            if os.environ.get("PREFECT_API_URL"):
                _as_flow(project, experiment, workers)
            else:
                _in_process(project, experiment, workers)
        except KeyboardInterrupt:
            print("Stopped. Finished runs are kept; `dvc repro` goes on.", file=sys.stderr)
            return INTERRUPTED
    return 0


def worker_count() -> int:
    """Return PEARL_WORKERS, or the processors that this process may use where it isn't set.

    Raises:
        SettingError: it is set to something that isn't a count.
    """
    word = os.environ.get("PEARL_WORKERS", "").strip()
    if not word:
        return len(os.sched_getaffinity(0))
    if not re.fullmatch("[0-9]{1,6}", word) or int(word) < 1:
        raise SettingError(
            f"PEARL_WORKERS={word} is no count of processes.",
            remedy="Set it to a whole number from 1, or unset it to use every processor.",
        )
    return int(word)


def _as_flow(project: Project, experiment: str, workers: int) -> None:
    # Prefect is imported only here: without a server the stage needs none of it.
    from flows.chunks import task_runner
    from flows.online import online
    from flows.sweep import sweep

    environment = load_environment(load_experiment(experiment, project).environment, project)
    flow = sweep if environment.pretrain is None else online
    run = flow.with_options(task_runner=task_runner(workers))
    done = run(experiment, workers=workers, stage=True, project_root=str(project.root))
    print(f"{done['experiment']}: {done['found']} runs found, {done['made']} made")


def _in_process(project: Project, experiment: str, workers: int) -> None:
    console = Console()
    outcome = sweeps.refresh_results(
        project,
        experiment,
        runner="processes" if workers > 1 else "serial",
        workers=workers,
        announce=lambda plan: announce(console, plan),
    )
    console.print(f"{experiment}: {len(outcome.plan.found)} found, {len(outcome.made)} made")


if __name__ == "__main__":
    sys.exit(main())
