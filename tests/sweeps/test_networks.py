"""Pretrained networks: once a seed and part, shared by methods, sealed, tracked, cleared away."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from toy_network import PER_EPOCH, make_network_project
from typer.testing import CliRunner

from pearl import sweeps
from pearl.cli.checks import CHECKS
from pearl.cli.run_view import estimate_text
from pearl.cli.runs import app as runs_app
from pearl.errors import PearlError
from pearl.project import Project
from pearl.runs import RunStore, results
from pearl.runs.pretrained import CorruptNetworkError, NetworkStore
from pearl.sweeps.cleaning import clean, find_waste
from pearl.sweeps.networks import missing_networks
from pearl.sweeps.recipe import recipe
from pearl.tracking import read
from pearl.tracking.rebuild import sync
from pearl.tracking.store import reader

ID = "toy/network"
TOYS = str(Path(__file__).resolve().parents[1] / "support")


@pytest.fixture
def networked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    made = make_network_project(tmp_path / "project")
    monkeypatch.chdir(made.root)
    monkeypatch.setenv("TOY_LOG", str(tmp_path / "log"))
    for name in ("TOY_PAUSE", "TOY_BROKEN"):
        monkeypatch.delenv(name, raising=False)
    return made


def logged(project: Project) -> list[str]:
    file = project.root.parent / "log"
    return file.read_text().splitlines() if file.exists() else []


def trained(project: Project) -> Counter[str]:
    return Counter(line for line in logged(project) if line.startswith("pretrain"))


def test_a_network_is_made_once_and_first(networked: Project) -> None:
    # 2 flips x (3 methods + 2 variants of deep) x 2 seeds; the wide variant has its own network.
    outcome = sweeps.sweep(networked, ID)
    assert (len(outcome.plan.runs), len(outcome.made)) == (20, 20)
    lines = logged(networked)
    assert trained(networked) == {
        f"pretrain {width} {seed}": 1 for width in (3, 5) for seed in (0, 1)
    }
    assert all(line.startswith("pretrain") for line in lines[:4])
    assert not any(line.startswith("pretrain") for line in lines[4:])
    keys = NetworkStore.of(networked).all_keys()
    assert {run.network.key for run in outcome.plan.runs if run.network} == set(keys)
    rows = outcome.rows
    assert set(rows.loc[rows["method"] == "blind", "network"]) == {""}
    assert set(rows.loc[rows["method"] != "blind", "network"]) == set(keys)
    assert Counter(rows["variant"]) == {"": 12, "wide": 4, "twice": 4}
    assert set(rows.loc[rows["variant"] != "", "method"]) == {"deep"}


def test_later_runs_find_the_network(networked: Project) -> None:
    sweeps.sweep(networked, ID, only=_key(networked, "deep"))
    assert trained(networked) == {"pretrain 3 0": 1}
    assert len(missing_networks(sweeps.plan(networked, ID))) == 3
    sweeps.sweep(networked, ID)
    assert set(trained(networked).values()) == {1}
    # A run made again reads it too.
    same = sweeps.sweep(networked, ID, only=_key(networked, "deeper"), again=True)
    assert same.differences == ()
    assert set(trained(networked).values()) == {1}


def test_serial_processes_and_lazily_made_networks_are_bit_equal(
    networked: Project, tmp_path: Path
) -> None:
    parallel = make_network_project(tmp_path / "parallel")
    lazy = make_network_project(tmp_path / "lazy")
    one = sweeps.sweep(networked, ID)
    two = sweeps.sweep(parallel, ID, runner="processes", workers=2)
    # Chunks alone, without the first phase.
    plan = sweeps.plan(lazy, ID)
    for path in sweeps.write_chunks(plan, 7):
        sweeps.execute_chunk(str(lazy.root), path)
    three = sweeps.finish(plan)
    texts = {each.results_file.read_bytes() for each in (one, two, three)}
    assert len(texts) == 1
    archives = {
        tuple((store.path(key) / "arrays.npz").read_bytes() for key in store.all_keys())
        for store in map(NetworkStore.of, (networked, parallel, lazy))
    }
    assert len(archives) == 1


def test_two_sweeps_at_once_make_each_network_once(
    networked: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOY_PAUSE", "0.3")
    script = (
        "import sys\nfrom pearl import sweeps\nfrom pearl.project import Project\n"
        f"sweeps.execute(sweeps.plan(Project.find(), {ID!r}))\n"
    )
    path = os.pathsep.join(filter(None, [TOYS, os.environ.get("PYTHONPATH")]))
    other = subprocess.Popen(
        [sys.executable, "-c", script], cwd=networked.root, env={**os.environ, "PYTHONPATH": path}
    )
    deadline = time.monotonic() + 60
    while not logged(networked) and time.monotonic() < deadline:
        time.sleep(0.02)
    sweeps.execute(sweeps.plan(networked, ID))
    assert other.wait(60) == 0
    assert len(trained(networked)) == 4
    assert set(trained(networked).values()) == {1}


def test_a_killed_pretraining_leaves_nothing_and_is_made_anew(
    networked: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOY_PAUSE", "60")
    script = (
        "from pearl import sweeps\nfrom pearl.project import Project\n"
        f"sweeps.execute(sweeps.plan(Project.find(), {ID!r}))\n"
    )
    path = os.pathsep.join(filter(None, [TOYS, os.environ.get("PYTHONPATH")]))
    process = subprocess.Popen(
        [sys.executable, "-c", script], cwd=networked.root, env={**os.environ, "PYTHONPATH": path}
    )
    deadline = time.monotonic() + 60
    while not logged(networked) and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert NetworkStore.of(networked).all_keys() == []
    monkeypatch.setenv("TOY_PAUSE", "0")
    assert len(sweeps.sweep(networked, ID).made) == 20


@pytest.mark.parametrize("name", ["arrays.npz", "spec.json", "machine.json", "seal.json"])
@pytest.mark.parametrize("harm", ["cut", "gone"])
def test_a_damaged_network_is_named_with_a_remedy(networked: Project, name: str, harm: str) -> None:
    sweeps.sweep(networked, ID, only=_key(networked, "deep"))
    store = NetworkStore.of(networked)
    [key] = store.all_keys()
    file = store.path(key) / name
    if harm == "cut":
        file.write_bytes(file.read_bytes()[:-3])
    else:
        file.unlink()
    with pytest.raises(CorruptNetworkError) as caught:
        sweeps.sweep(networked, ID)
    assert str(store.path(key)) in str(caught.value)
    assert f"pearl runs rm {key[:12]} --yes" in str(caught.value)
    assert RunStore.of(networked).failures() == []
    [_, finding] = CHECKS["pretrained networks"](networked)
    assert (finding.subject, finding.fault) == (f"network {key[:12]}", True)
    removed = CliRunner().invoke(runs_app, ["rm", key[:12], "--yes"])
    assert removed.exit_code == 0, removed.output
    assert not store.has(key)
    assert len(sweeps.sweep(networked, ID).made) == 19
    assert trained(networked)["pretrain 3 0"] == 2


@pytest.mark.parametrize("harm", ["pretrain:1", "pretrain-nan:1"])
def test_a_failed_pretraining_fails_the_runs_that_need_it(
    networked: Project, monkeypatch: pytest.MonkeyPatch, harm: str
) -> None:
    monkeypatch.setenv("TOY_BROKEN", harm)
    outcome = sweeps.sweep(networked, ID)
    assert {failure.run.spec.seed for failure in outcome.failed} == {1}
    assert {failure.run.method for failure in outcome.failed} == {"deep", "deeper"}
    cause = "no network today" if harm == "pretrain:1" else "weights isn't finite"
    assert all(cause in failure.cause for failure in outcome.failed)
    monkeypatch.delenv("TOY_BROKEN")
    assert sweeps.sweep(networked, ID, retry_failed=True).complete


@pytest.mark.parametrize(
    ("arrays", "said"),
    [
        ({"w": np.zeros(2), "loss": np.zeros((2, 2))}, "one number an epoch"),
        ({"w": np.zeros(2), "loss": 1.0}, "no array of numbers"),
        ({"w": np.array(["x"])}, "no array of numbers"),
    ],
)
def test_what_is_no_network_is_not_stored(
    networked: Project, arrays: dict[str, Any], said: str
) -> None:
    planned = (run.planned_network for run in sweeps.plan(networked, ID).runs)
    network = next(one for one in planned if one)
    store = NetworkStore.of(networked)
    with pytest.raises(PearlError, match=said):
        store.write(network, arrays, {})
    assert not store.has(network.key)


def test_a_dry_run_counts_networks_and_epochs(networked: Project) -> None:
    dry = sweeps.sweep(networked, ID, dry_run=True).estimate
    assert (dry.runs, dry.networks, dry.most_bytes) == (20, 4, None)
    assert dry.unknown == ("Blind", "Deep", "Deeper", "pretraining")
    assert estimate_text(dry).startswith("20 runs and 4 pretrained networks, time unknown")
    assert NetworkStore.of(networked).all_keys() == []
    sweeps.sweep(networked, ID, seeds="0")
    known = sweeps.sweep(networked, ID, dry_run=True).estimate
    assert (known.runs, known.networks, known.unknown) == (10, 2, ())
    assert known.seconds is not None
    assert known.most_bytes > 0


def test_gc_clears_networks_of_other_code(
    networked: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    sweeps.sweep(networked, ID, seeds="0")
    store = NetworkStore.of(networked)
    assert find_waste(networked) == []
    monkeypatch.setattr("pearl.sweeps.cleaning.code_hash", lambda *entries: "other")
    waste = [each for each in find_waste(networked) if each.network]
    assert sorted(each.key for each in waste) == store.all_keys()
    clean(networked, waste)
    assert store.all_keys() == []


def test_lengths_are_told_in_epochs(networked: Project) -> None:
    outcome = sweeps.sweep(networked, ID, seeds="0")
    run = next(run for run in outcome.plan.runs if run.variant == "wide")
    assert run.length == "2 epochs"
    assert run.name.split(" · ")[2:] == ["width=5", "seed 0"]
    listed = CliRunner(env={"COLUMNS": "200"}).invoke(runs_app, ["list"]).output
    assert "2 epochs" in listed
    assert "mean reward" in listed


def test_rows_hold_curves_and_series(networked: Project) -> None:
    rows = sweeps.sweep(networked, ID, seeds="0").rows
    for _, row in rows.iterrows():
        assert row["curve_t"].tolist() == list(range(1, 2 * PER_EPOCH + 1))
        assert len(row["curve.reward"]) == len(row["curve_t"])
        assert row["series.epoch/reward_to_date"][-1] == row["metric.mean_reward"]
        assert (row["series.epoch/error"] is None) == (row["method"] == "blind")
    exported = CliRunner().invoke(runs_app, ["export", "x.csv"])
    assert exported.exit_code == 0, exported.output
    header = Path("x.csv").read_text().splitlines()[0]
    assert "metric.mean_reward" in header
    assert "curve" not in header
    assert "series" not in header
    assert results.headline(rows)[0] == "mean reward"


@pytest.mark.usefixtures("with_mlflow")
def test_mlflow_shows_networks_curves_and_series(networked: Project, empty_mlruns: Path) -> None:
    outcome = sweeps.sweep(networked, ID, seeds="0")
    [key] = {run.network.key for run in outcome.plan.runs if run.network and not run.variant}
    network, client = read.find(networked, key), reader(networked)
    loss = client.get_metric_history(network.run_id, "loss")
    assert [(point.step, point.value) for point in loss] == [(1, 0.7), (2, 0.5)]
    weights = client.download_artifacts(network.run_id, "arrays.npz")
    with np.load(weights) as archive:
        assert len(archive["weights"]) == 3
    assert (network.parameters["width"], network.tags["pearl.profile"]) == ("3", "smoke")
    [place] = client.search_experiments(
        filter_string="tags.`pearl.experiment` = 'pearl/pretraining'"
    )
    assert place.name.startswith("pearl/pretraining")
    deep = read.find(networked, _key(networked, "deep"))
    blind = read.find(networked, _key(networked, "blind"))
    assert deep.tags["pearl.pretrained"] == key
    assert "pearl.pretrained" not in blind.tags
    assert "2 epochs" in deep.tags["mlflow.note.content"]
    before = _histories(client, deep.run_id)
    assert [step for step, _ in before["epoch/reward_to_date"]] == [1, 2]
    assert [step for step, _ in before["reward"]][-1] == 2 * PER_EPOCH
    with pytest.raises(PearlError, match="pretrained network"):
        recipe(networked, key)
    # Rebuilt from the results alone.
    shutil.rmtree(networked.mlruns)
    shutil.copytree(empty_mlruns, networked.mlruns)
    shutil.rmtree(networked.store / "runs")
    assert sync(networked).from_results == 10
    again = read.find(networked, deep.key)
    assert again.tags["pearl.pretrained"] == key
    assert _histories(reader(networked), again.run_id).keys() == before.keys()
    for name, points in _histories(reader(networked), again.run_id).items():
        assert [step for step, _ in points] == [step for step, _ in before[name]]
        np.testing.assert_allclose([v for _, v in points], [v for _, v in before[name]], rtol=1e-8)
    assert read.find(networked, key).key == key


def _histories(client: object, run_id: str) -> dict[str, list[tuple[int, float]]]:
    names = ("regret", "reward", "epoch/reward_to_date", "epoch/error", "mean_reward")
    found = {name: client.get_metric_history(run_id, name) for name in names}  # type: ignore[attr-defined]
    return {name: [(point.step, point.value) for point in found[name]] for name in names}


def _key(project: Project, method: str) -> str:
    """Return the key of the method's first run of seed 0."""
    runs = sweeps.plan(project, ID).runs
    fitting = [r for r in runs if (r.method, r.spec.seed, r.variant) == (method, 0, "")]
    return fitting[0].key
