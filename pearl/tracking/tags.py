"""Tags, parameters and times that runs and pretrained networks share in MLflow."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from pearl.runs.spec import PlannedNetwork, PlannedRun, flat

LONGEST_PARAMETER = 6000


def machine_tags(machine: Mapping[str, Any]) -> dict[str, str]:
    """Return where, by which code and under which packages something was made."""
    tags = {
        "pearl.status": "finished",
        "git.commit": str(machine["git_commit"] or "unknown"),
        "git.dirty": str(machine["git_dirty"]).lower(),
        "python": machine["python"],
        "blas": "; ".join(machine["blas"]),
        "machine": f"{machine['processor']}, {machine['cores']} cores, {machine['system']}",
        **{f"package.{name}": version for name, version in machine["packages"].items()},
    }
    if machine["git_commit"]:
        tags["mlflow.source.git.commit"] = machine["git_commit"]
    return tags


def data_tags(run: PlannedRun | PlannedNetwork) -> dict[str, str]:
    """Return which data something stands on."""
    tags = {"data.source": run.data_source, "data.label": run.data_label}
    if run.provenance:
        facts = run.provenance
        tags |= {f"data.{name}": str(facts[name]) for name in ("revision", "rows", "licence")}
        tags["data.set"] = str(facts["dataset"])
        tags["data.fingerprint"] = run.spec.data
        tags["data.sha256"] = "; ".join(f"{f['sha256']} {f['name']}" for f in facts["files"])
        if embedding := facts.get("embedding"):
            tags["data.embedding"] = f"{embedding['model']}, {embedding['weights_sha256']}"
    return tags


def parameters(config: Mapping[str, Any], seed: int) -> dict[str, str]:
    """Return a seed and a config's values by dotted name."""
    named = {"seed": str(seed)}
    for name, value in flat(config).items():
        text = value if isinstance(value, str) else json.dumps(value, sort_keys=True)
        named[name] = text[:LONGEST_PARAMETER]
    return named


def times(machine: Mapping[str, Any]) -> tuple[int, int]:
    """Return start and end in milliseconds since 1970."""
    return milliseconds(machine["started"]), milliseconds(machine["finished"])


def milliseconds(moment: str) -> int:
    """Return a moment in ISO 8601 as milliseconds since 1970."""
    return int(datetime.fromisoformat(moment).timestamp() * 1000)
