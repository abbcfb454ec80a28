"""A DVC stage watches all the code that its runs' keys stand on."""

from pathlib import Path

import pytest
import yaml

from pearl.experiments import load_environment, load_experiments
from pearl.runs.code import modules_behind

ROOT = Path(__file__).resolve().parents[2]
STAGE = yaml.safe_load((ROOT / "dvc.yaml").read_text())["stages"]["experiment"]


def test_every_experiment_has_its_stage() -> None:
    assert {item["id"] for item in STAGE["foreach"].values()} == set(load_experiments())


@pytest.mark.parametrize("key", STAGE["foreach"])
def test_code_of_the_key_is_among_the_dependencies(key: str) -> None:
    item = STAGE["foreach"][key]
    assert key == item["id"].replace("/", "-")
    watched = []
    for text in STAGE["do"]["deps"]:
        for name, value in item.items():
            text = text.replace(f"${{item.{name}}}", value)
        watched.append(ROOT / text)
    environment = load_environment(load_experiments()[item["id"]].environment)
    unwatched = [
        str(path.relative_to(ROOT))
        for path in modules_behind(environment.entry).values()
        if not any(path.is_relative_to(place) for place in watched)
    ]
    assert unwatched == []
