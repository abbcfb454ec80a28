"""`pearl doctor`: is everything here that pearl needs, and how to get what is not."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from pearl.errors import PearlError
from pearl.project import Project

TESTED_PYTHONS = ((3, 11),)
LEAST_FREE_BYTES = 1_000_000_000
PACKAGES = ("numpy", "scipy", "numba", "pandas", "torch", "prefect", "dvc", "mlflow", "datasets")


@dataclass(frozen=True)
class Finding:
    """One line of the doctor's table; `remedy` is empty where all is well."""

    subject: str
    state: str
    remedy: str = ""

    @property
    def well(self) -> bool:
        """Whether nothing has to be done."""
        return not self.remedy


def examine(project: Project) -> list[Finding]:
    """Return the findings on environment, project, store, data and MLflow, in that order."""
    checks: list[Callable[[Project], list[Finding]]] = [
        _python,
        _packages,
        _git,
        _disk,
        _stages,
        _data,
        _runs,
        _tracking,
    ]
    return [finding for check in checks for finding in check(project)]


def _python(_: Project) -> list[Finding]:
    version = ".".join(map(str, sys.version_info[:3]))
    tested = ", ".join(f"{major}.{minor}" for major, minor in TESTED_PYTHONS)
    remedy = "" if sys.version_info[:2] in TESTED_PYTHONS else f"pearl is tested on {tested}."
    return [Finding("Python", version, remedy)]


def _packages(project: Project) -> list[Finding]:
    pins = _pins(project.root / "constraints.txt")
    findings = []
    for name in PACKAGES:
        try:
            version = metadata.version(name)
        except metadata.PackageNotFoundError:
            findings.append(Finding(name, "missing", "make install"))
            continue
        pinned = pins.get(name)
        same = pinned is None or version.split("+")[0] == pinned
        remedy = "" if same else f"constraints.txt pins {pinned}: make install"
        findings.append(Finding(name, version, remedy))
    return findings


def _pins(constraints: Path) -> dict[str, str]:
    if not constraints.is_file():
        return {}
    lines = (line.partition("==") for line in constraints.read_text().splitlines())
    return {name.strip().lower(): version.strip() for name, mark, version in lines if mark}


def _git(project: Project) -> list[Finding]:
    if not shutil.which("git"):
        return [Finding("git", "missing", "Install git: runs record the commit they come from.")]
    head = subprocess.run(
        ["git", "-C", str(project.root), "rev-parse", "--short", "HEAD"],
        capture_output=True,
        text=True,
        check=False,
    )
    if head.returncode:
        return [Finding("git", "no commit", "Clone pearl with git: runs record their commit.")]
    return [Finding("git", f"at {head.stdout.strip()}")]


def _disk(project: Project) -> list[Finding]:
    free = shutil.disk_usage(project.root).free
    remedy = "" if free >= LEAST_FREE_BYTES else "Free some: `pearl gc` lists what may go."
    return [Finding("free disk", f"{free / 1e9:.1f} GB", remedy)]


def _stages(project: Project) -> list[Finding]:
    missing = [name for name in ("raw", "tables", "results") if not (project.root / name).is_dir()]
    if missing:
        return [Finding("DVC stages", f"not made yet: {', '.join(missing)}", "dvc repro")]
    return [Finding("DVC stages", "made (`dvc status` says whether they are current)")]


def _data(project: Project) -> list[Finding]:
    from pearl.datasets import places
    from pearl.datasets.registry import DATASETS
    from pearl.datasets.sources import choice_of

    findings = []
    for entry in DATASETS.values():
        source = choice_of(entry.name, project.params()).source
        try:
            if source == "hub":
                found = places.hub_here(project, entry)
            else:
                found = places.obtain(project, entry, source)
        except PearlError as error:
            remedy = error.remedy or "`pearl data status` says more."
            findings.append(Finding(f"data: {entry.name}", error.problem, remedy))
        else:
            findings.append(Finding(f"data: {entry.name}", found.provenance.label))
    return findings


def _runs(project: Project) -> list[Finding]:
    from pearl.runs.store import RunStore

    store = RunStore.of(project)
    damaged = []
    keys = store.all_keys()
    for key in keys:
        try:
            store.read(key)
        except PearlError:
            damaged.append(key[:12])
    failures = store.failures()
    findings = [Finding("stored runs", str(len(keys)))]
    if damaged:
        remedy = "`pearl runs rm KEY` removes one; running its experiment again makes it anew."
        findings.append(Finding("damaged runs", ", ".join(damaged), remedy))
    if failures:
        remedy = "`pearl runs list --failed` says why; `pearl run … --retry-failed` tries again."
        findings.append(Finding("failed runs", str(len(failures)), remedy))
    return findings


def _tracking(project: Project) -> list[Finding]:
    from pearl.runs.store import RunStore
    from pearl.tracking import moved, read
    from pearl.tracking.store import database

    if not database(project).is_file():
        return [Finding("MLflow store", "none yet", "pearl track sync")]
    former = moved.former_root(project)
    if former is not None:
        state = f"its paths point to {former}"
        return [Finding("MLflow store", state, "The folder was moved: pearl track sync mends it.")]
    absent = set(RunStore.of(project).all_keys()) - read.keys(project)
    remedy = "pearl track sync" if absent else ""
    return [Finding("MLflow store", f"{len(absent)} stored runs not in it", remedy)]


def doctor() -> None:
    """Look at environment, versions, data, store and MLflow; say what is missing."""
    from rich.console import Console
    from rich.table import Table

    project = Project.find()
    console = Console(markup=False, highlight=False)
    findings = examine(project)
    table = Table("", "state", "to do")
    for finding in findings:
        table.add_row(finding.subject, finding.state, finding.remedy)
    console.print(table)
    left = sum(not finding.well for finding in findings)
    console.print("All is well." if not left else f"{left} things to do.")
