import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np
import psutil
import pytest
from toy_world import make_project

from pearl import sweeps
from pearl.errors import DataError, PearlError, SettingError
from pearl.files import sha256_of
from pearl.project import Project
from pearl.runs import CorruptRunError, RunStore, StoredRun
from pearl.runs.stored import write_run
from pearl.simulation.trajectory import Trajectory
from pearl.tracking import read
from pearl.tracking.store import recorded

TOYS = str(Path(__file__).resolve().parents[1] / "support")
SCRIPT = """
import sys
from pearl import sweeps
from pearl.project import Project
if __name__ == "__main__":
    plan = sweeps.plan(Project.find(), "toy/trial")
    print(len(sweeps.execute(plan, runner=sys.argv[1], workers=2)))
"""


def start(project: Project, runner: str = "processes", **variables: str) -> subprocess.Popen[str]:
    path = os.pathsep.join(filter(None, [TOYS, os.environ.get("PYTHONPATH")]))
    environment = {**os.environ, "PYTHONPATH": path, **variables}
    script = project.root / "sweep_toys.py"
    script.write_text(SCRIPT)
    return subprocess.Popen(
        [sys.executable, str(script), runner],
        cwd=project.root,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A shell's background job ignores Ctrl-C, and its children would inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def curves(project: Project) -> dict[str, str]:
    store = RunStore.of(project)
    return {key: sha256_of(store.path(key) / "curve.parquet") for key in store.all_keys()}


def wait_for(condition: object, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)


@pytest.mark.usefixtures("with_mlflow")
def test_a_sweep_makes_what_is_missing_and_tracks_it(project: Project) -> None:
    first = sweeps.sweep(project, "toy/trial", seeds="0")
    assert (len(first.made), len(first.plan.runs), first.complete) == (4, 4, True)
    whole = sweeps.sweep(project, "toy/trial")
    assert (len(whole.made), len(whole.plan.found), len(whole.rows)) == (4, 4, 8)
    assert read.keys(project) == set(whole.rows["key"]) == set(RunStore.of(project).all_keys())
    again = sweeps.sweep(project, "toy/trial")
    assert (again.made, len(again.rows)) == ((), 8)
    assert [len(found) for found in recorded(project).values()] == [1] * 8
    assert whole.results_file == project.store / "results/smoke-none/toy-trial.parquet"
    assert not project.results.exists()
    assert not (project.store / "chunks").exists() or not any((project.store / "chunks").iterdir())


def test_serial_and_parallel_are_bit_equal(tmp_path: Path) -> None:
    serial, parallel = make_project(tmp_path / "s"), make_project(tmp_path / "p")
    one = sweeps.sweep(serial, "toy/trial", runner="serial")
    two = sweeps.sweep(parallel, "toy/trial", runner="processes", workers=2)
    assert len(one.made) == len(two.made) == 8
    assert curves(serial) == curves(parallel)
    assert one.results_file.read_bytes() == two.results_file.read_bytes()
    store = RunStore.of(parallel)
    assert all(store.read(key).machine["blas_threads"] == 1 for key in store.all_keys())


def test_killed_and_run_again_it_is_as_if_nothing_had_been(tmp_path: Path) -> None:
    whole, broken = make_project(tmp_path / "whole"), make_project(tmp_path / "broken")
    process = start(broken, TOY_PAUSE="0.3")
    store = RunStore.of(broken)
    wait_for(lambda: len(store.all_keys()) >= 2)
    workers = psutil.Process(process.pid).children()
    process.send_signal(signal.SIGKILL)
    process.wait()
    # Workers end with their parent; until then a run that they hold may still be finished.
    assert workers
    wait_for(lambda: not any(worker.is_running() for worker in workers), 30)
    kept = curves(broken)
    assert 2 <= len(kept) < 8
    outcome = sweeps.sweep(broken, "toy/trial")
    assert len(outcome.made) == 8 - len(kept)
    assert kept.items() <= curves(broken).items()
    reference = sweeps.sweep(whole, "toy/trial")
    assert curves(broken) == curves(whole)
    assert outcome.results_file.read_bytes() == reference.results_file.read_bytes()


def _locked(store: RunStore) -> list[str]:
    return [path.stem for path in (store.folder / "locks").glob("*.lock")]


def _free(store: RunStore, key: str) -> bool:
    with store.claim(key, wait=False) as held:
        return held


def test_two_sweeps_at_once_make_each_run_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, log = make_project(tmp_path / "project"), tmp_path / "log"
    monkeypatch.setenv("TOY_LOG", str(log))
    monkeypatch.setenv("TOY_PAUSE", "0.1")
    plan = sweeps.plan(project, "toy/trial")
    other = start(project, "serial")
    wait_for(log.exists)
    made = sweeps.execute(plan)
    output, errors = other.communicate(timeout=120)
    assert other.returncode == 0, errors
    assert int(output) + len(made) == 8
    assert sorted(Counter(log.read_text().splitlines()).values()) == [1] * 8


def test_ctrl_c_ends_workers_quickly_and_keeps_what_is_done(tmp_path: Path) -> None:
    project, log = make_project(tmp_path / "project", grid={}), tmp_path / "log"
    process = start(project, TOY_LOG=str(log), TOY_PAUSE="600")
    wait_for(lambda: log.exists() and len(log.read_text().splitlines()) == 2)
    begun = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert time.monotonic() - begun < 20
    assert process.returncode != 0
    assert "KeyboardInterrupt" in errors
    store = RunStore.of(project)
    assert all(_free(store, key) for key in _locked(store))
    assert store.failures() == []
    assert not any((project.store / "chunks").iterdir())


@pytest.mark.usefixtures("with_mlflow")
def test_a_failing_run_is_kept_apart_and_tried_again_on_demand(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOY_BROKEN", "1.5:1")
    outcome = sweeps.sweep(project, "toy/trial")
    assert (len(outcome.made), len(outcome.failed), len(outcome.rows)) == (6, 2, 6)
    assert not outcome.complete
    assert outcome.failed[0].cause == "ValueError: the toy fell over"
    assert "toy_world.py" in outcome.failed[0].traceback
    assert read.find(project, outcome.failed[0].key).tags["pearl.status"] == "failed"
    notes = json.loads(outcome.results_file.with_suffix(".json").read_text())
    assert set(notes["failed"]) == {failure.key for failure in outcome.failed}
    monkeypatch.delenv("TOY_BROKEN")
    left = sweeps.sweep(project, "toy/trial")
    assert (left.made, len(left.failed)) == ((), 2)
    mended = sweeps.sweep(project, "toy/trial", retry_failed=True)
    assert (len(mended.made), mended.failed, mended.complete) == (2, (), True)
    assert read.keys(project) == set(mended.rows["key"])


@pytest.mark.parametrize("runner", ["serial", "processes"])
def test_missing_data_is_no_failure_of_a_run(
    project: Project, monkeypatch: pytest.MonkeyPatch, runner: str
) -> None:
    monkeypatch.setenv("TOY_BROKEN", "data:1.5:1")
    with pytest.raises(DataError, match=r"toys\.parquet"):
        sweeps.sweep(project, "toy/trial", runner=runner, workers=2)
    store = RunStore.of(project)
    assert store.failure_files() == []
    kept = store.all_keys()
    assert 0 < len(kept) < 8
    monkeypatch.delenv("TOY_BROKEN")
    whole = sweeps.sweep(project, "toy/trial")
    assert (len(whole.plan.found), whole.complete) == (len(kept), True)


def test_a_run_that_diverges_is_a_failure(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOY_BROKEN", "nan:0.5:0")
    outcome = sweeps.sweep(project, "toy/trial")
    assert {failure.kind for failure in outcome.failed} == {"diverged"}
    assert "regret is nan in round 4" in outcome.failed[0].cause


def test_a_worker_that_dies_is_named(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOY_BROKEN", "exit:1.5:1")
    with pytest.raises(PearlError, match="worker process died"):
        sweeps.sweep(project, "toy/trial", runner="processes", workers=2)
    assert not any((project.store / "chunks").iterdir())
    monkeypatch.delenv("TOY_BROKEN")
    assert sweeps.sweep(project, "toy/trial").complete


def test_the_stage_writes_results_or_nothing(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOY_BROKEN", "1.5:1")
    with pytest.raises(PearlError, match="2 of 8 runs are missing"):
        sweeps.refresh_results(project, "toy/trial")
    assert not project.results.exists()
    monkeypatch.delenv("TOY_BROKEN")
    outcome = sweeps.refresh_results(project, "toy/trial")
    file = project.results / "toy-trial.parquet"
    assert outcome.results_file == file
    text = file.read_bytes()
    # More runs by pearl run leave the stage's file alone; the stage's file holds its own runs.
    more = sweeps.sweep(project, "toy/trial", seeds="2-3")
    assert len(more.rows) == 16
    assert file.read_bytes() == text
    file.unlink()
    assert sweeps.refresh_results(project, "toy/trial").made == ()
    assert file.read_bytes() == text
    with pytest.raises(SettingError, match=r"params\.yaml alone"):
        sweeps.plan(project, "toy/trial", seeds="0", stage=True)


def test_asking_for_a_few_runs_takes_no_rows_from_the_results(project: Project) -> None:
    def seeds_of(outcome: sweeps.SweepOutcome) -> list[int]:
        return sorted(outcome.rows["seed"])

    first = sweeps.sweep(project, "toy/trial", seeds="1")
    assert (seeds_of(first), first.complete) == ([1] * 4, True)
    whole = sweeps.sweep(project, "toy/trial")
    text = whole.results_file.read_bytes()
    assert seeds_of(whole) == [0] * 4 + [1] * 4
    only = whole.plan.runs[2].key
    for few in ({"seeds": "0"}, {"only": only}):
        outcome = sweeps.sweep(project, "toy/trial", **few)
        assert outcome.results_file.read_bytes() == text
        assert (outcome.made, outcome.complete) == ((), True)
    notes = json.loads(whole.results_file.with_suffix(".json").read_text())
    assert (notes["planned"], notes["present"]) == (8, 8)
    # A seed beyond the experiment's is in the file only while it is asked for.
    assert seeds_of(sweeps.sweep(project, "toy/trial", seeds="7")) == [0] * 4 + [1] * 4 + [7] * 4
    assert sweeps.sweep(project, "toy/trial").results_file.read_bytes() == text


def test_a_run_made_again_is_held_against_the_stored_one(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = sweeps.plan(project, "toy/trial").runs[0].key
    made = sweeps.sweep(project, "toy/trial", only=key, again=True)
    assert (made.made, made.differences) == ((key,), None)
    store = RunStore.of(project)
    before = {file.name: file.read_bytes() for file in store.path(key).iterdir()}
    same = sweeps.sweep(project, "toy/trial", only=key, again=True)
    assert (same.made, same.differences) == ((), ())
    assert {file.name: file.read_bytes() for file in store.path(key).iterdir()} == before
    run = store.read(key)
    trajectory = _trajectory(run)
    trajectory.regret[4] = np.nextafter(trajectory.regret[4], 9)
    trajectory.facts["word"] = "top"
    old = {**run.machine, "python": "2.7"}
    write_run(run.folder, run.run, trajectory, old)
    before = {file.name: file.read_bytes() for file in store.path(key).iterdir()}
    curve, word, cause = sweeps.sweep(project, "toy/trial", only=key, again=True).differences
    assert curve.startswith("regret: 1 of 50 values, the first at 5:")
    assert word == "word: 'top' stored, 'toy' made"
    assert "python: 2.7 then" in cause
    monkeypatch.setenv("TOY_BROKEN", f"{run.run.spec.config['method']['gain']}:{run.run.spec.seed}")
    with pytest.raises(PearlError, match="fails now: ValueError: the toy fell over"):
        sweeps.sweep(project, "toy/trial", only=key, again=True)
    assert {file.name: file.read_bytes() for file in store.path(key).iterdir()} == before
    assert store.failure_files() == []
    with pytest.raises(SettingError, match="--again"):
        sweeps.sweep(project, "toy/trial", again=True)


def test_a_dry_run_makes_nothing_and_judges_time_by_earlier_runs(project: Project) -> None:
    dry = sweeps.sweep(project, "toy/trial", dry_run=True)
    assert (dry.made, dry.rows) == ((), None)
    assert dry.estimate.seconds is None
    assert dry.estimate.unknown == ("Keen", "Steady")
    assert dry.estimate.most_bytes == 8 * 50 * 16
    assert RunStore.of(project).all_keys() == []
    sweeps.sweep(project, "toy/trial", seeds="0")
    store = RunStore.of(project)
    for key in store.all_keys():
        run = store.read(key)
        machine = {**run.machine, "seconds": 5.0}
        write_run(run.folder, run.run, _trajectory(run), machine)
    known = sweeps.sweep(project, "toy/trial", dry_run=True, runner="processes", workers=2)
    assert known.estimate.seconds == pytest.approx(4 * 5.0 / 2)


def test_other_versions_mark_the_sweep_mixed(project: Project) -> None:
    sweeps.sweep(project, "toy/trial", seeds="0")
    store = RunStore.of(project)
    key = store.all_keys()[0]
    run = store.read(key)
    old = {**run.machine, "packages": {**run.machine["packages"], "numpy": "1.0"}}
    write_run(run.folder, run.run, _trajectory(run), old)
    plan = sweeps.plan(project, "toy/trial")
    assert sweeps.mixed_if_resumed(plan) == {"numpy": ("1.0", np.__version__)}
    outcome = sweeps.sweep(project, "toy/trial")
    assert outcome.mixed == {"numpy": ("1.0", np.__version__)}
    notes = json.loads(outcome.results_file.with_suffix(".json").read_text())
    assert notes["mixed"] == {"numpy": ["1.0", np.__version__]}


def _trajectory(run: StoredRun) -> Trajectory:
    return Trajectory(run.regret().copy(), run.episode_starts(), dict(run.facts))


def test_damage_stops_the_plan(project: Project) -> None:
    sweeps.sweep(project, "toy/trial", seeds="0")
    store = RunStore.of(project)
    key = store.all_keys()[0]
    (store.path(key) / "curve.parquet").write_bytes(b"x")
    with pytest.raises(CorruptRunError, match=key):
        sweeps.plan(project, "toy/trial")


def test_chunks_are_paths_in_and_keys_out(project: Project) -> None:
    plan = sweeps.plan(project, "toy/trial")
    paths = sweeps.write_chunks(plan, 3)
    assert len(paths) == 3
    made = [key for path in paths for key in sweeps.execute_chunk(str(project.root), path)]
    assert sorted(made) == [run.key for run in plan.runs]
    assert sweeps.execute_chunk(str(project.root), paths[0]) == []
    sweeps.remove_chunks(paths)
    assert not any((project.store / "chunks").iterdir())
    assert sweeps.finish(plan).complete


def test_one_key_alone_and_unknown_words(project: Project) -> None:
    plan = sweeps.plan(project, "toy/trial")
    key = plan.runs[3].key
    assert [run.key for run in sweeps.plan(project, "toy/trial", only=key[:12]).runs] == [key]
    with pytest.raises(SettingError, match="reproduce"):
        sweeps.plan(project, "toy/trial", only="zz")
    with pytest.raises(SettingError, match="8 runs of toy/trial"):
        sweeps.plan(project, "toy/trial", only="")
    with pytest.raises(SettingError, match="'smoke'"):
        sweeps.plan(project, "toy/trial", profile="smokey")
    with pytest.raises(SettingError, match="toy/trial"):
        sweeps.plan(project, "toy/trail")
