"""Where a table's numbers come from: the data, the instance, the settings, the seeds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pearl.report.final_regret import FinalRegret
from pearl.report.rows import MethodRuns, Runs

CAVEAT = (
    "Intervals cover seeds, each of which draws its own request stream and directions; they don't"
    " cover new users, another trace or another split."
)
SIMULATED_CAVEAT = (
    "Intervals cover seeds, each of which draws its own noise; they don't cover another parameter,"
    " other histories or another instance."
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
    "instance/second_best": "second-best arm at {:.3g} of the best",
    "instance/users": "{:,.0f} users",
    "instance/slates": "{:,.0f} slates",
    "instance/pretraining": "{:,.0f} for pretraining",
    "instance/interactions": "{:,.0f} interactions an epoch",
}

Lines = list[tuple[str, str]]


def origin(table: FinalRegret) -> tuple[tuple[str, str], ...]:
    """Return what the page says of it, as names and values; the empty ones are left out."""
    runs = table.runs
    methods = sorted({i.method for i in table.regrets.values()})
    split = runs.facts.get("split_label") or str(runs.settings.get("split", ""))
    settings = ", ".join(f"{k} = {v}" for k, v in runs.settings.items() if k != "kind")
    lines = [
        *data_lines(runs),
        ("split", split),
        ("instance", instance(runs)),
        ("settings", f"{settings}, horizon = {runs.horizon}"),
        ("profile", runs.profile),
        ("intervals", f"{', '.join(methods)}. {caveat(runs)}"),
        *seed_lines(runs.methods.values()),
    ]
    return tuple((name, value) for name, value in lines if value)


def caveat(runs: Runs) -> str:
    """Say what intervals over seeds cover, and what they don't."""
    return SIMULATED_CAVEAT if runs.provenance is None else CAVEAT


def data_lines(runs: Runs) -> Lines:
    """Say which data runs stand on."""
    told = runs.provenance
    if told is None:
        return [("data", runs.data_label)]
    return [
        ("data", told.label),
        ("source", f"{told.source}, {told.publisher}"),
        ("revision", told.revision),
        ("address", told.url),
        *((f"sha256 of {file.name}", file.sha256) for file in told.files),
        ("rows", f"{told.rows:,}"),
        ("licence", told.licence),
    ]


def instance(runs: Runs) -> str:
    """Say what was measured of the instance; every run of a table stands on the same one."""
    run = next(iter(runs.methods.values()))
    found = {name: run.metric(name) for name in FACTS}
    said = [FACTS[name].format(values[0]) for name, values in found.items() if values is not None]
    return ", ".join(said)


def seed_lines(all_runs: Iterable[MethodRuns]) -> Lines:
    """Say which seeds stand behind which methods."""
    by_count: dict[tuple[int, ...], list[str]] = {}
    for run in all_runs:
        labels = by_count.setdefault(run.seeds, [])
        if run.label not in labels:
            labels.append(run.label)
    return [
        ("seeds", f"n = {len(seeds)} ({shown_seeds(seeds)}), {_who(labels, len(by_count))}")
        for seeds, labels in by_count.items()
    ]


def shown_seeds(seeds: Sequence[int]) -> str:
    """Print seeds; many consecutive ones as a range."""
    if len(seeds) > 5 and tuple(seeds) == tuple(range(seeds[0], seeds[0] + len(seeds))):
        return f"{seeds[0]} to {seeds[-1]}"
    return ", ".join(map(str, seeds))


def _who(labels: list[str], groups: int) -> str:
    return "every method" if groups == 1 else ", ".join(labels)
