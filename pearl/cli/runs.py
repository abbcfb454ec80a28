"""`pearl runs`: what is in the store of runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer
from rich.console import Console
from rich.table import Column, Table

from pearl.cli.consoles import wide_console
from pearl.project import Project

if TYPE_CHECKING:
    from pearl.runs.failures import Failure
    from pearl.runs.store import RunStore
    from pearl.runs.stored import StoredRun

Kept = TypeVar("Kept", bound="StoredRun | Failure")
app = typer.Typer(help="Stored runs: list, show, compare, export, rm.", no_args_is_help=True)

Keys = Annotated[list[str], typer.Argument(help="Keys or their beginnings.")]
ExperimentOption = Annotated[str | None, typer.Option(help="Such as memory/figure1e.")]
MethodOption = Annotated[str | None, typer.Option(help="Such as rsm_linucb.")]
ProfileOption = Annotated[str | None, typer.Option(help="smoke, sample or paper.")]


@app.command("list")
def list_runs(
    experiment: ExperimentOption = None,
    method: MethodOption = None,
    profile: ProfileOption = None,
    failed: Annotated[bool, typer.Option("--failed", help="Failed runs and why.")] = False,
) -> None:
    """List stored runs, or with --failed those that failed, with their cause."""
    wanted = {"experiment": experiment, "method": method, "profile": profile}
    store = _store()
    if failed:
        table = _table("key", "run", "length", "attempts", "cause")
        for each in _fitting(store.failures(), wanted):
            words = [each.key[:12], each.run.name, each.run.length]
            table.add_row(*words, str(each.attempts), each.cause)
    else:
        columns = ("final regret", "mean reward", "profile", "data", "seconds")
        table = _table("key", "run", "length", *columns)
        for run in _selected(store, wanted):
            final = run.facts.get("final_regret", run.regret()[-1])
            reward = run.facts.get("mean_reward")
            words = [run.key[:12], run.run.name, run.run.length, f"{final:,.2f}"]
            words.append("" if reward is None else f"{reward:.4f}")
            seconds = f"{run.machine['seconds']:.1f}"
            table.add_row(*words, run.run.profile, run.run.data_source, seconds)
    console = wide_console()
    console.print(table)
    console.print(f"{table.row_count} runs", highlight=False)


@app.command()
def show(key: Annotated[str, typer.Argument(help="A key or its beginning.")]) -> None:
    """Show everything that is known of a run."""
    store = _store()
    stored = store.read(store.find(key))
    described = {
        "key": stored.key,
        "folder": str(stored.folder.relative_to(Project.find().root)),
        "run": stored.run.model_dump(mode="json"),
        "facts": stored.facts,
        "machine": stored.machine,
    }
    Console().print_json(json.dumps(described, ensure_ascii=False))


@app.command()
def compare(keys: Keys) -> None:
    """Show where runs differ in settings, and their facts side by side."""
    store = _store()
    runs = [store.read(store.find(key)) for key in keys]
    table = Table("", *(_key_column(run.key[:12]) for run in runs))
    table.add_row("run", *(run.run.name for run in runs))
    settings = [_flat(run) for run in runs]
    for name in dict.fromkeys(name for each in settings for name in each):
        values = [str(each.get(name, "-")) for each in settings]
        if len(set(values)) > 1:
            table.add_row(name, *values)
    table.add_section()
    for name in dict.fromkeys(name for run in runs for name in run.facts):
        table.add_row(name, *(str(run.facts.get(name, "-")) for run in runs))
    wide_console().print(table)


@app.command()
def export(
    output: Annotated[Path, typer.Argument(help="A .csv (without curves) or .parquet file.")],
    experiment: ExperimentOption = None,
    method: MethodOption = None,
    profile: ProfileOption = None,
) -> None:
    """Write stored runs as rows of one table."""
    from pearl.errors import SettingError
    from pearl.files import whole_file
    from pearl.runs import results

    if output.suffix not in (".csv", ".parquet"):
        raise SettingError(
            f"{output}: unknown kind of file.", remedy="Let its name end in .csv or .parquet."
        )
    wanted = {"experiment": experiment, "method": method, "profile": profile}
    runs = list(_selected(_store(), wanted))
    if not runs:
        raise SettingError("No stored run fits.", remedy="`pearl runs list` shows what there is.")
    rows = [results.row(run, run.run) for run in runs]
    if output.suffix == ".parquet":
        results.write(output.absolute(), rows)
    else:
        whole = results.frame(rows)
        frame = whole.drop(columns=results.list_columns(whole))
        with whole_file(output.absolute()) as temporary:
            frame.to_csv(temporary, index=False)
    Console().print(f"{len(rows)} runs written to {output}", highlight=False)


@app.command()
def rm(
    keys: Keys,
    yes: Annotated[bool, typer.Option("--yes", help="Delete; without it, only say what.")] = False,
) -> None:
    """Delete runs (or pretrained networks) from the store and from MLflow, damaged ones too."""
    from pearl.runs.pretrained import NetworkStore
    from pearl.tracking.sqlite import database
    from pearl.tracking.write import forget

    project, store, console = Project.find(), _store(), Console()
    networks = NetworkStore.of(project)
    full = [networks.find(key) or store.find(key) for key in keys]
    for key in full:
        place = networks.path(key) if networks.has(key) else store.path(key)
        folder = place.relative_to(project.root)
        line = f"{'deleting' if yes else 'would delete'} {folder}"
        console.print(line, highlight=False, markup=False, soft_wrap=True)
    if not yes:
        console.print("Nothing is deleted without --yes.")
        return
    for key in full:
        if networks.has(key):
            networks.remove(key)
        else:
            store.remove(key)
    if database(project).is_file():
        forget(project, full)


def _store() -> RunStore:
    from pearl.runs.store import RunStore

    return RunStore.of(Project.find())


def _selected(store: RunStore, wanted: dict[str, str | None]) -> list[StoredRun]:
    runs = _fitting([store.read(key) for key in store.all_keys()], wanted)
    return sorted(runs, key=lambda run: (run.run.experiment, run.run.profile, run.run.name))


def _fitting(items: list[Kept], wanted: dict[str, str | None]) -> list[Kept]:
    """Return the items whose run has the wanted words.

    Raises:
        SettingError: a word that is neither defined nor in any run here, with the nearest.
    """
    from pearl.words import one_of

    for name, word in wanted.items():
        if word is not None:
            known = [*_defined(name), *(getattr(item.run, name) for item in items)]
            one_of(word, dict.fromkeys(known), name)
    asked = {name: word for name, word in wanted.items() if word is not None}
    return [
        item for item in items if all(getattr(item.run, n) == word for n, word in asked.items())
    ]


def _defined(name: str) -> list[str]:
    """Return the experiments, methods or profiles that are defined."""
    from pearl.experiments import PROFILES, load_environments, load_experiments

    project = Project.find()
    if name == "experiment":
        return list(load_experiments(project))
    if name == "profile":
        return list(PROFILES)
    kinds = load_environments(project).values()
    return [method for kind in kinds for method in kind.method_models()]


def _table(*names: str) -> Table:
    """Return a table whose first column holds keys, which are never cut."""
    first, *rest = names
    return Table(_key_column(first), *rest)


def _key_column(header: str) -> Column:
    return Column(header, no_wrap=True, min_width=12)


def _flat(stored: StoredRun) -> dict[str, Any]:
    run = stored.run
    words = {"seed": run.spec.seed, "data": run.data_label, "code": run.spec.code}
    return {**words, **run.spec.flat_config}
