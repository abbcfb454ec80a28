"""The doctor sees what is missing and says what to do."""

import shutil
from pathlib import Path

import pytest

from pearl.cli import doctor
from pearl.project import Project

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    for name in ("params.yaml", "dvc.yaml", "constraints.txt"):
        shutil.copy(ROOT / name, tmp_path / name)
    shutil.copytree(ROOT / "samples", tmp_path / "samples")
    return Project(tmp_path)


def found(project: Project) -> dict[str, doctor.Finding]:
    return {finding.subject: finding for finding in doctor.examine(project)}


def test_a_fresh_project(project: Project) -> None:
    seen = found(project)
    assert seen["numpy"].well
    assert seen["data: mooncake"].well
    assert "not Mooncake" in seen["data: mooncake"].state
    assert seen["DVC stages"].remedy == "dvc repro"
    assert seen["MLflow store"].remedy == "pearl track sync"


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
    monkeypatch.setattr(doctor, "LEAST_FREE_BYTES", 10**18)
    assert "pearl gc" in found(project)["free disk"].remedy
