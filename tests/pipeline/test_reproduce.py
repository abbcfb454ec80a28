"""The pipeline end to end on the sample, in a clone of its own."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from pearl.project import Project
from pearl.tracking import read

# The first test waits for the whole pipeline, 41 stages: about 8 minutes on two cores.
pytestmark = pytest.mark.timeout(1800)

COLUMNS = (
    "experiment,profile,row,column,measured,ci_low,ci_high,ci_method,n_seeds,"
    "published,delta,verdict,data_source,run_keys"
)


def clean(clone: Any) -> None:
    assert "up to date" in clone.run("dvc", "status")
    assert clone.run("git", "status", "--short") == ""


def test_the_committed_hashes_are_those_of_the_committed_files(fresh: Any) -> None:
    """After a change of code or settings: `dvc repro`, and commit dvc.lock with the change."""
    status = json.loads(fresh.run("dvc", "status", "--json"))
    changed = {
        (stage, name)
        for stage, changes in status.items()
        for change in changes
        if isinstance(change, dict)
        for name, kind in change.get("changed deps", {}).items()
        if kind != "deleted"
    }
    assert changed == set()


def test_everything_is_made_and_clean_afterwards(reproduced: Any) -> None:
    for name in ("index.html", "index.md", "figures/memory-figure1e.png"):
        assert (reproduced.root / "reports" / name).stat().st_size > 0
    table = reproduced.root / "reports/tables/memory-figure1e.csv"
    assert table.read_text().splitlines()[0] == COLUMNS
    rows = list(csv.DictReader(table.open()))
    assert {row["data_source"] for row in rows} == {"sample"}
    assert {row["profile"] for row in rows} == {"smoke"}
    clean(reproduced)


def test_a_second_repro_does_nothing(reproduced: Any) -> None:
    assert "up to date" in reproduced.run("dvc", "repro")


def test_further_runs_leave_it_clean(reproduced: Any) -> None:
    reproduced.run("pearl", "run", "memory/figure1e", "--profile", "smoke", "--seeds", "3")
    reproduced.run("pearl", "runs", "list")
    clean(reproduced)


def test_results_are_the_same_bytes_when_made_again(reproduced: Any) -> None:
    file = reproduced.root / "results/memory-figure1e.parquet"
    before = file.read_bytes()
    reproduced.run("dvc", "repro", "--force", "--single-item", "experiment@memory-figure1e")
    assert file.read_bytes() == before
    clean(reproduced)


def test_lost_tracking_store_is_made_again(reproduced: Any) -> None:
    project = Project(reproduced.root)
    before = {run.key: run.metrics for run in read.runs(project)}
    assert before
    (reproduced.root / "mlruns/mlflow.db").unlink()
    reproduced.run("pearl", "track", "sync")
    assert {run.key: run.metrics for run in read.runs(project)} == before
    clean(reproduced)


def test_data_goes_to_a_folder_remote_and_comes_back(reproduced: Any, tmp_path: Path) -> None:
    reproduced.run("dvc", "remote", "add", "--local", "folder", str(tmp_path / "remote"))
    reproduced.run("dvc", "push", "--remote", "folder")
    wanted = (reproduced.root / "tables/mooncake/requests.parquet").read_bytes()
    other = tmp_path / "elsewhere"
    reproduced.run("git", "clone", "--quiet", str(reproduced.root), str(other))
    clone = type(reproduced)(other)
    clone.run("dvc", "remote", "add", "--local", "folder", str(tmp_path / "remote"))
    clone.run("dvc", "pull", "--remote", "folder")
    assert (other / "tables/mooncake/requests.parquet").read_bytes() == wanted
    clean(clone)


def test_profiles_are_what_the_settings_say(reproduced: Any) -> None:
    assert yaml.safe_load((reproduced.root / "params.yaml").read_text())["profile"] == "smoke"


@pytest.mark.heavy
def test_another_kind_of_processor_gives_the_same_bytes(reproduced: Any, fresh: Any) -> None:
    (fresh.root / "params.yaml").write_bytes((reproduced.root / "params.yaml").read_bytes())
    fresh.run("dvc", "repro", NUMBA_CPU_NAME="generic", OPENBLAS_CORETYPE="Sandybridge")
    for name in ("results", "reports/tables", "reports/figures"):
        for file in (reproduced.root / name).iterdir():
            assert (fresh.root / name / file.name).read_bytes() == file.read_bytes(), file.name
