from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import made_up as made_up_rows
import pandas as pd
import pytest
import yaml

from pearl.project import Project
from pearl.runs import results

PARAMS = {
    "profile": "sample",
    "sources": {"mooncake": None},
    "kv_cache": {"memory": 180},
    "report": {"confidence": 0.95, "resamples": 199},
}


def is_missing(value: object) -> bool:
    return isinstance(value, float) and value != value


@pytest.fixture(scope="session")
def made_up() -> ModuleType:
    return made_up_rows


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    root = tmp_path / "project"
    root.mkdir()
    (root / "dvc.yaml").write_text("{}\n")
    (root / "params.yaml").write_text(yaml.safe_dump(PARAMS))
    monkeypatch.delenv("PEARL_HOME", raising=False)
    monkeypatch.chdir(root)
    return Project(root)


@pytest.fixture
def put(project: Project) -> Callable[[pd.DataFrame, str], Path]:
    def write(frame: pd.DataFrame, folder: str) -> Path:
        place = project.root / folder
        rows = [
            {name: value for name, value in row.items() if not is_missing(value)}
            for row in frame.to_dict("records")
        ]
        results.write(place / "memory-figure1e.parquet", rows)
        return place

    return write
