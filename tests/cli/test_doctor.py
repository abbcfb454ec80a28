"""The doctor sees what is missing and says what to do."""

import shutil
from pathlib import Path

import pytest
import typer
from made_runs import MACHINE, planned, trajectory
from typer.testing import CliRunner, Result

from pearl.cli import checks, doctor
from pearl.project import Project
from pearl.runs import RunStore

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    for name in ("params.yaml", "dvc.yaml", "constraints.txt"):
        shutil.copy(ROOT / name, tmp_path / name)
    shutil.copytree(ROOT / "samples", tmp_path / "samples")
    return Project(tmp_path)


def found(project: Project) -> dict[str, checks.Finding]:
    return {finding.subject: finding for finding in doctor.examine(project)}


def told(project: Project, monkeypatch: pytest.MonkeyPatch) -> Result:
    """What the command says; the packages here needn't be the pinned ones."""
    monkeypatch.setenv("PEARL_HOME", str(project.root))
    app = typer.Typer()
    app.command()(doctor.doctor)
    return CliRunner().invoke(app, [])


def test_a_fresh_project(project: Project) -> None:
    seen = found(project)
    assert seen["numpy"].well
    assert seen["data: mooncake"].well
    assert "not Mooncake" in seen["data: mooncake"].state
    assert seen["DVC stages"].remedy == "dvc repro"
    assert seen["MLflow store"].remedy == "pearl track sync"
    assert not any(finding.fault for finding in seen.values())


def test_what_is_not_made_yet_is_no_fault(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = told(project, monkeypatch)
    assert result.exit_code == 0, result.output
    assert "To do: " in result.output


def test_every_damage_is_found_beside_the_others(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = RunStore.of(project)
    run = store.write(planned(), trajectory(), MACHINE)
    (run.folder / "facts.json").unlink()
    store.add_failure(planned(1), ValueError("no"))
    (store.folder / "failures" / "abc.json").write_text("{")
    project.mlruns.mkdir()
    (project.mlruns / "mlflow.db").write_bytes(b"garbage")
    project.params_file.write_text("sources: [3]\n")
    seen = found(project)
    faults = {subject for subject, finding in seen.items() if finding.fault}
    assert faults == {"data", "damaged runs", "damaged record", "MLflow store"}
    assert "abc.json" in seen["damaged record"].state
    assert "track sync" in seen["MLflow store"].remedy
    assert seen["failed runs"].state == "1"
    assert seen["stored runs"].well
    result = told(project, monkeypatch)
    assert result.exit_code == 1
    assert run.key[:12] in result.output


def test_a_package_that_is_missing(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "PACKAGES", ("no_such_package",))
    assert found(project)["no_such_package"].fault
    assert told(project, monkeypatch).exit_code == 1


def test_another_version_than_the_pinned_one(project: Project) -> None:
    (project.root / "constraints.txt").write_text("numpy==1.0.0\n")
    assert "pins 1.0.0" in found(project)["numpy"].remedy


def test_a_cut_off_sample(project: Project) -> None:
    trace = project.samples / "mooncake/conversation_trace.jsonl"
    trace.write_bytes(trace.read_bytes()[:-100])
    seen = found(project)["data: mooncake"]
    assert "sha256" in seen.state
    assert "pearl data sample mooncake" in seen.remedy


def test_a_mirror_that_is_not_named(project: Project) -> None:
    text = project.params_file.read_text().replace("mooncake: null", "mooncake: mirror")
    project.params_file.write_text(text)
    assert "PEARL_DATA_MIRROR" in found(project)["data: mooncake"].remedy


def test_little_disk(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "LEAST_FREE_BYTES", 10**18)
    assert "pearl gc" in found(project)["free disk"].remedy
