import json
import os
import shutil
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from made_runs import MACHINE, planned, trajectory
from toy_world import make_project

from pearl.errors import PearlError
from pearl.project import Project
from pearl.runs import DivergedError, RunStore, StoredRun, results
from pearl.tracking import moved, read
from pearl.tracking.describe import from_store
from pearl.tracking.entry import Entry
from pearl.tracking.rebuild import results_files, sync
from pearl.tracking.sqlite import database
from pearl.tracking.store import reader, recorded, writer
from pearl.tracking.write import forget, mark_mixed, record, record_failures, record_runs

PROVENANCE = {
    "dataset": "mooncake",
    "source": "sample",
    "publisher": "p",
    "revision": "r1",
    "url": "u",
    "licence": "Apache-2.0",
    "commercial": True,
    "files": [{"name": "a.jsonl", "sha256": "ab" * 32, "byte_count": 3}],
    "rows": 12,
    "label": "sample data made by pearl's generator, not Mooncake",
}


def stored(project: Project, seed: int = 0, horizon: int = 20, **words: object) -> StoredRun:
    run = planned(seed, horizon, **words)
    return RunStore.of(project).write(run, trajectory(horizon), MACHINE)


@pytest.fixture
def tracked(project: Project, empty_mlruns: Path) -> Project:
    shutil.copytree(empty_mlruns, project.mlruns)
    return project


def test_a_run_is_recorded_whole(tracked: Project) -> None:
    run = stored(tracked, horizon=5_000, data_source="sample", provenance=PROVENANCE)
    assert record(tracked, run.folder)
    found = read.find(tracked, run.key[:10])
    assert (found.key, found.name, found.status) == (run.key, "Steady · seed 0", "FINISHED")
    assert found.parameters["environment.memory"] == "2"
    assert found.parameters["method.gain"] == "1.0"
    assert found.parameters["horizon"] == "5000"
    expected = {
        "pearl.key": run.key,
        "pearl.profile": "smoke",
        "seed": "0",
        "data.source": "sample",
        "data.revision": "r1",
        "data.sha256": "ab" * 32 + " a.jsonl",
        "data.rows": "12",
        "data.licence": "Apache-2.0",
        "data.label": PROVENANCE["label"],
        "git.commit": "c0ffee",
        "package.numba": "0",
        "blas": "openblas",
        "machine": "p, 2 cores, s",
        "fact.word": "w",
    }
    assert expected.items() <= found.tags.items()
    assert PROVENANCE["label"] in found.tags["mlflow.note.content"]
    assert found.metrics["final_regret"] == run.facts["final_regret"]
    client = reader(tracked)
    history = client.get_metric_history(found.run_id, "regret")
    assert len(history) <= 200
    assert [history[0].step, history[-1].step] == [1, 5_000]
    for point in history:
        assert point.value == run.regret()[point.step - 1]
    info = client.get_run(found.run_id).info
    assert info.end_time - info.start_time == 1_000
    [experiment] = client.search_experiments(filter_string="name LIKE 'toy%'")
    assert experiment.name == "toy/trial - A trial"
    config = json.loads(Path(client.download_artifacts(found.run_id, "config.json")).read_text())
    assert config == run.run.spec.config
    curve = pq.read_table(client.download_artifacts(found.run_id, "curve.parquet"))
    np.testing.assert_array_equal(curve["regret"].to_numpy(), run.regret())


def test_a_key_is_recorded_once(tracked: Project) -> None:
    run = stored(tracked)
    assert record(tracked, run.folder)
    assert not record(tracked, run.folder)
    assert record_runs(tracked, [run, stored(tracked, 1), run]) == [planned(1).key]
    assert [len(found) for found in recorded(tracked).values()] == [1, 1]


def test_what_a_killed_writer_left_is_replaced(tracked: Project) -> None:
    run = stored(tracked)
    with writer(tracked) as client:
        place = client.create_experiment("toy", tags={"pearl.experiment": "toy/trial"})
        left = client.create_run(place, tags={"pearl.key": run.key}).info.run_id
    assert record(tracked, run.folder)
    [(run_id, status)] = recorded(tracked)[run.key]
    assert run_id != left
    assert status == "FINISHED"
    assert reader(tracked).get_run(left).info.lifecycle_stage == "deleted"


def test_numbers_that_are_not_finite_are_refused_and_marked(tracked: Project) -> None:
    good, bad = stored(tracked, 0), stored(tracked, 1)
    bad.facts["ratio"] = float("inf")
    with pytest.raises(DivergedError, match="ratio"):
        record_runs(tracked, [bad, good])
    marked = read.find(tracked, bad.key)
    assert (marked.status, marked.tags["pearl.status"]) == ("FAILED", "diverged")
    assert "ratio" in marked.tags["pearl.cause"]
    assert marked.metrics == {}
    assert read.keys(tracked) == {good.key}


