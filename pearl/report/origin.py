"""Where a table's numbers come from: the data, the instance, the settings, the seeds."""

from __future__ import annotations

from pearl.report.final_regret import FinalRegret
from pearl.report.rows import Runs

CAVEAT = (
    "Intervals cover seeds, each of which draws its own request stream and directions; they don't"
    " cover new users, another trace or another split."
)
FACTS = {
    "instance/construction_requests": "{:,.0f} construction",
    "instance/calibration_requests": "{:,.0f} calibration",
    "instance/evaluation_requests": "{:,.0f} evaluation requests",
    "instance/actions": "{:,.0f} actions",
    "instance/segments": "{:,.0f} segments",
    "instance/norm_bound": "S = {:.5g}",
    "instance/theta_star_norm": "norm of \N{GREEK SMALL LETTER THETA}* = {:.5g}",
    "instance/regularization": "\N{GREEK SMALL LETTER LAMDA} = {:.5g}",
    "instance/operator_norm": "largest operator norm of A(s) = {:.4g}",
}


def _instance(runs: Runs) -> str:
    """Say what was measured of the instance; every run of a table stands on the same one."""
    run = next(iter(runs.methods.values()))
    found = {name: run.metric(name) for name in FACTS}
    said = [FACTS[name].format(values[0]) for name, values in found.items() if values is not None]
    return ", ".join(said)


def origin(table: FinalRegret) -> tuple[tuple[str, str], ...]:
    """Return what the page says of it, as names and values; the empty ones are left out."""
    runs, told = table.runs, table.runs.provenance
    methods = sorted({i.method for i in table.regrets.values()})
    split = runs.facts.get("split_label") or str(runs.settings.get("split", ""))
    settings = ", ".join(f"{k} = {v}" for k, v in runs.settings.items() if k != "kind")
    lines = [
        ("data", told.label),
        ("source", f"{told.source}, {told.publisher}"),
        ("revision", told.revision),
        ("address", told.url),
        *((f"sha256 of {file.name}", file.sha256) for file in told.files),
        ("rows", f"{told.rows:,}"),
        ("licence", told.licence),
        ("split", split),
        ("instance", _instance(runs)),
        ("settings", f"{settings}, horizon = {runs.horizon}"),
        ("profile", runs.profile),
        ("intervals", f"{', '.join(methods)}. {CAVEAT}"),
    ]
    by_count: dict[tuple[int, ...], list[str]] = {}
    for run in runs.methods.values():
        by_count.setdefault(run.seeds, []).append(run.label)
    for seeds, labels in by_count.items():
        who = "every method" if len(by_count) == 1 else ", ".join(labels)
        lines.append(("seeds", f"n = {len(seeds)} ({', '.join(map(str, seeds))}), {who}"))
    return tuple((name, value) for name, value in lines if value)
