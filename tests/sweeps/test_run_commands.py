import json
import os
import shutil
from pathlib import Path

import pandas as pd
import pytest
import typer
import yaml
from toy_world import EXPERIMENT, make_project
from typer.testing import CliRunner, Result

from pearl import sweeps
from pearl.cli import run as commands
from pearl.cli.runs import app as runs_app
from pearl.errors import PearlError, SettingError
from pearl.project import Project
from pearl.runs import RunStore
from pearl.runs.stored import write_run
from pearl.simulation.trajectory import Trajectory
from pearl.sweeps.cleaning import find_waste
from pearl.sweeps.recipe import recipe
from pearl.tracking import read

app = typer.Typer()
for name in ("run", "experiments", "methods", "reproduce", "gc"):
    app.command(name)(getattr(commands, name))
app.add_typer(commands.track, name="track")
app.add_typer(runs_app, name="runs")


def pearl(*words: str, code: int = 0, width: str | None = "200") -> Result:
    result = CliRunner(env={"COLUMNS": width} if width else {}).invoke(app, list(words))
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
    assert any("Keen" in line and "M=3, T = 50" in line for line in lines)
    assert lines[-1].startswith("Rows: ")
    assert "8 found, 0 made, 0 failed" in run_serially().output


def test_only_what_a_report_can_show_is_sent_to_it(project: Project) -> None:
    make_project(project.root, report={"table": "final_regret"}, grid={})
    lines = run_serially("--seeds", "0").output.splitlines()
    assert lines[-1] == "Next: pearl report --profile smoke"


def test_the_table_shows_the_seeds_asked_for(project: Project) -> None:
    run_serially("--seeds", "0-1")
    again = [line.split("│") for line in run_serially("--seeds", "1").output.splitlines()]
    assert {line[3].strip() for line in again if len(line) > 3} == {"1"}


def test_a_dry_run_estimates(project: Project) -> None:
    output = run_serially("--dry-run").output
    assert "8 runs, time unknown (never made here: Keen; Steady), at most 0.0 MB" in output
    assert RunStore.of(project).all_keys() == []


def test_a_groups_dry_run_counts_shared_runs_once(project: Project) -> None:
    half = {**EXPERIMENT, "id": "toy/half", "methods": ["steady"]}
    more = {**EXPERIMENT, "id": "toy/more", "profiles": {"smoke": {"seeds": 3, "horizon": 50}}}
    for one in (half, more):
        file = project.root / f"experiments/{one['id']}.yaml"
        file.write_text(yaml.safe_dump(one))
    output = pearl("run", "toy/all", "--dry-run").output
    assert "toy/half, profile smoke, 4 runs: 0 found, 4 to make\n4 runs, time" in output
    assert "\nShared: 4 with toy/half. 8 more runs, time unknown" in output
    assert "\nShared: 4 with toy/half; 4 with toy/more. Nothing more to make." in output
    assert "\nIn all: 12 runs, time unknown (never made here: Keen; Steady), at most" in output
    assert not project.store.exists()
    pearl("run", "toy/half", "--runner", "serial")
    assert "8 more runs" not in pearl("run", "toy/all", "--dry-run").output
    assert (
        "toy/more, profile smoke, 12 runs: 4 found, 8 to make"
        in pearl("run", "toy/all", "--dry-run").output
    )


@pytest.mark.parametrize(
    ("word", "near"),
    [
        ("pearl/tabel02", "pearl/table02"),
        ("pearl/theorie", "pearl/theory"),
        ("pearl/al", "pearl/all"),
        ("toy/trail", "toy/trial"),
    ],
)
def test_the_nearest_name_may_be_an_exhibit_or_a_group(
    word: str, near: str, project: Project
) -> None:
    with pytest.raises(SettingError, match=f"Did you mean '{near}'") as caught:
        pearl("run", word)
    assert caught.value.problem == f"There is no experiment, exhibit or group of them {word!r}."


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


def test_a_group_runs_one_after_the_other(project: Project) -> None:
    result = pearl("run", "toy/all", "--runner", "serial", "--seeds", "0")
    assert "toy/trial, profile smoke, 4 runs: 0 found, 4 to make" in result.output
    assert "4 found, 0 made" in pearl("run", "toy/all", "--runner", "serial", "--seeds", "0").output
    with pytest.raises(SettingError, match="--only names one run"):
        pearl("run", "toy/all", "--only", "ab")