def test_failures_are_seen_and_give_way_to_success(tracked: Project) -> None:
    store = RunStore.of(tracked)
    run = planned()
    failure = store.add_failure(run, DivergedError("regret is nan"))
    assert record_failures(tracked, [failure]) == [run.key]
    found = read.find(tracked, run.key)
    assert record_failures(tracked, [failure]) == []
    again = store.add_failure(run, DivergedError("regret is nan"))
    assert record_failures(tracked, [again]) == [run.key]
    assert read.find(tracked, run.key).tags["pearl.attempts"] == "2"
    assert (found.status, found.tags["pearl.status"]) == ("FAILED", "diverged")
    assert "regret is nan" in found.tags["pearl.cause"]
    assert read.keys(tracked) == set()
    assert record(tracked, stored(tracked).folder)
    assert read.find(tracked, run.key).status == "FINISHED"
    assert len(recorded(tracked)[run.key]) == 1


def test_deleted_and_synced_the_same_keys_are_there(tracked: Project, empty_mlruns: Path) -> None:
    runs = [stored(tracked, seed) for seed in range(3)]
    record_runs(tracked, runs)
    shutil.rmtree(tracked.mlruns)
    shutil.copytree(empty_mlruns, tracked.mlruns)
    done = sync(tracked)
    assert (done.recorded, done.known, done.from_results) == (3, 0, 0)
    assert read.keys(tracked) == {run.key for run in runs}
    assert sync(tracked).recorded == 0


def test_what_an_exhibit_measured_holds_no_runs(tracked: Project) -> None:
    before = results_files(tracked)
    for folder in (tracked.results, tracked.store / "results/sample-sample"):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "pearl-figure2.parquet").write_bytes(b"no rows of runs")
    assert results_files(tracked) == before


def test_without_store_the_results_files_give_the_runs(tracked: Project) -> None:
    runs = [stored(tracked, seed, 1_000) for seed in range(2)]
    kept = stored(tracked, 2)
    file = tracked.results / "toy-trial.parquet"
    results.write(file, [results.row(run, run.run) for run in [*runs, kept]])
    for run in runs:
        RunStore.of(tracked).remove(run.key)
    assert sync(tracked).from_results == 2
    assert read.keys(tracked) == {run.key for run in [*runs, kept]}
    found = read.find(tracked, runs[0].key)
    assert "results/toy-trial.parquet" in found.tags["pearl.rebuilt_from"]
    assert found.metrics["final_regret"] == pytest.approx(runs[0].facts["final_regret"], rel=1e-8)
    assert found.metrics["regret"] == runs[0].facts["final_regret"]
    assert found.tags["fact.word"] == "w"
    assert "git.commit" not in found.tags
    assert "pearl.rebuilt_from" not in read.find(tracked, kept.key).tags


def test_a_moved_project_is_detected_and_mended(tracked: Project, tmp_path: Path) -> None:
    run = stored(tracked)
    record(tracked, run.folder)
    assert moved.former_root(tracked) is None
    there = Project(tmp_path / "moved to 100%_here")
    os.rename(tracked.root, there.root)
    assert moved.former_root(there) == str(tracked.root)
    with writer(there) as client:
        found = read.find(there, run.key)
        config = Path(client.download_artifacts(found.run_id, "config.json")).read_text()
        place = client.get_run(found.run_id).info.artifact_uri
    assert json.loads(config) == run.run.spec.config
    assert place.startswith(there.root.as_uri())
    assert moved.former_root(there) is None
    assert moved.repair(there) == 0
    assert record(there, stored(there, 1).folder)


def test_foreign_artifact_places_stay(tracked: Project, tmp_path: Path) -> None:
    with writer(tracked) as client:
        place = client.create_experiment("mine", artifact_location=(tmp_path / "art").as_uri())
    with writer(tracked) as client:
        assert client.get_experiment(place).artifact_location == (tmp_path / "art").as_uri()


