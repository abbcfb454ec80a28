"""Variants: settings laid one at a time over the grid; environments that pretrain."""

from pathlib import Path

import pytest
import yaml
from toy_network import ENVIRONMENT, make_network_project

from pearl.errors import SettingError
from pearl.experiments import cells, load_environment, load_experiment, load_params
from pearl.project import Project


def cells_of(project: Project, profile: str = "sample") -> list:
    experiment = load_experiment("toy/network", project).under(profile)
    environment = load_environment("toy_network", project)
    return list(cells(experiment, environment, load_params(project).settings("toy_network")))


def test_each_variant_stands_beside_the_base(tmp_path: Path) -> None:
    found = cells_of(make_network_project(tmp_path))
    assert [(cell.title, cell.variant) for cell in found[:5]] == [
        ("Deep · f=0.25", ""),
        ("Deeper · f=0.25", ""),
        ("Blind · f=0.25", ""),
        ("Deep · f=0.25 · passes=2", "twice"),
        ("Deep · f=0.25 · width=5", "wide"),
    ]
    assert len(found) == 10
    assert found[4].config["environment"] == {**found[0].config["environment"], "width": 5}


def test_a_variant_may_change_the_horizon(tmp_path: Path) -> None:
    project = make_network_project(tmp_path, variants={"long": {"horizon": 9}}, grid={})
    assert [cell.config["horizon"] for cell in cells_of(project)] == [4, 4, 4, 9]
    assert cells_of(project)[-1].title == "Deep · f=0.5 · horizon=9"


def test_a_profile_chooses_variants_and_their_methods(tmp_path: Path) -> None:
    change = {"variants": ["wide"], "variant_methods": ["deep", "blind"]}
    project = make_network_project(tmp_path, grid={}, profiles={"smoke": change})
    assert [(cell.method, cell.variant) for cell in cells_of(project, "smoke")] == [
        ("deep", ""),
        ("deeper", ""),
        ("blind", ""),
        ("deep", "wide"),
        ("blind", "wide"),
    ]
    assert len(cells_of(project, "paper")) == 5


def test_overlapping_grids_give_equal_configs(tmp_path: Path) -> None:
    swept = make_network_project(tmp_path / "swept", grid={"flip": [0, 0.5]}, variants={})
    alone = make_network_project(
        tmp_path / "alone", settings={"flip": 0.0}, grid={}, variants={"shaken": {"flip": 0.5}}
    )
    one = [cell.config for cell in cells_of(swept) if cell.method == "deep"]
    two = [cell.config for cell in cells_of(alone) if cell.method == "deep"]
    assert one == two


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"variants": {"wide": {"widht": 5}}}, ["variant wide", "'widht'", "'width'"]),
        ({"variants": {"wide": {"width": "broad"}}}, ["variant wide", "width"]),
        ({"variants": {"same": {"width": 3}}}, ["variant same", "changes nothing"]),
        ({"variants": {"Wide one": {"width": 5}}}, ["variants"]),
        ({"variants": {"long": {"horizon": 0}}}, ["variant long", "no count of epochs"]),
        ({"variant_methods": ["dep"]}, ["'dep'", "'deep'"]),
        ({"profiles": {"sample": {"variants": ["wid"]}}}, ["'wid'", "'wide'"]),
        ({"settings": {"horizon": 3}}, ["settings", "'horizon'"]),
    ],
)
def test_what_is_wrong_in_a_variant_is_named(tmp_path: Path, change: dict, words: list) -> None:
    project = make_network_project(tmp_path, **change)
    with pytest.raises(SettingError) as caught:
        cells_of(project)
    for word in words:
        assert word in str(caught.value)


def test_pretraining_is_named_whole_or_not_at_all(tmp_path: Path) -> None:
    project = make_network_project(tmp_path)
    file = project.root / "experiments" / "environments.yaml"
    half = {name: value for name, value in ENVIRONMENT.items() if name != "pretraining"}
    file.write_text(yaml.safe_dump({"toy_network": half}))
    with pytest.raises(SettingError, match="go together"):
        load_environment("toy_network", project)
