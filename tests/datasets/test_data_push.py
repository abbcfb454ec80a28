import os
import shutil
import subprocess
import sys

import pytest

from pearl.datasets import push as push_module
from pearl.datasets.prepared import build, fetch
from pearl.datasets.push import noncommercial, push
from pearl.errors import PearlError
from pearl.provenance import Provenance


@pytest.fixture
def commands(monkeypatch):
    """The dvc commands that would run."""
    seen = []

    def run(words, cwd, check):
        seen.append(words[1:])
        return subprocess.CompletedProcess(words, 0)

    monkeypatch.setattr(push_module.subprocess, "run", run)
    return seen


def limit(project, folder="raw"):
    """Let a data folder's licence be non-commercial."""
    place = project.root / folder / "mooncake"
    Provenance.read(place).model_copy(update={"commercial": False}).write(place)


def test_push_names_the_folder_as_a_remote_of_this_clone(project, commands, tmp_path):
    push(project, tmp_path / "remote")
    target = str(tmp_path / "remote")
    assert commands == [
        ["-m", "dvc", "remote", "add", "--local", "--force", "pearl-folder", target],
        ["-m", "dvc", "push", "--remote", "pearl-folder"],
    ]


@pytest.mark.parametrize("folder", ["raw", "tables"])
def test_noncommercial_data_is_refused_unless_allowed(project, commands, tmp_path, folder):
    fetch(project, "mooncake", "sample")
    build(project, "mooncake")
    assert noncommercial(project) == []
    limit(project, folder)
    assert noncommercial(project) == ["mooncake"]
    with pytest.raises(PearlError, match=r"(?s)mooncake.*--allow-noncommercial"):
        push(project, tmp_path / "remote")
    assert commands == []
    push(project, tmp_path / "remote", allow_noncommercial=True)
    assert len(commands) == 2


def test_data_whose_provenance_is_away_counts_as_the_publishers(project, publish):
    publish(commercial=False)
    assert noncommercial(project) == []
    (project.root / "dvc.lock").write_text("stages:\n  fetch@mooncake:\n    outs: [raw/mooncake]\n")
    assert noncommercial(project) == ["mooncake"]
    fetch(project, "mooncake", "sample")
    assert noncommercial(project) == []


def test_a_failing_dvc_is_an_error(project, monkeypatch, tmp_path):
    failed = subprocess.CompletedProcess([], 3)
    monkeypatch.setattr(push_module.subprocess, "run", lambda words, cwd, check: failed)
    with pytest.raises(PearlError, match="exit code 3"):
        push(project, tmp_path)


def test_dvc_really_pushes_and_pulls_it_back(project, tmp_path, monkeypatch):
    for name in ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    monkeypatch.setenv("DVC_NO_ANALYTICS", "1")

    def dvc(*words):
        command = [sys.executable, "-m", "dvc", *words]
        subprocess.run(command, cwd=project.root, check=True, capture_output=True, env=os.environ)

    dvc("init", "--no-scm", "--quiet")
    content = (project.data / "mooncake" / "conversation_trace.jsonl").read_bytes()
    dvc("add", "--quiet", "data")
    push(project, tmp_path / "remote")
    shutil.rmtree(project.data)
    shutil.rmtree(project.root / ".dvc" / "cache")
    dvc("pull", "--quiet", "--remote", "pearl-folder")
    assert (project.data / "mooncake" / "conversation_trace.jsonl").read_bytes() == content
