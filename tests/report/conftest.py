import shutil
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace

import made_up as made_up_rows
import pandas as pd
import pytest
import typer
import yaml
from typer.testing import CliRunner

from pearl.cli.report import report
from pearl.project import Project
from pearl.runs import results

PARAMS = {
    "profile": "sample",
    "sources": {"mooncake": None},
    "kv_cache": {"memory": 180},
    "report": {"confidence": 0.95, "resamples": 999},
}
MAIN = {"profile": "sample", "source": "sample", "horizon": 20_000, "memory": 60}


def make_project(root: Path) -> Project:
    root.mkdir()
    (root / "dvc.yaml").write_text("{}\n")
    (root / "params.yaml").write_text(yaml.safe_dump(PARAMS))
    return Project(root)


def write_rows(frame: pd.DataFrame, folder: Path) -> Path:
    rows = [
        {name: value for name, value in row.items() if not is_missing(value)}
        for row in frame.to_dict("records")
    ]
    results.write(folder / "memory-figure1e.parquet", rows)
    return folder


def is_missing(value: object) -> bool:
    return isinstance(value, float) and value != value


def call(*words: str) -> str:
    app = typer.Typer()
    app.command()(report)
    done = CliRunner().invoke(app, list(words), catch_exceptions=False)
    assert done.exit_code == 0
    return done.output


@pytest.fixture(scope="session")
def made_up() -> ModuleType:
    return made_up_rows


@pytest.fixture(scope="session")
def run() -> Callable[..., str]:
    """`pearl report` in the working folder; returns what it printed."""
    return call


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    made = make_project(tmp_path / "project")
    monkeypatch.chdir(made.root)
    return made


@pytest.fixture
def put(project: Project) -> Callable[[pd.DataFrame, str], Path]:
    def write(frame: pd.DataFrame, folder: str) -> Path:
        return write_rows(frame, project.root / folder)

    return write


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> SimpleNamespace:
    """A project with both reports, written once for all tests that only read them.

    `main` is DVC's, on sample data, as it was before there was a variant; `variant` is
    paper-mirror, made from the rows `frame`; `reports` is the folder that holds both.
    """
    root = tmp_path_factory.mktemp("reports")
    project, main = make_project(root / "project"), root / "main"
    frame = made_up_rows.frame()
    frame["fact.split_label"] = "reconstructed from the published counts"
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(project.root)
        write_rows(made_up_rows.frame(**MAIN), project.results)
        call("--stage")
        shutil.copytree(project.reports, main)
        write_rows(frame, project.store / "results/paper-mirror")
        call("--profile", "paper", "--source", "mirror")
    return SimpleNamespace(
        project=project,
        frame=frame,
        main=main,
        reports=project.reports,
        variant=project.reports / "paper-mirror",
    )
