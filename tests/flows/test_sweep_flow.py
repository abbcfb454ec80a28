"""A stage as a Prefect flow: a real server, a real flow run, the same bytes as without."""

import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest
import requests
from prefect.artifacts import TableArtifact

from flows.chunks import artifact_name
from flows.server import HOST, free_port, running_server
from pearl.datasets import prepared
from pearl.errors import PearlError
from pearl.experiments import load_experiments
from pearl.project import Project

ROOT = Path(__file__).resolve().parents[2]
EXPERIMENT = "memory/figure1e"
RESULTS = "memory-figure1e.parquet"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project of its own on the smoke profile, with its tables."""
    (tmp_path / "params.yaml").write_text("profile: smoke\n")
    (tmp_path / "dvc.yaml").write_text("stages: {}\n")
    shutil.copytree(ROOT / "samples", tmp_path / "data")
    made = Project(tmp_path)
    prepared.fetch(made, "mooncake", "sample")
    prepared.build(made, "mooncake")
    return made


def run_stage(project: Project, variables: dict[str, str]) -> bytes:
    """Run the stage's command, return the results file and put the store out of the way."""
    done = subprocess.run(
        [sys.executable, "-m", "flows.experiment", EXPERIMENT],
        cwd=project.root,
        env={**variables, "PYTHONPATH": str(ROOT), "PEARL_WORKERS": "2"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    shutil.rmtree(project.store / "runs")
    return (project.results / RESULTS).read_bytes()


def test_flow_and_plain_stage_give_the_same_bytes(project: Project) -> None:
    plain = {name: value for name, value in os.environ.items() if name != "PREFECT_API_URL"}
    without = run_stage(project, plain)
    with running_server(project, 4300) as variables:
        assert run_stage(project, variables) == without
        address = variables["PREFECT_API_URL"]
        runs = requests.post(f"{address}/flow_runs/filter", json={}, timeout=10).json()
        assert [(run["name"], run["state"]["type"]) for run in runs] == [(EXPERIMENT, "COMPLETED")]
        tasks = requests.post(f"{address}/task_runs/filter", json={}, timeout=10).json()
        assert {task["state"]["type"] for task in tasks} == {"COMPLETED"}
        artifacts = requests.post(f"{address}/artifacts/filter", json={}, timeout=10).json()
        assert {artifact["type"] for artifact in artifacts} == {"table", "markdown"}
        assert all(run["flow_run_id"] == runs[0]["id"] for run in tasks)
    with pytest.raises(requests.ConnectionError):
        requests.get(f"{address}/health", timeout=2)


@pytest.mark.parametrize("experiment", load_experiments())
def test_every_experiment_has_a_key_that_prefect_takes(experiment: str) -> None:
    assert TableArtifact(key=f"{artifact_name(experiment)}-results", table=[{"a": 1}])


def test_sigterm_stops_the_server_too(project: Project) -> None:
    port = free_port(4400)
    command = [sys.executable, "-m", "flows.server", "--port", str(port)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    parent = subprocess.Popen(
        command, cwd=project.root, env=environment, stdout=subprocess.PIPE, text=True
    )
    assert parent.stdout is not None
    assert f":{port}" in parent.stdout.readline()
    parent.terminate()
    assert parent.wait(timeout=60) == 128 + 15
    with pytest.raises(requests.ConnectionError):
        requests.get(f"http://{HOST}:{port}/api/health", timeout=2)


def test_a_busy_port_is_passed_over() -> None:
    with socket.socket() as busy:
        busy.bind((HOST, 0))
        busy.listen()
        taken = busy.getsockname()[1]
        assert taken < free_port(taken) <= taken + 49


def test_a_server_that_dies_is_told(project: Project) -> None:
    # A file where the server wants its home: it can't start.
    (project.root / ".prefect").mkdir()
    (project.root / ".prefect" / "prefect.db").mkdir()
    with pytest.raises(PearlError, match=r"did not start"), running_server(project, 4350):
        pass
