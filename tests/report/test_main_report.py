"""The main report: from DVC's results where they are, else from what `pearl run` made."""

import hashlib
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from toy_world import EXPERIMENT, make_project

from pearl.errors import PearlError
from pearl.experiments import load_exhibits, load_params
from pearl.project import Project
from pearl.report.choice import choose, of_pipeline
from pearl.sweeps import sweep
from pearl.sweeps.measuring import measure
from pearl.sweeps.standing import OTHER, standing

ROOT = Path(__file__).resolve().parents[2]
SHOWN = {"report": {"table": "final_regret"}, "grid": {}}


@pytest.fixture
def toys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project whose toy/trial the report shows, with `pearl run toy/trial` done."""
    for name in ("record_networks", "record_runs", "record_failures", "mark_mixed"):
        monkeypatch.setattr(f"pearl.sweeps.outcomes.{name}", lambda *_: [])
    project = make_project(tmp_path / "project", **SHOWN)
    monkeypatch.chdir(project.root)
    sweep(project, "toy/trial")
    return project


def run_file(project: Project) -> Path:
    return project.store / "results/smoke-none/toy-trial.parquet"


def digests(folder: Path) -> dict[str, str]:
    names = ("index.html", "index.md", "memory.html", "memory.md", "tables", "figures")
    return {
        str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(folder.rglob("*"))
        if file.is_file() and file.relative_to(folder).parts[0] in names
    }


def change(project: Project, **changes: object) -> None:
    file = project.root / "experiments/toy/trial.yaml"
    file.write_text(yaml.safe_dump({**EXPERIMENT, **SHOWN, **changes}))


@pytest.mark.parametrize("words", [(), ("--profile", "smoke"), ("--source", "sample")])
def test_what_pearl_run_made_is_in_the_main_report(
    words: tuple[str, ...], toys: Project, run: Callable[..., str]
) -> None:
    said = run(*words).splitlines()
    assert said[1].startswith("from store/results/ (pearl run): toy/trial; not run yet: memory/")
    assert "pearl/table16" in said[1]
    assert "wrote reports/index.html" in said
    assert (toys.reports / "tables/toy-trial.csv").is_file()
    assert not list(toys.reports.glob("smoke-*"))
    page = (toys.reports / "index.html").read_text()
    assert "Without results here: memory/table1, " in page
    assert 'src="variants.js"' in page


def test_dvc_comes_first_and_its_stage_gives_the_same_bytes(
    toys: Project, run: Callable[..., str]
) -> None:
    run()
    from_runs = digests(toys.reports)
    toys.results.mkdir()
    shutil.copy(run_file(toys), toys.results)
    assert "from results/ (dvc repro): toy/trial; not run yet" in run()
    assert digests(toys.reports) == from_runs
    run_file(toys).unlink()
    shutil.rmtree(toys.reports)
    run("--stage")
    assert digests(toys.reports) == from_runs


def test_the_stage_stands_on_the_pipeline_alone(toys: Project, run: Callable[..., str]) -> None:
    with pytest.raises(PearlError, match="no results of profile smoke") as caught:
        run("--stage")
    assert caught.value.remedy == "Make them with `dvc repro`."
    assert of_pipeline(toys) == {}


def test_runs_of_other_settings_are_left_out_and_said(
    toys: Project, run: Callable[..., str]
) -> None:
    toys.results.mkdir()
    shutil.copy(run_file(toys), toys.results)
    change(toys, settings={"memory": 9})
    told = f"left out: toy/trial ({OTHER}: `pearl run toy/trial`)"
    with pytest.raises(PearlError, match="no results of profile smoke") as caught:
        run()
    assert "pearl run" in caught.value.remedy
    assert not toys.reports.exists()
    # what pearl run made since counts, though DVC's file is there
    sweep(toys, "toy/trial")
    said = run()
    assert "from store/results/ (pearl run): toy/trial;" in said
    assert told not in said


def test_a_part_of_the_runs_is_shown_and_counted(toys: Project, run: Callable[..., str]) -> None:
    change(toys, seeds=4, profiles={})
    assert "left out" not in standing_of(toys)
    sweep(toys, "toy/trial", seeds="0-1")
    assert "from store/results/ (pearl run): toy/trial (4 of 8 runs);" in run()
    sweep(toys, "toy/trial", seeds="0-5")
    with pytest.raises(PearlError, match="no results"):
        run()  # seeds that the experiment doesn't name


def standing_of(project: Project) -> str:
    from pearl.experiments import load_experiments

    return standing(project, load_experiments(project)["toy/trial"], load_params(project)).left


def test_a_damaged_file_is_named(toys: Project, run: Callable[..., str]) -> None:
    run_file(toys).write_text("no Parquet")
    with pytest.raises(PearlError, match=r"toy-trial\.parquet.*not readable"):
        run()


def test_an_exhibits_values_belong_to_settings_and_data(tmp_path: Path) -> None:
    (tmp_path / "dvc.yaml").write_text("{}\n")
    (tmp_path / "params.yaml").write_text("profile: sample\n")
    shutil.copytree(ROOT / "samples", tmp_path / "samples")
    project, exhibit = Project(tmp_path), load_exhibits()["pearl/table04"]

    def found() -> tuple[str | None, str]:
        one = standing(project, exhibit, load_params(project))
        return one.by, one.left

    assert found() == (None, "")
    file = measure(project, exhibit)
    assert found() == ("run", "")
    assert choose(project, None, None).of_runs(project) == {"pearl/table04": file}
    project.params_file.write_text("profile: sample\nprism: {split: per_user_half}\n")
    assert found() == (None, OTHER)
    measure(project, exhibit)
    assert found() == ("run", "")
    file.with_suffix(".json").unlink()
    assert found() == (None, OTHER)
    project.results.mkdir()
    shutil.copy(file, project.results)
    assert found() == ("dvc", "")
    project.params_file.write_text("profile: smoke\n")
    assert found() == (None, OTHER)
