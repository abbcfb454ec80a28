"""What an exhibit measures: the file, its bytes, and what `pearl run` says of it."""

import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pearl.cli.app import app
from pearl.errors import DataError, SettingError
from pearl.experiments import load_exhibits
from pearl.project import Project
from pearl.runs.measured import Measured
from pearl.sweeps.measuring import measure

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def sampled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    (tmp_path / "dvc.yaml").write_text("{}\n")
    (tmp_path / "params.yaml").write_text("profile: sample\n")
    shutil.copytree(ROOT / "samples", tmp_path / "samples")
    monkeypatch.chdir(tmp_path)
    return Project(tmp_path)


def test_the_stage_and_pearl_run_measure_the_same_bytes(sampled: Project) -> None:
    exhibit = load_exhibits()["pearl/figure2"]
    said: list[str] = []
    file = measure(sampled, exhibit, announce=said.append)
    assert said == ["prism: source sample (the profile's default)"]
    assert file == sampled.store / "results/sample-sample/pearl-figure2.parquet"
    with pytest.raises(DataError, match="provenance"):
        measure(sampled, exhibit, stage=True)
    (built,) = (sampled.store / "data" / "prism").glob("*/")
    shutil.copytree(built, sampled.tables / "prism")
    stage = measure(sampled, exhibit, stage=True)
    assert stage == sampled.results / "pearl-figure2.parquet"
    assert stage.read_bytes() == file.read_bytes()
    found = Measured.read(file)
    assert (found.exhibit, found.profile, found.source) == ("pearl/figure2", "sample", "sample")
    assert found.summary("users") == len(found.values["user mean"])
    assert found.provenance.dataset == "prism"


def test_a_stage_reads_tables_of_its_own_source_alone(sampled: Project) -> None:
    exhibit = load_exhibits()["pearl/table02"]
    measure(sampled, exhibit)
    (built,) = (sampled.store / "data" / "prism").glob("*/")
    shutil.copytree(built, sampled.tables / "prism")
    sampled.params_file.write_text("profile: sample\nsources: {prism: mirror}\n")
    with pytest.raises(DataError, match="made from source sample"):
        measure(sampled, exhibit, stage=True)


def test_damaged_and_foreign_files_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "one.parquet"
    with pytest.raises(DataError, match="no such file"):
        Measured.read(file)
    file.write_text("no Parquet")
    with pytest.raises(DataError, match="not readable"):
        Measured.read(file)


def test_pearl_run_of_an_exhibit(sampled: Project) -> None:
    call = CliRunner()
    done = call.invoke(app, ["run", "pearl/table03"], catch_exceptions=False)
    assert done.exit_code == 0
    assert "pearl/table03 has no runs: it is made of the registry" in done.output
    assert "Next: pearl report" in done.output
    done = call.invoke(app, ["run", "pearl/table04", "--dry-run"], catch_exceptions=False)
    assert "Measured" not in done.output
    assert not sampled.store.exists()
    done = call.invoke(app, ["run", "pearl/table04", "--profile", "smoke"], catch_exceptions=False)
    assert "Measured: store/results/smoke-sample/pearl-table04.parquet" in done.output
    assert "Next: pearl report --profile smoke" in done.output
    assert (sampled.store / "results/smoke-sample/pearl-table04.parquet").is_file()
    with pytest.raises(SettingError, match="has no runs"):
        call.invoke(app, ["run", "pearl/figure2", "--seeds", "1"], catch_exceptions=False)


def test_what_measures_nothing_says_so(sampled: Project) -> None:
    exhibit = load_exhibits()["pearl/table03"]
    with pytest.raises(SettingError, match="measures nothing: it is made of the registry"):
        measure(sampled, exhibit)
    with pytest.raises(SettingError, match="measures nothing"):
        exhibit.measured(Path(), {})


def test_pearl_experiments_lists_them_one_a_line(sampled: Project) -> None:
    done = CliRunner().invoke(app, ["experiments"], catch_exceptions=False)
    lines = [line for line in done.output.splitlines() if line.startswith("pearl/")]
    assert len(lines) >= 30
    assert any(line.startswith("pearl/figure2") and "no runs" in line for line in lines)
