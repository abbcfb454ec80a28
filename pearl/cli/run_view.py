"""What `pearl run` shows: the plan, the result, the failures and the next command."""

from __future__ import annotations

import shlex

import pandas as pd
from rich.console import Console
from rich.table import Table

from pearl.runs.results import headline
from pearl.sweeps import Estimate, Plan, SweepOutcome, mixed_if_resumed


def announce(console: Console, plan: Plan) -> None:
    """Print the data source first, then what is there and what is missing."""
    console.print(plan.data.line, highlight=False, markup=False, soft_wrap=True)
    if plan.data.provenance is not None:
        console.print(f"  {plan.data.provenance.label}", highlight=False, markup=False)
    counts = [f"{len(plan.runs)} runs: {len(plan.found)} found, {len(plan.missing)} to make"]
    if plan.failed:
        counts.append(f"{len(plan.failed)} failed before")
    console.print(
        f"{plan.experiment.id}, profile {plan.profile}, {', '.join(counts)}", highlight=False
    )
    for name, versions in mixed_if_resumed(plan).items():
        console.print(
            f"warning: runs under several versions of {name} ({', '.join(versions)});"
            " the sweep is marked mixed",
            style="yellow",
            highlight=False,
        )


def resume_command(
    experiment: str,
    profile: str | None,
    source: str | None,
    seeds: str | None,
    only: str | None,
    *,
    again: bool = False,
) -> str:
    """Return the command that goes on where this one stopped."""
    words = ["pearl", "run", experiment]
    options = {"--profile": profile, "--source": source, "--seeds": seeds, "--only": only}
    for option, value in options.items():
        words += [option, value] if value is not None else []
    words += ["--again"] if again else []
    return shlex.join(words)


def show_outcome(console: Console, outcome: SweepOutcome) -> None:
    """Print a dry run's estimate, what making again found, or the results and what comes next."""
    if outcome.estimate is not None:
        console.print(estimate_text(outcome.estimate), highlight=False)
        return
    if outcome.differences is not None:
        _show_differences(console, outcome.differences)
        return
    counts = f"{len(outcome.plan.found)} found, {len(outcome.made)} made"
    console.print(f"{counts}, {len(outcome.failed)} failed", highlight=False)
    if outcome.rows is None or outcome.results_file is None:
        return
    asked = outcome.rows["key"].isin({run.key for run in outcome.plan.runs})
    console.print(_table(outcome, outcome.rows[asked]))
    file = outcome.results_file.relative_to(outcome.plan.project.root)
    console.print(f"Rows: {file}", highlight=False, soft_wrap=True)
    from pearl.report.kinds import is_shown

    if not outcome.plan.stage and is_shown(outcome.plan.experiment):
        options = f"--profile {outcome.plan.profile}"
        if outcome.plan.data.provenance is not None:
            options += f" --source {outcome.plan.data.source}"
        console.print(f"Next: pearl report {options}", highlight=False, soft_wrap=True)


def _show_differences(console: Console, differences: tuple[str, ...]) -> None:
    if not differences:
        console.print("Made again beside the store: the same, bit for bit.", highlight=False)
        return
    console.print("Made again beside the store: not the same. The stored run is kept as it is.")
    for difference in differences:
        console.print(f"  {difference}", highlight=False, markup=False, soft_wrap=True)


def show_failures(outcome: SweepOutcome, again: str) -> None:
    """List failed runs with their cause, on standard error."""
    if not outcome.failed:
        return
    console = Console(stderr=True)
    for failure in outcome.failed:
        line = f"failed: {failure.key[:12]} {failure.run.name}: {failure.cause}"
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    folder = (outcome.plan.project.store / "failures").relative_to(outcome.plan.project.root)
    hint = f"Tracebacks: {folder}/<key>.json. To try again: {again} --retry-failed"
    console.print(hint, markup=False, highlight=False, soft_wrap=True)


def estimate_text(estimate: Estimate) -> str:
    """Return a sentence on time and disk, and before it what is counted elsewhere already."""
    shared = "; ".join(f"{count} with {name}" for name, count in estimate.shared)
    shared = f"Shared: {shared}. " if shared else ""
    if estimate.runs == 0:
        return f"{shared}Nothing {'more ' if shared else ''}to make."
    what = f"{estimate.runs} {'more ' if shared else ''}runs"
    if estimate.networks:
        what += f" and {estimate.networks} pretrained networks"
    disk = "disk unknown"
    if estimate.most_bytes is not None:
        disk = f"at most {estimate.most_bytes / 1e6:,.1f} MB of disk"
    if estimate.seconds is None:
        methods = "; ".join(estimate.unknown)
        return f"{shared}{what}, time unknown (never made here: {methods}), {disk}."
    minutes, seconds = divmod(round(estimate.seconds), 60)
    return f"{shared}{what}, about {minutes} min {seconds} s, {disk}."


def _table(outcome: SweepOutcome, rows: pd.DataFrame) -> Table:
    """One line a method and setting, methods in the experiment's order."""
    table = Table(caption=f"{outcome.plan.experiment.title}; data: {outcome.plan.data.source}")
    table.add_column("method")
    table.add_column("setting")
    number, values, decimals = headline(rows)
    for name in ("seeds", f"mean {number}".replace("mean mean", "mean"), "lowest", "highest"):
        table.add_column(name, justify="right")
    order = {name: place for place, name in enumerate(outcome.plan.experiment.methods)}
    lengths = {run.key: run.length for run in outcome.plan.runs}
    cells = rows.assign(
        setting=rows["name"].map(_setting) + rows["key"].map(lengths),
        final=values,
        place=rows["method"].map(order),
    )
    for (_, setting), group in cells.groupby(["place", "setting"]):
        final = group["final"]
        every = (final.mean(), final.min(), final.max())
        numbers = [f"{value:,.{decimals}f}" for value in every]
        table.add_row(group["label"].iloc[0], str(setting), str(len(group)), *numbers)
    return table


def _setting(name: str) -> str:
    """Return what stands between label and seed in a run's name; its length follows."""
    return "".join(f"{word}, " for word in name.split(" · ")[1:-1])
