import subprocess
from dataclasses import replace

import pytest
from made_vectors import MadeEncoder
from typer.testing import CliRunner

from pearl.cli.data import app
from pearl.datasets import push as push_module
from pearl.datasets.dataset import Comparison
from pearl.datasets.embedding import texts
from pearl.datasets.push import push
from pearl.datasets.registry import DATASETS
from pearl.errors import PearlError
from pearl.provenance import Provenance


@pytest.fixture
def project(prism_project):
    return prism_project


@pytest.fixture
def run(project, monkeypatch):
    monkeypatch.setenv("COLUMNS", "250")
    monkeypatch.setattr(texts, "load_encoder", MadeEncoder)

    def refused(*words, **more):
        raise AssertionError("the network was touched")

    monkeypatch.setattr("socket.socket.connect", refused)
    monkeypatch.setattr("socket.getaddrinfo", refused)

    def command(*words):
        result = CliRunner().invoke(app, list(words))
        if isinstance(result.exception, PearlError):
            raise result.exception
        return result

    return command


def test_the_stages_one_after_another(run, project):
    for command in ("fetch", "build", "embed"):
        assert run(command, "prism", "--stage").exit_code == 0
    assert Provenance.read(project.embeddings / "prism").embedding is not None
    assert run("verify").exit_code == 0


def test_outside_a_stage_the_store_alone_is_written(run, project):
    result = run("embed", "prism")
    assert result.stdout.startswith("prism: source sample (the profile's default)\n")
    assert "made up for a test, not PRISM: embedded by sentence-transformers" in result.stdout
    assert not any(place.exists() for place in (project.raw, project.tables, project.embeddings))
    text = run("verify").stdout
    assert "store/embeddings/prism/" in text
    assert "as it was embedded" in text
    assert "the published counts are the publisher's data's alone" in text


def test_verify_sees_damaged_vectors(run, project):
    run("fetch", "--stage")
    run("build", "--stage")
    run("embed", "--stage")
    (project.embeddings / "prism" / "embeddings.npy").write_bytes(b"cut")
    result = run("verify")
    assert result.exit_code == 1
    assert "changed since it was made (embeddings.npy)" in result.stdout


def test_the_papers_profile_takes_the_sample_at_full_size(run, project):
    small = run("build").stdout
    full = run("build", "--profile", "paper", "--source", "sample").stdout
    assert "192 records" in small
    assert "288 records" in full
    assert run("verify", "--profile", "paper", "--source", "sample").exit_code == 0
    project.params_file.write_text("profile: paper\nsources: {prism: sample}\n")
    assert "288 records" in run("fetch", "--stage").stdout


def test_status_names_licence_places_and_how_to_get_them(run, project):
    run("embed")
    text = run("status").stdout
    for said in (
        "CC-BY-NC-4.0",
        "non-commercial only",
        "18ab5cfb37456f4ec8cbc00212ce54cf7b1239f6",
        "pearl data fetch prism --source hub",
        "dvc repro embed@prism",
        "store/embeddings/prism/",
        "sample (full size)",
        "not generated yet",
    ):
        assert said in text


def test_status_sets_the_sample_beside_the_published(run, project, monkeypatch):
    found = [
        Comparison("opening_score_mean", "58.6", "digitised", "1", "59.1", True),
        Comparison("opening_score_sd", "31.26", "derived", "0.3", "28", False),
        Comparison("utterances", "68,371", "exact", "", "192", None),
    ]
    entry = replace(DATASETS["prism"], compare=lambda folder: found)
    monkeypatch.setitem(DATASETS, "prism", entry)
    text = run("status").stdout
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in text.splitlines()]
    assert ["opening_score_mean", "58.6", "digitised", "1", "59.1", "yes"] in rows
    assert ["opening_score_sd", "31.26", "derived", "0.3", "28", "NO"] in rows
    assert ["utterances", "68,371", "exact", "", "192", ""] in rows
    assert "1 of 2 facts lie within their tolerance" in text


def test_the_publishers_files_are_not_pushed_unless_told(project, monkeypatch, tmp_path):
    commands = []

    def run(words, cwd, check):
        commands.append(words[1:])
        return subprocess.CompletedProcess(words, 0)

    monkeypatch.setattr(push_module.subprocess, "run", run)
    (project.root / "dvc.lock").write_text(
        "stages:\n  embed@prism:\n    outs: [embeddings/prism]\n"
    )
    with pytest.raises(PearlError, match=r"(?s)prism \(CC-BY-4.0.*--allow-noncommercial"):
        push(project, tmp_path / "remote")
    assert commands == []
    push(project, tmp_path / "remote", allow_noncommercial=True)
    assert len(commands) == 2


def test_vectors_of_a_sample_may_be_pushed(run, project, monkeypatch, tmp_path):
    run("fetch", "--stage")
    run("build", "--stage")
    run("embed", "--stage")
    assert push_module.noncommercial(project) == []
    place = project.embeddings / "prism"
    Provenance.read(place).model_copy(update={"commercial": False}).write(place)
    assert push_module.noncommercial(project) == ["prism"]
