import json
import os
import shutil
from pathlib import Path

import pandas as pd
import pytest
import typer
from toy_world import make_project
from typer.testing import CliRunner, Result

from pearl import sweeps
from pearl.cli import run as commands
from pearl.cli.runs import app as runs_app
from pearl.errors import PearlError
from pearl.project import Project
from pearl.runs import RunStore
from pearl.sweeps.cleaning import find_waste
from pearl.sweeps.recipe import recipe
from pearl.tracking import read

app = typer.Typer()
for name in ("run", "experiments", "methods", "reproduce", "gc"):
    app.command(name)(getattr(commands, name))
app.add_typer(commands.track, name="track")
app.add_typer(runs_app, name="runs")


def pearl(*words: str, code: int = 0) -> Result:
    result = CliRunner(env={"COLUMNS": "200"}).invoke(app, list(words))
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output
    return result


def run_serially(*words: str, code: int = 0) -> Result:
    return pearl("run", "toy/trial", "--runner", "serial", *words, code=code)


def test_run_says_source_first_then_counts_results_and_what_is_next(project: Project) -> None:
    lines = run_serially("--seeds", "0-1").output.splitlines()
    assert lines[0] == "toy: simulated, no data set"
    assert lines[1] == "toy/trial, profile smoke, 8 runs: 0 found, 8 to make"
    assert "0 found, 8 made, 0 failed" in lines
    assert any("Keen" in line and "M=3, T=50" in line for line in lines)
    assert lines[-1] == "Next: pearl report --profile smoke --source none"
    assert "8 found, 0 made, 0 failed" in run_serially().output


def test_a_dry_run_estimates(project: Project) -> None:
    output = run_serially("--dry-run").output
    assert "8 runs, time unknown (never made here: Keen; Steady), at most 0.0 MB" in output
    assert RunStore.of(project).all_keys() == []


