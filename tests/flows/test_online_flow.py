"""Networks first, then runs, as Prefect flows on a real server; the same bytes as without."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import requests
from toy_network import make_network_project

from flows.server import running_server
from pearl import sweeps
from pearl.project import Project
from pearl.runs.pretrained import NetworkStore

ROOT = Path(__file__).resolve().parents[2]
TOYS = str(ROOT / "tests" / "support")
ID = "toy/network"
KINDS = ("networks", "results", "summary")
RESULTS = "toy-network.parquet"
PATHS = os.pathsep.join([str(ROOT), TOYS])


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, empty_mlruns: Path) -> Project:
    made = make_network_project(tmp_path / "project")
    shutil.copytree(empty_mlruns, made.mlruns)
    monkeypatch.chdir(made.root)
    monkeypatch.setenv("TOY_LOG", str(tmp_path / "log"))
    return made


def run(project: Project, variables: dict[str, str], *command: str) -> None:
    done = subprocess.run(
        [sys.executable, *command],
        cwd=project.root,
        env={**variables, "PYTHONPATH": PATHS, "PEARL_WORKERS": "2"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def asked(address: str, what: str) -> Any:
    return requests.post(f"{address}/{what}/filter", json={"limit": 200}, timeout=10).json()


def test_networks_come_first_and_the_bytes_are_the_same(project: Project, tmp_path: Path) -> None:
    plain = {name: value for name, value in os.environ.items() if name != "PREFECT_API_URL"}
    run(project, plain, "-m", "flows.experiment", ID)
    without = (project.results / RESULTS).read_bytes()
    shutil.rmtree(project.store)
    (tmp_path / "log").unlink()
    with running_server(project, 4500) as variables:
        address = variables["PREFECT_API_URL"]
        run(project, variables, "-m", "flows.experiment", ID)
        assert (project.results / RESULTS).read_bytes() == without
        lines = (tmp_path / "log").read_text().splitlines()
        assert [line.split()[0] for line in lines] == ["pretrain"] * 4 + ["run"] * 20
        flows = {each["id"]: each["name"] for each in asked(address, "flows")}
        runs = asked(address, "flow_runs")
        told = [(flows[run["flow_id"]], run["name"], run["state"]["type"]) for run in runs]
        assert sorted(told) == [("online", ID, "COMPLETED"), ("pretrain", ID, "COMPLETED")]
        [inner] = [run for run in runs if flows[run["flow_id"]] == "pretrain"]
        assert inner["parent_task_run_id"] is not None
        tasks = [task["name"] for task in asked(address, "task_runs")]
        assert sum(name.startswith("network") for name in tasks) == 4
        assert any(name.startswith("chunk") for name in tasks)
        artifacts = {each["key"]: each["data"] for each in asked(address, "artifacts")}
        assert set(artifacts) == {
            "toy-network-networks",
            "toy-network-results",
            "toy-network-summary",
        }
        assert "mean reward" in artifacts["toy-network-results"]
        assert "last loss" in artifacts["toy-network-networks"]
        # A scheduled pretraining alone: nothing is missing any more.
        script = f"from flows.pretrain import pretrain; assert pretrain({ID!r})['networks'] == 0"
        run(project, variables, "-c", script)
    assert len(NetworkStore.of(project).all_keys()) == 4
    assert sweeps.plan(project, ID).missing == ()
