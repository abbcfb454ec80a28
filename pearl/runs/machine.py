"""Where a run was made: recorded with it, never part of its key."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_info

PACKAGES = ("numpy", "scipy", "numba", "torch", "pandas", "pyarrow")
# A change of these may change a number; results made under several are marked mixed.
NUMERICAL = ("numpy", "numba", "torch")


@cache
def machine_facts(root: Path) -> dict[str, Any]:
    """Return git state, versions, BLAS, processor and cores, once a process.

    Args:
        root: the project's folder; without git in it, commit and dirty are None.
    """
    commit = _git(root, "rev-parse", "HEAD")
    # Untracked files are no change of code that git knows; DVC's own outputs are among them.
    changes = _git(root, "status", "--porcelain", "--untracked-files=no")
    return {
        "git_commit": commit,
        "git_dirty": None if changes is None else bool(changes),
        "python": platform.python_version(),
        "packages": {name: version for name in PACKAGES if (version := _version(name))},
        "blas": _blas(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "processor": _processor(),
        "cores": os.cpu_count(),
    }


def mixed_versions(machines: Iterable[Mapping[str, Any]]) -> dict[str, tuple[str, ...]]:
    """Return the numerical packages that several runs had in different versions."""
    seen: dict[str, set[str]] = {name: set() for name in NUMERICAL}
    for machine in machines:
        for name in NUMERICAL:
            seen[name].add(machine["packages"].get(name, "absent"))
    return {name: tuple(sorted(versions)) for name, versions in seen.items() if len(versions) > 1}


def _git(root: Path, *words: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", "-C", str(root), *words], capture_output=True, text=True, check=False
        )
    except FileNotFoundError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _blas() -> list[str]:
    # A first product makes sure that numpy has loaded its library.
    np.eye(2) @ np.eye(2)
    pools = [pool for pool in threadpool_info() if pool["user_api"] == "blas"]
    texts = {f"{pool['internal_api']} {pool['version']} {_kernel(pool)}".strip() for pool in pools}
    return sorted(texts)


def _kernel(pool: Mapping[str, Any]) -> str:
    return f"({pool['architecture']})" if pool.get("architecture") else ""


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown"