def test_two_first_writers_make_one_store(
    project: Project, empty_mlruns: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []

    def create(there: Project) -> None:
        made.append(there)
        time.sleep(0.2)
        shutil.copy(empty_mlruns / "mlflow.db", database(there))

    monkeypatch.setattr("pearl.tracking.store._create", create)
    runs = [stored(project, seed) for seed in range(3)]
    with ThreadPoolExecutor() as pool:
        counts = [len(keys) for keys in pool.map(record_runs, [project] * 2, [runs] * 2)]
    assert made == [project]
    assert sorted(counts) == [0, 3]
    known = {key: len(found) for key, found in recorded(project).items()}
    assert known == {run.key: 1 for run in runs}


def test_nothing_appears_outside_mlruns_whatever_its_path_is(
    tmp_path: Path, empty_mlruns: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made_in = empty_mlruns.parents[2]
    assert [len(list(made_in.glob("/".join("*" * depth)))) for depth in (1, 2, 3)] == [1, 1, 1]
    assert {path.name for path in empty_mlruns.iterdir()} == {"mlflow.db", "writer.lock"}
    project = make_project(tmp_path / empty_mlruns.parents[1].name / "project")
    shutil.copytree(empty_mlruns, project.mlruns)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    run = stored(project)
    assert record(project, run.folder)
    client, found = reader(project), read.find(project, run.key)
    config = Path(client.download_artifacts(found.run_id, "config.json")).read_text()
    assert json.loads(config) == run.run.spec.config
    assert list(elsewhere.iterdir()) == []
    assert {path.name for path in tmp_path.iterdir()} == {"elsewhere", project.root.parent.name}
    assert list(project.root.parent.iterdir()) == [project.root]
    root = (project.mlruns / "artifacts").as_uri()
    assert all(each.artifact_location.startswith(root) for each in client.search_experiments())
    import mlflow

    assert mlflow.active_run() is None


@pytest.mark.parametrize("content", [b"", b"no database at all" * 100], ids=["empty", "garbage"])
def test_what_is_no_store_is_named_with_a_remedy(project: Project, content: bytes) -> None:
    run = stored(project)
    project.mlruns.mkdir()
    database(project).write_bytes(content)
    for attempt in (
        lambda: record(project, run.folder),
        lambda: sync(project),
        lambda: read.keys(project),
        lambda: read.find(project, run.key),
        lambda: list(read.runs(project)),
        lambda: moved.former_root(project),
    ):
        with pytest.raises(PearlError, match=r"mlflow\.db is not an MLflow store") as caught:
            attempt()
        assert "pearl track sync" in caught.value.remedy
    assert database(project).read_bytes() == content


def test_a_store_of_another_mlflow_is_named_too(tracked: Project) -> None:
    with closing(sqlite3.connect(database(tracked))) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = 'another'")
    with pytest.raises(PearlError, match="is not an MLflow store"):
        list(read.runs(tracked))


def test_reading_is_paged_and_names_what_is_missing(tracked: Project) -> None:
    record_runs(tracked, [stored(tracked, seed) for seed in range(5)])
    assert len({run.key for run in read.runs(tracked, "toy/trial", page=2)}) == 5
    assert len(list(read.runs(tracked, page=2))) == 5
    assert list(read.runs(tracked, "toy/other")) == []
    found = read.find(tracked, planned(2).key)
    assert read.find(tracked, found.run_id) == found
    with pytest.raises(PearlError, match="0 tracked runs"):
        read.find(tracked, "zzz")


def test_without_a_store_reading_says_how_to_make_it(project: Project) -> None:
    assert read.keys(project) == set()
    with pytest.raises(PearlError, match="track sync"):
        list(read.runs(project))
    assert not database(project).exists()


def test_experiments_are_renamed_restored_and_marked(tracked: Project) -> None:
    record(tracked, stored(tracked).folder)
    client = reader(tracked)
    [place] = client.search_experiments(filter_string="tags.`pearl.experiment` = 'toy/trial'")
    client.delete_experiment(place.experiment_id)
    record(tracked, stored(tracked, 1, title="New words").folder)
    mark_mixed(tracked, "toy/trial", "smoke-none", {"numpy": ("1", "2")})
    found = client.get_experiment(place.experiment_id)
    assert (found.name, found.lifecycle_stage) == ("toy/trial - New words", "active")
    assert found.tags["pearl.mixed.smoke-none"] == "numpy 1, 2"


def test_a_forgotten_run_leaves_no_artifacts(tracked: Project) -> None:
    run = stored(tracked)
    record(tracked, run.folder)
    [(run_id, _)] = recorded(tracked)[run.key]
    folder = tracked.mlruns / "artifacts" / "toy-trial" / run_id
    assert folder.is_dir()
    assert forget(tracked, [run.key]) == 1
    assert not folder.exists()
    assert read.keys(tracked) == set()


def test_thinning_keeps_ends_and_values(project: Project) -> None:
    for horizon in (1, 3, 150, 20_000):
        points = from_store(stored(project, 7, horizon)).thinned()
        assert len(points) <= 50
        assert points[0][0] == 1
        assert points[-1] == (horizon, trajectory(horizon).regret[-1])


def test_series_stand_at_the_rounds_of_their_folder(project: Project) -> None:
    entry = from_store(stored(project, 7))
    rounds, values = np.arange(100.0, 300.0), np.linspace(0, 1, 200)
    series = {"rolling/t": rounds, "rolling/regret": values, "epoch/reward": np.array([0.5, 0.25])}
    points = replace(entry, metrics={}, curves={}, series=series).points()
    assert points[-2:] == [("epoch/reward", 1, 0.5), ("epoch/reward", 2, 0.25)]
    rolling = points[:-2]
    assert {name for name, _, _ in rolling} == {"rolling/regret"}
    assert (rolling[0], rolling[-1]) == (("rolling/regret", 100, 0.0), ("rolling/regret", 299, 1.0))
    assert len(rolling) == 50
    assert all(value == values[step - 100] for _, step, value in rolling)


def test_runs_are_read_one_at_a_time(tracked: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = [stored(tracked, seed) for seed in range(3)]
    known_at_reading = []

    def reading(run: StoredRun) -> Entry:
        known_at_reading.append(len(read.keys(tracked)))
        return from_store(run)

    monkeypatch.setattr("pearl.tracking.write.from_store", reading)
    record_runs(tracked, runs)
    assert known_at_reading == [0, 1, 2]
