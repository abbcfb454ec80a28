"""What the doctor looks at, one function a room; each says what it found and what to do."""

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
    """One line of the doctor's table; `remedy` is empty where all is well.

    A `fault` keeps something from working; what is merely not made yet, or could be better, isn't
    one.
    """

    subject: str
    state: str
    remedy: str = ""
    fault: bool = False

    @property
    def well(self) -> bool:
        """Whether nothing has to be done."""
        return not self.remedy


def fault_of(subject: str, error: PearlError) -> Finding:
    """Return the fault that an error tells of."""
    return Finding(subject, error.problem, error.remedy or "See what is said beside.", fault=True)


def _python(_: Project) -> list[Finding]:
    version = ".".join(map(str, sys.version_info[:3]))
    tested = ", ".join(f"{major}.{minor}" for major, minor in TESTED_PYTHONS)
    fault = sys.version_info[:2] not in TESTED_PYTHONS
    return [Finding("Python", version, f"pearl is tested on {tested}." if fault else "", fault)]


def _packages(project: Project) -> list[Finding]:
    pins = _pins(project.root / "constraints.txt")
    findings = []
    for name in PACKAGES:
        try:
            version = metadata.version(name)
        except metadata.PackageNotFoundError:
            findings.append(Finding(name, "missing", "make install", fault=True))
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
    rooms = ("raw", "tables", "embeddings", "results")
    missing = [name for name in rooms if not (project.root / name).is_dir()]
    if missing:
        return [Finding("DVC stages", f"not made yet: {', '.join(missing)}", "dvc repro")]
    return [Finding("DVC stages", "made (`dvc status` says whether they are current)")]


def _data(project: Project) -> list[Finding]:
    from pearl.datasets import places
    from pearl.datasets.registry import DATASETS
    from pearl.experiments import load_params

    findings = []
    for entry in DATASETS.values():
        source = load_params(project).source(entry.name).source
        try:
            if source == "hub":
                found = places.hub_here(project, entry)
            else:
                found = places.obtain(project, entry, source)
        except PearlError as error:
            remedy = error.remedy or "`pearl data status` says more."
            # What the hub has can be downloaded yet; what was said to be here has to be.
            fault = source != "hub"
            findings.append(Finding(f"data: {entry.name}", error.problem, remedy, fault))
        else:
            findings.append(Finding(f"data: {entry.name}", found.provenance.label))
    return findings


def _runs(project: Project) -> list[Finding]:
    from pearl.runs.store import RunStore

    store = RunStore.of(project)
    keys = store.all_keys()
    damaged = []
    for key in keys:
        try:
            store.read(key)
        except PearlError:
            damaged.append(key[:12])
    findings = [Finding("stored runs", str(len(keys)))]
    if damaged:
        remedy = "`pearl runs rm KEY` removes one; running its experiment again makes it anew."
        findings.append(Finding("damaged runs", ", ".join(damaged), remedy, fault=True))
    return findings


def _networks(project: Project) -> list[Finding]:
    from pearl.runs.pretrained import NetworkStore

    store = NetworkStore.of(project)
    findings = [Finding("pretrained networks", str(len(store.all_keys())))]
    for key in store.all_keys():
        try:
            store.read(key)
        except PearlError as error:
            findings.append(fault_of(f"network {key[:12]}", error))
    return findings


def _failures(project: Project) -> list[Finding]:
    from pearl.runs.failures import read_failure
    from pearl.runs.store import RunStore

    findings, count = [], 0
    for file in RunStore.of(project).failure_files():
        try:
            count += read_failure(file) is not None
        except PearlError as error:
            findings.append(fault_of("damaged record", error))
    if count:
        remedy = "`pearl runs list --failed` says why; `pearl run … --retry-failed` tries again."
        findings.append(Finding("failed runs", str(count), remedy))
    return findings


def _tracking(project: Project) -> list[Finding]:
    from pearl.runs.pretrained import NetworkStore
    from pearl.runs.store import RunStore
    from pearl.tracking import moved, read
    from pearl.tracking.sqlite import database

    if not database(project).is_file():
        return [Finding("MLflow store", "none yet", "pearl track sync")]
    former = moved.former_root(project)
    if former is not None:
        state = f"its paths point to {former}"
        return [Finding("MLflow store", state, "The folder was moved: pearl track sync mends it.")]
    kept = {*RunStore.of(project).all_keys(), *NetworkStore.of(project).all_keys()}
    absent = kept - read.keys(project)
    remedy = "pearl track sync" if absent else ""
    return [Finding("MLflow store", f"{len(absent)} stored runs and networks not in it", remedy)]


Check = Callable[[Project], list[Finding]]
CHECKS: dict[str, Check] = {
    "Python": _python,
    "packages": _packages,
    "git": _git,
    "free disk": _disk,
    "DVC stages": _stages,
    "data": _data,
    "stored runs": _runs,
    "pretrained networks": _networks,
    "failed runs": _failures,
    "MLflow store": _tracking,
}
