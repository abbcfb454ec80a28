"""`make reproduce`: every stage that is out of date, watched by one Prefect server."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from flows.server import end_on_sigterm, running_server
from pearl.errors import PearlError
from pearl.project import Project

ENDING = """
Report      {report}
MLflow UI   make mlflow-ui     then open http://127.0.0.1:5000/#/experiments?workflowType=machine_learning
Prefect UI  make prefect-ui    then open http://127.0.0.1:4200
"""


def main() -> int:
    """Run what is missing; return a process exit status."""
    end_on_sigterm()
    project = Project.find()
    if stages_are_current(project):
        print("Every stage is up to date.")
    else:
        try:
            with running_server(project) as variables:
                path = f"{Path(sys.executable).parent}{os.pathsep}{variables['PATH']}"
                subprocess.run(
                    [sys.executable, "-m", "dvc", "repro"],
                    cwd=project.root,
                    env={**variables, "PATH": path},
                    check=True,
                )
        except subprocess.CalledProcessError as error:
            print("dvc repro failed; what it printed above says where.", file=sys.stderr)
            return error.returncode
        except PearlError as error:
            print(error, file=sys.stderr)
            return 1
    sync_tracking(project)
    print(ENDING.format(report=(project.reports / "index.html").relative_to(project.root)))
    return 0


def stages_are_current(project: Project) -> bool:
    """Whether `dvc repro` would do nothing."""
    status = subprocess.run(
        [sys.executable, "-m", "dvc", "status", "--quiet"],
        cwd=project.root,
        check=False,
    )
    return status.returncode == 0


def sync_tracking(project: Project) -> None:
    """Make MLflow hold every finished run, also those that DVC restored without running."""
    from pearl.tracking import sync

    sync(project)


if __name__ == "__main__":
    sys.exit(main())