def test_a_groups_failures_are_told_together(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOY_BROKEN", "0.5:0")
    result = pearl("run", "toy/all", "--runner", "serial", "--seeds", "0", code=1)
    assert "With failed runs: toy/trial" in result.stderr
    assert "pearl run toy/all --seeds 0 --retry-failed" in result.stderr


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
    assert "environment.mode" not in compared
    for file in (tmp_path / "x.csv", tmp_path / "x.parquet"):
        pearl("runs", "export", str(file), "--experiment", "toy/trial")
    assert list(pd.read_csv(tmp_path / "x.csv")["key"]) == keys
    assert "curve_regret" in pd.read_parquet(tmp_path / "x.parquet").columns
    with pytest.raises(PearlError, match="csv"):
        pearl("runs", "export", str(tmp_path / "x.txt"))
    assert "Nothing is deleted" in pearl("runs", "rm", keys[0]).output
    pearl("runs", "rm", keys[0], "--yes")
    assert RunStore.of(project).all_keys() == keys[1:]


def test_nothing_is_cut_where_no_terminal_is(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_serially("--seeds", "0")
    keys = RunStore.of(project).all_keys()
    monkeypatch.setenv("COLUMNS", "40")
    lines = pearl("runs", "list", width=None).output.splitlines()
    for key in keys:
        [line] = [line for line in lines if key[:12] in line]
        assert "seed 0" in line
        assert f"store/runs/{key[:2]}/{key}\n" in pearl("runs", "rm", key, width=None).output
    # In a narrow terminal other columns wrap, the key stays whole.
    monkeypatch.setenv("FORCE_COLOR", "1")
    output = pearl("runs", "list", width=None).output
    assert all(key[:12] in output for key in keys)


def test_words_that_no_run_has_are_refused(project: Project) -> None:
    run_serially("--seeds", "0")
    for option, word, near in (
        ("--experiment", "toy/trail", "toy/trial"),
        ("--profile", "smple", "sample"),
        ("--method", "kene", "keen"),
    ):
        for command in (("list",), ("list", "--failed"), ("export", "x.csv")):
            with pytest.raises(SettingError, match=near):
                pearl("runs", *command, option, word)
    assert "0 runs" in pearl("runs", "list", "--profile", "paper").output
    # An experiment that is no longer defined is known by its runs.
    shutil.rmtree(project.root / "experiments" / "toy")
    assert "4 runs" in pearl("runs", "list", "--experiment", "toy/trial").output


def test_a_damaged_run_can_be_removed(project: Project) -> None:
    run_serially("--seeds", "0")
    store = RunStore.of(project)
    key = store.all_keys()[0]
    (store.path(key) / "facts.json").unlink()
    with pytest.raises(PearlError, match="damaged"):
        run_serially()
    pearl("runs", "rm", key[:12], "--yes")
    assert "3 found, 5 made" in run_serially().output


def test_the_recipe_makes_the_same_run_again_and_deletes_nothing(project: Project) -> None:
    outcome = sweeps.sweep(project, "toy/trial", seeds="4")
    key = outcome.made[0]
    store = RunStore.of(project)
    before = {file.name: file.read_bytes() for file in store.path(key).iterdir()}
    found = recipe(project, key[:10])
    command = f"pearl run toy/trial --profile smoke --seeds 4 --only {key[:12]} --again"
    assert (found.commands, found.warnings, found.reachable) == ((command,), (), True)
    assert "the same, bit for bit" in pearl(*command.split()[1:]).output
    assert {file.name: file.read_bytes() for file in store.path(key).iterdir()} == before
    output = pearl("reproduce", key[:10]).output
    assert key in output
    assert command in output
    # The store gone, the results file still knows the run; made again it is stored again.
    shutil.rmtree(project.store / "runs")
    assert recipe(project, key[:10]) == found
    assert "1 made" in pearl(*command.split()[1:]).output
    assert (store.path(key) / "curve.parquet").read_bytes() == before["curve.parquet"]
    with pytest.raises(PearlError, match="No runs"):
        recipe(project, "zzz")


def test_a_run_that_comes_out_otherwise_is_told_and_the_stored_one_kept(project: Project) -> None:
    key = sweeps.sweep(project, "toy/trial", seeds="0").made[0]
    run = RunStore.of(project).read(key)
    facts = {**run.facts, "episodes": 1}
    other = Trajectory(run.regret(), run.episode_starts(), facts)
    write_run(run.folder, run.run, other, run.machine)
    output = run_serially("--only", key, "--again", code=1).output
    assert "episodes: 1 stored, 8 made" in output
    assert "kept" in output
    assert RunStore.of(project).read(key).facts == facts


def test_the_recipe_says_when_a_key_is_not_reached_any_more(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = sweeps.sweep(project, "toy/trial", seeds="0").made[0]
    make_project(project.root, settings={"mode": "foul"}, grid={"memory": [1, 2, 3]})
    monkeypatch.setattr("pearl.sweeps.product.code_hash", lambda *entries: "f" * 64)
    found = recipe(project, key)
    assert not found.reachable
    assert [word.split(":")[0] for word in found.warnings] == [
        "Settings, data and code as they are here don't give this key",
        "- code",
        "- settings",
        "The git commit wasn't recorded",
    ]
    assert found.warnings[2] == "- settings: environment.mode was fair, is foul"
    with pytest.raises(PearlError, match="reproduce"):
        run_serially("--only", key, "--again")
    assert RunStore.of(project).has(key)
    run = RunStore.of(project).read(key)
    machine = {**run.machine, "git_commit": "c0ffee", "git_dirty": True}
    same = Trajectory(run.regret(), run.episode_starts(), run.facts)
    write_run(run.folder, run.run, same, machine)
    found = recipe(project, key)
    assert found.commands[0] == "git checkout c0ffee"
    assert "- git commit: c0ffee then, None now" in found.warnings
    assert "uncommitted" in found.warnings[-1]
    shutil.rmtree(project.root / "experiments")
    [_, cause, *_] = recipe(project, key).warnings
    assert "can't be planned" in cause


@pytest.mark.usefixtures("with_mlflow")
def test_mlflow_ids_are_known_and_removed_runs_forgotten(
    project: Project, empty_mlruns: Path
) -> None:
    run_serially("--only", sweeps.plan(project, "toy/trial").runs[0].key)
    key = RunStore.of(project).all_keys()[0]
    tracked = read.find(project, key)
    assert recipe(project, tracked.run_id).key == key
    shutil.rmtree(project.mlruns)
    shutil.copytree(empty_mlruns, project.mlruns)
    assert "1 runs recorded" in pearl("track", "sync").output
    assert read.keys(project) == {key}
    shutil.rmtree(project.store / "runs")
    lost = recipe(project, read.find(project, key).run_id)
    assert (lost.key, lost.reachable) == (key, True)
    make_project(project.root, settings={"mode": "foul"})
    assert "- settings: they differ" in recipe(project, key).warnings[1]


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
    half_made = [
        project.mlruns / f".mlflow.db.4194305-0a1b2c3d.part{end}"
        for end in ("", "-journal", "-wal", "-shm")
    ]
    damaged = project.store / "failures" / "abc.json"
    for file in (*half_made, damaged):
        file.parent.mkdir(exist_ok=True)
        file.write_text("{")
    listed = pearl("gc").output
    assert "6 things" in listed
    assert "store/failures/abc.json  (damaged record of a failed run)" in listed
    assert dead.exists()
    pearl("gc", "--yes")
    assert alive.exists()
    assert not any(path.exists() for path in (dead, damaged, *half_made))
    assert RunStore.of(project).all_keys() == keys
    monkeypatch.setattr("pearl.sweeps.cleaning.code_hash", lambda *entries: "other")
    assert [each.key for each in find_waste(project)] == keys
    pearl("gc", "--yes")
    assert RunStore.of(project).all_keys() == []


def test_two_projects_do_not_mix(project: Project, tmp_path: Path) -> None:
    run_serially("--seeds", "0")
    other = make_project(tmp_path / "other")
    assert sweeps.plan(other, "toy/trial", seeds="0").found == ()
