"""`pearl run`, and what goes with it: experiments, methods, reproduce, gc, track."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.box import HEAVY_HEAD
from rich.console import Console
from rich.table import Table

from pearl.cli.consoles import wide_console
from pearl.project import Project

if TYPE_CHECKING:
    from pearl.experiments import Exhibit, Experiment
    from pearl.sweeps import Estimate

INTERRUPTED = 130
track = typer.Typer(help="MLflow's store.", no_args_is_help=True)


def run(
    experiment: Annotated[str, typer.Argument(help="Such as memory/figure1e, or pearl/all.")],
    profile: Annotated[str | None, typer.Option(help="smoke, sample or paper.")] = None,
    source: Annotated[str | None, typer.Option(help="hub, mirror or sample.")] = None,
    runner: Annotated[
        str, typer.Option(envvar="PEARL_RUNNER", help="serial or processes.")
    ] = "processes",
    workers: Annotated[
        int, typer.Option(min=1, envvar="PEARL_WORKERS", help="Processes at once.")
    ] = os.cpu_count() or 1,
    seeds: Annotated[str | None, typer.Option(help="Such as 0-2 or 0,3,5.")] = None,
    only: Annotated[str | None, typer.Option(help="The one run whose key begins so.")] = None,
    dry_run: Annotated[bool, typer.Option(help="Say what is missing; make nothing.")] = False,
    retry_failed: Annotated[bool, typer.Option(help="Try failed runs again.")] = False,
    again: Annotated[
        bool, typer.Option("--again", help="With --only: make a stored run again and compare.")
    ] = False,
) -> None:
    """Make an experiment's missing runs, track them, and show the result.

    With --again a stored run is made beside the store and held against it, bit for bit. pearl/all
    stands for every experiment of pearl/, one after the other; runs that they share are made, and
    with --dry-run counted, once.
    """
    from pearl.cli.run_view import estimate_text, resume_command
    from pearl.experiments import is_group, load_exhibits, load_experiments, load_group
    from pearl.experiments.group import ALL, check_alone
    from pearl.sweeps import Counted, Estimate
    from pearl.words import one_of

    project = Project.find()
    exhibits = load_exhibits()
    ids = sorted({*load_experiments(project), *exhibits})
    groups = dict.fromkeys(f"{each.partition('/')[0]}{ALL}" for each in ids)
    one_of(experiment, [*ids, *groups], "experiment, exhibit or group of them")
    many = is_group(experiment)
    if many:
        check_alone(experiment, only=only, again=again)
    command = resume_command(experiment, profile, source, seeds, only, again=again)
    failed: list[str] = []
    counted, estimates = Counted(), list[Estimate]()
    for name in load_group(experiment, project) if many else (experiment,):
        if (exhibit := exhibits.get(name)) is not None:
            asked = not many and bool(seeds or only or again)
            _show_exhibit(project, exhibit, profile, source, asks_for_runs=asked, dry_run=dry_run)
        elif not _sweep(
            project,
            name,
            command,
            runner,
            profile=profile,
            source=source,
            workers=workers,
            seeds=seeds,
            only=only,
            retry_failed=retry_failed,
            again=again,
            dry_run=dry_run,
            counted=counted,
            estimates=estimates,
        ):
            failed.append(name)
    if many and dry_run:
        wide_console().print(f"In all: {estimate_text(Estimate.total(estimates))}", highlight=False)
    if many and failed:
        message = f"With failed runs: {', '.join(failed)}"
        Console(stderr=True).print(message, markup=False, highlight=False, soft_wrap=True)
    if failed:
        raise typer.Exit(1)


def _sweep(
    project: Project,
    experiment: str,
    command: str,
    runner: str,
    *,
    estimates: list[Estimate],
    **options: Any,
) -> bool:
    """Make an experiment's missing runs and show the result; say whether all is well.

    Args:
        project: where.
        experiment: its id.
        command: what goes on where this stops.
        runner: serial or processes.
        estimates: a dry run's is added to them.
        options: of `pearl.sweeps.sweep`.
    """
    from pearl.cli.run_view import announce, show_failures, show_outcome
    from pearl.sweeps import RUNNERS, sweep
    from pearl.words import one_of

    chosen = next(name for name in RUNNERS if name == one_of(runner, RUNNERS, "runner"))
    console = wide_console()
    try:
        outcome = sweep(
            project,
            experiment,
            runner=chosen,
            announce=lambda plan: announce(console, plan),
            **options,
        )
    except KeyboardInterrupt:
        message = f"Stopped. Finished runs are kept; to go on: {command}"
        Console(stderr=True).print(message, markup=False, highlight=False, soft_wrap=True)
        raise typer.Exit(INTERRUPTED) from None
    if outcome.estimate is not None:
        estimates.append(outcome.estimate)
    show_outcome(console, outcome)
    show_failures(outcome, command)
    return not (outcome.failed or outcome.differences)


def _show_exhibit(
    project: Project,
    exhibit: Exhibit,
    profile: str | None,
    source: str | None,
    *,
    asks_for_runs: bool,
    dry_run: bool,
) -> None:
    """Measure an exhibit where it measures anything, and say where it is shown."""
    from pearl.errors import SettingError
    from pearl.sweeps.measuring import measure

    if asks_for_runs:
        raise SettingError(f"{exhibit.id} has no runs: it is made of {exhibit.made_of}.")
    console, options = wide_console(), ""
    for name, word in (("--profile", profile), ("--source", source)):
        options += f" {name} {word}" if word is not None else ""
    console.print(
        f"{exhibit.id} has no runs: it is made of {exhibit.made_of}.",
        highlight=False,
        soft_wrap=True,
    )
    if dry_run:
        return
    if exhibit.dataset is not None:

        def announce(line: str) -> None:
            console.print(line, highlight=False, markup=False, soft_wrap=True)

        file = measure(project, exhibit, profile=profile, source=source, announce=announce)
        place = file.relative_to(project.root)
        console.print(f"Measured: {place}", highlight=False, soft_wrap=True)
    console.print(f"Next: pearl report{options}", highlight=False, soft_wrap=True)


def experiments() -> None:
    """List the experiments, those without runs too: what each asks, where the paper shows it."""
    from pearl.experiments import load_exhibits, load_experiments

    console = wide_console()
    # Without a frame in a pipe: there every line begins with an id.
    box = HEAVY_HEAD if console.is_terminal else None
    table = Table(
        "experiment", "paper", "methods", "question", box=box, pad_edge=console.is_terminal
    )
    runs = load_experiments(Project.find())
    every: dict[str, Experiment | Exhibit] = {**runs, **load_exhibits()}
    for name, each in sorted(every.items()):
        methods = str(len(runs[name].methods)) if name in runs else "no runs"
        table.add_row(name, f"{each.paper}, {each.place}", methods, each.question.strip())
    console.print(table)


def methods(
    kind: Annotated[
        str | None, typer.Argument(help="An environment such as kv_cache; all by default.")
    ] = None,
) -> None:
    """List the methods that can face an environment, with their settings."""
    from pearl.experiments.environment import label_of, load_environments, method_config
    from pearl.words import one_of

    environments = load_environments(Project.find())
    if kind is not None:
        environments = {kind: environments[one_of(kind, environments, "environment")]}
    table = Table("environment", "method", "label", "settings")
    for environment in environments.values():
        for name, method in environment.method_models().items():
            settings = ", ".join(f"{key}={value}" for key, value in method_config(method).items())
            table.add_row(environment.kind, name, label_of(method, name), settings)
    wide_console().print(table)


def reproduce(
    key: Annotated[str, typer.Argument(help="A key, its beginning, or an MLflow run id.")],
) -> None:
    """Print the exact command that makes a run again."""
    from pearl.sweeps.recipe import recipe

    found = recipe(Project.find(), key)
    console = Console()
    console.print(f"# {found.name} ({found.key})", highlight=False, soft_wrap=True, markup=False)
    for warning in found.warnings:
        console.print(f"# {warning}", highlight=False, soft_wrap=True, markup=False)
    console.print(" \\\n  && ".join(found.commands), highlight=False, soft_wrap=True, markup=False)


def gc(
    yes: Annotated[bool, typer.Option("--yes", help="Delete; without it, only list.")] = False,
) -> None:
    """List (or delete) what nothing needs any more: runs of other code, leftovers."""
    from pearl.sweeps.cleaning import clean, find_waste

    project = Project.find()
    console = Console()
    waste = find_waste(project)
    for each in waste:
        place = each.path.relative_to(project.root)
        line = f"{each.byte_count / 1e6:8.1f} MB  {place}  ({each.why})"
        console.print(line, highlight=False, markup=False, soft_wrap=True)
    total = sum(each.byte_count for each in waste) / 1e6
    if not waste:
        console.print("Nothing to clear away.")
    elif yes:
        clean(project, waste)
        console.print(f"Deleted {len(waste)} things, {total:.1f} MB.", highlight=False)
    else:
        console.print(f"{len(waste)} things, {total:.1f} MB. `pearl gc --yes` deletes them.")


@track.callback()
def _track() -> None:
    """MLflow's store."""


@track.command("sync")
def track_sync() -> None:
    """Record in MLflow every stored run that it lacks, and rebuild its store where it is gone."""
    from pearl.tracking.rebuild import sync
    from pearl.tracking.sqlite import address, database

    project = Project.find()
    done = sync(project)
    lines = [f"{done.recorded} runs recorded, {done.known} were there already."]
    if done.from_results:
        lines.append(f"{done.from_results} of them rebuilt from results files (thinned curves).")
    place = shlex.quote(address(database(project)))
    lines.append(f"To look: mlflow server --backend-store-uri {place}")
    Console().print("\n".join(lines), highlight=False, soft_wrap=True, markup=False)