def test_failures_are_listed_with_cause_and_exit_code(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOY_BROKEN", "0.5:1")
    result = run_serially("--profile", "smoke", code=1)
    assert "Steady · M=1 · seed 1: ValueError: the toy fell over" in result.stderr
    assert "pearl run toy/trial --profile smoke --retry-failed" in result.stderr
    assert "the toy fell over" in pearl("runs", "list", "--failed").output
    monkeypatch.delenv("TOY_BROKEN")
    assert "2 failed before" in run_serially(code=1).output
    assert "2 made" in run_serially("--retry-failed").output


def test_ctrl_c_says_how_to_go_on(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> list[str]:
        raise KeyboardInterrupt

    monkeypatch.setattr("pearl.sweeps.sweeping.execute", interrupted)
    result = run_serially("--profile", "sample", "--seeds", "0,2", code=130)
    assert "pearl run toy/trial --profile sample --seeds 0,2" in result.stderr


def test_experiments_and_methods_are_listed(project: Project) -> None:
    output = pearl("experiments").output
    assert "toy/trial" in output
    assert "memory/figure1e" in output
    assert "gain=1.5" in pearl("methods", "toy").output
    with pytest.raises(PearlError, match="'toy'"):
        pearl("methods", "toys")


def test_runs_are_listed_shown_compared_exported_and_removed(
    project: Project, tmp_path: Path
) -> None:
    run_serially("--seeds", "0")
    keys = RunStore.of(project).all_keys()
    assert "4 runs" in pearl("runs", "list").output
    assert "2 runs" in pearl("runs", "list", "--method", "keen").output
    shown = json.loads(pearl("runs", "show", keys[0][:9]).output)
    assert shown["key"] == keys[0]
    assert shown["machine"]["seconds"] >= 0
    compared = pearl("runs", "compare", *(key[:9] for key in keys)).output
    assert "environment.memory" in compared
    assert "final_regret" in compared
    assert "environment.pause" not in compared
    for file in (tmp_path / "x.csv", tmp_path / "x.parquet"):
        pearl("runs", "export", str(file), "--experiment", "toy/trial")
    assert list(pd.read_csv(tmp_path / "x.csv")["key"]) == keys
    assert "curve_regret" in pd.read_parquet(tmp_path / "x.parquet").columns
    with pytest.raises(PearlError, match="csv"):
        pearl("runs", "export", str(tmp_path / "x.txt"))
    assert "Nothing is deleted" in pearl("runs", "rm", keys[0]).output
    pearl("runs", "rm", keys[0], "--yes")
    assert RunStore.of(project).all_keys() == keys[1:]


def test_a_damaged_run_can_be_removed(project: Project) -> None:
    run_serially("--seeds", "0")
    store = RunStore.of(project)
    key = store.all_keys()[0]
    (store.path(key) / "facts.json").unlink()
    with pytest.raises(PearlError, match="damaged"):
        run_serially()
    pearl("runs", "rm", key[:12], "--yes")
    assert "3 found, 5 made" in run_serially().output


def test_the_recipe_makes_the_same_run_again(project: Project) -> None:
    outcome = sweeps.sweep(project, "toy/trial", seeds="4")
    key = outcome.made[0]
    before = (RunStore.of(project).path(key) / "curve.parquet").read_bytes()
    found = recipe(project, key[:10])
    assert found.commands == (
        f"pearl runs rm {key[:12]} --yes",
        f"pearl run toy/trial --profile smoke --seeds 4 --only {key[:12]}",
    )
    for command in found.commands:
        pearl(*command.split()[1:])
    store = RunStore.of(project)
    assert (store.path(key) / "curve.parquet").read_bytes() == before
    output = pearl("reproduce", key[:10]).output
    assert key in output
    assert found.commands[1] in output
    # The store gone, the results file still knows the run.
    shutil.rmtree(project.store / "runs")
    rebuilt = recipe(project, key[:10])
    assert rebuilt.commands == found.commands[1:]
    assert "commit wasn't recorded" in rebuilt.warnings[0]
    with pytest.raises(PearlError, match="No runs"):
        recipe(project, "zzz")


@pytest.mark.usefixtures("with_mlflow")
def test_mlflow_ids_are_known_and_removed_runs_forgotten(project: Project) -> None:
    run_serially("--only", sweeps.plan(project, "toy/trial").runs[0].key)
    key = RunStore.of(project).all_keys()[0]
    tracked = read.find(project, key)
    assert recipe(project, tracked.run_id).key == key
    shutil.rmtree(project.mlruns)
    assert "1 runs recorded" in pearl("track", "sync").output
    assert read.keys(project) == {key}
    shutil.rmtree(project.store / "runs")
    assert recipe(project, read.find(project, key).run_id).key == key


@pytest.mark.usefixtures("with_mlflow")
def test_removing_a_run_removes_it_from_mlflow(project: Project) -> None:
    run_serially("--only", sweeps.plan(project, "toy/trial").runs[0].key)
    pearl("runs", "rm", RunStore.of(project).all_keys()[0], "--yes")
    assert read.keys(project) == set()


def test_gc_lists_first_and_deletes_only_waste(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_serially("--seeds", "0")
    keys = RunStore.of(project).all_keys()
    assert "Nothing to clear away" in pearl("gc").output
    dead = project.store / "runs" / "ab" / ".abc.4194305-0a1b2c3d.part"
    alive = project.store / "runs" / "ab" / f".abc.{os.getpid()}-0a1b2c3d.part"
    for folder in (dead, alive):
        folder.mkdir(parents=True)
    listed = pearl("gc").output
    assert "1 things" in listed
    assert dead.exists()
    pearl("gc", "--yes")
    assert alive.exists()
    assert not dead.exists()
    assert RunStore.of(project).all_keys() == keys
    monkeypatch.setattr("pearl.sweeps.cleaning.code_hash", lambda entry: "other")
    assert [each.key for each in find_waste(project)] == keys
    pearl("gc", "--yes")
    assert RunStore.of(project).all_keys() == []


def test_two_projects_do_not_mix(project: Project, tmp_path: Path) -> None:
    run_serially("--seeds", "0")
    other = make_project(tmp_path / "other")
    assert sweeps.plan(other, "toy/trial", seeds="0").found == ()
