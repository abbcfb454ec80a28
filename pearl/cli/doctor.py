"""`pearl doctor`: is everything here that pearl needs, and how to get what is not."""

from __future__ import annotations

import os
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
    version = "%d.%d.%d" % sys.version_info[:3]
    tested = ", ".join("%d.%d" % pair for pair in TESTED_PYTHONS)
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
    mirror = os.environ.get("PEARL_DATA_MIRROR")
    if mirror and not Path(mirror).is_dir():
        remedy = "Let PEARL_DATA_MIRROR name a folder, or unset it."
        return [Finding("mirror", f"{mirror} is no folder", remedy)]
    state = mirror or "PEARL_DATA_MIRROR not set (needed for --source mirror only)"
    return [Finding("mirror", state)]
