"""A DVC stage watches all the code that its runs' keys stand on, and no other science."""

from pathlib import Path

import pytest
import yaml

from pearl.datasets.registry import DATASETS
from pearl.experiments import Environment, load_environment, load_exhibits, load_experiments
from pearl.runs.code import modules_behind

ROOT = Path(__file__).resolve().parents[2]
STAGES = yaml.safe_load((ROOT / "dvc.yaml").read_text())["stages"]
BLOCKS = {
    "experiment": "kv_cache",
    "run_length": "run_length",
    "additive": "additive",
    "online": "prism",
    "controlled": "controlled",
    "partial_global": "partial_global",
}
ITEMS = [(block, key) for block in BLOCKS for key in STAGES[block]["foreach"]]
EXHIBITS = ("described", "configured")
MEASURED = [(block, key) for block in EXHIBITS for key in STAGES[block]["foreach"]]
SCIENCE = ("datasets", "environments", "memory", "bandits", "simulation")


def watched(block: str, key: str) -> list[Path]:
    item = STAGES[block]["foreach"][key]
    return [ROOT / text.replace("${item}", item) for text in STAGES[block]["do"]["deps"]]


def environment_of(block: str, key: str) -> Environment:
    return load_environment(load_experiments()[STAGES[block]["foreach"][key]].environment)


def executed(environment: Environment) -> set[Path]:
    methods = ROOT / "pearl/bandits/methods.yaml"
    if environment.methods.startswith("pearl.memory."):
        methods = ROOT / f"pearl/memory/methods/{environment.kind}.yaml"
    modules = {
        path for entry in environment.code_entries for path in modules_behind(entry).values()
    }
    return modules | {methods}


def test_every_experiment_has_its_stage() -> None:
    ids = [STAGES[block]["foreach"][key] for block, key in ITEMS]
    assert sorted(ids) == sorted(load_experiments())
    report = STAGES["report"]["deps"]
    assert {f"results/{key}.parquet" for _, key in ITEMS} <= set(report)


@pytest.mark.parametrize(("block", "key"), ITEMS)
def test_code_of_the_key_is_among_the_dependencies(block: str, key: str) -> None:
    assert key == STAGES[block]["foreach"][key].replace("/", "-")
    environment = environment_of(block, key)
    assert environment.kind == BLOCKS[block]
    assert environment.kind in STAGES[block]["do"]["params"]
    unwatched = [
        str(path.relative_to(ROOT))
        for path in executed(environment)
        if not any(path.is_relative_to(place) for place in watched(block, key))
    ]
    assert unwatched == []


@pytest.mark.parametrize(("block", "key"), ITEMS)
def test_no_other_science_is_watched(block: str, key: str) -> None:
    modules = executed(environment_of(block, key))
    rooms = [ROOT / "pearl" / room for room in SCIENCE]
    places = [
        place
        for place in watched(block, key)
        if any(place.is_relative_to(room) for room in rooms) and place.name != "__init__.py"
    ]
    assert places
    idle = [
        str(place.relative_to(ROOT))
        for place in places
        if not any(path.is_relative_to(place) for path in modules)
    ]
    assert idle == []


@pytest.mark.parametrize(("block", "key"), ITEMS)
def test_the_data_that_runs_read_is_a_dependency(block: str, key: str) -> None:
    dataset = environment_of(block, key).dataset
    read = [f"{room}/{name}" for name in DATASETS for room in ("tables", "embeddings")]
    found = [text for text in STAGES[block]["do"]["deps"] if text in read]
    if dataset is None:
        assert found == []
    else:
        room = "embeddings" if DATASETS[dataset].embedder else "tables"
        assert found == [f"{room}/{dataset}"]


def test_every_exhibit_that_measures_has_its_stage() -> None:
    ids = [STAGES[block]["foreach"][key] for block, key in MEASURED]
    assert sorted(ids) == sorted(n for n, each in load_exhibits().items() if each.measure)
    assert {f"results/{key}.parquet" for _, key in MEASURED} <= set(STAGES["report"]["deps"])


@pytest.mark.parametrize(("block", "key"), MEASURED)
def test_an_exhibits_stage_watches_what_measures_it(block: str, key: str) -> None:
    exhibit = load_exhibits()[STAGES[block]["foreach"][key]]
    assert key == exhibit.file_stem
    assert exhibit.measure is not None
    places = watched(block, key)
    assert ROOT / "tables" / str(exhibit.dataset) in places
    unwatched = [
        str(path.relative_to(ROOT))
        for path in modules_behind(exhibit.measure).values()
        if path not in places
    ]
    assert unwatched == []
    under = exhibit.experiment("paper")
    assert (under is not None) == ("prism" in STAGES[block]["do"]["params"])
    if under is not None:
        assert ROOT / f"pearl/experiments/definitions/{under.id}.yaml" in places


def test_the_report_watches_what_checks_the_theory() -> None:
    places = [ROOT / text for text in STAGES["report"]["deps"]]
    rooms = [ROOT / "pearl" / room for room in (*SCIENCE, "theory")]
    unwatched = [
        path
        for path in modules_behind("pearl.theory.checks:checks").values()
        if any(path.is_relative_to(room) for room in rooms)
        and not path.is_relative_to(ROOT / "pearl/datasets")
        and not any(path.is_relative_to(place) for place in places)
    ]
    assert unwatched == []
