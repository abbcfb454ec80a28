from pathlib import Path

import pytest
import yaml
from toy_world import EXPERIMENT, make_project

from pearl.errors import SettingError
from pearl.experiments import (
    cells,
    is_group,
    load_environment,
    load_experiment,
    load_experiments,
    load_group,
    load_params,
    read_seeds,
)
from pearl.project import Project
from pearl.runs.canonical import digest


def cells_of(project: Project) -> list:
    experiment = load_experiment("toy/trial", project).under("smoke")
    environment = load_environment("toy", project)
    return list(cells(experiment, environment, load_params(project).settings("toy")))


def test_the_product_is_whole_and_named_for_people(project: Project) -> None:
    found = cells_of(project)
    assert [cell.title for cell in found] == [
        "Steady · M=1",
        "Keen · M=1",
        "Steady · M=3",
        "Keen · M=3",
    ]
    assert found[0].config == {
        "environment": {"kind": "toy", "memory": 1, "mode": "fair"},
        "method": {"gain": 0.5},
        "horizon": 50,
    }


def test_order_of_grid_and_methods_changes_no_config(tmp_path: Path) -> None:
    one = make_project(tmp_path / "a", grid={"memory": [1, 3], "mode": ["x", "y"]})
    other = make_project(
        tmp_path / "b", grid={"mode": ["y", "x"], "memory": [3, 1]}, methods=["keen", "steady"]
    )
    first, second = ({digest(cell.config) for cell in cells_of(each)} for each in (one, other))
    assert first == second
    assert len(first) == 8


def test_horizon_can_be_swept(tmp_path: Path) -> None:
    found = cells_of(make_project(tmp_path, grid={"horizon": [10, 20]}, methods=["steady"]))
    assert [cell.config["horizon"] for cell in found] == [10, 20]
    assert found[1].title == "Steady · horizon=20 · M=2"


def test_profiles_lay_over(project: Project) -> None:
    experiment = load_experiment("toy/trial", project)
    assert experiment.under("smoke").horizon == 50
    assert experiment.under("smoke").seed_list() == (0, 1)
    assert experiment.under("sample").horizon == 500
    assert experiment.under("paper").seed_list() == (0, 7)
    assert experiment.file_stem == "toy-trial"


def test_figure1e_as_the_paper_has_it() -> None:
    experiment = load_experiments()["memory/figure1e"]
    paper, sample, smoke = (experiment.under(name) for name in ("paper", "sample", "smoke"))
    assert (paper.horizon, paper.settings, paper.seed_list()) == (
        100_000,
        {"memory": 180},
        (0, 1, 2),
    )
    assert (sample.horizon, sample.settings, len(sample.seed_list())) == (20_000, {"memory": 60}, 5)
    assert (smoke.horizon, smoke.settings, len(smoke.seed_list())) == (2_000, {"memory": 30}, 2)
    assert experiment.reference == "rsm_linucb"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"titel": "x"}, ["unknown name 'titel'", "'title'"]),
        ({"profiles": {"smoke": {"horzon": 3}}}, ["profiles.smoke.horzon", "'horizon'"]),
        ({"profiles": {"smoek": {}}}, ["'smoek'", "'smoke'"]),
        ({"paper": "memroy"}, ["'memroy'", "'memory'"]),
        ({"horizon": 0}, ["horizon", "greater than"]),
        ({"reference": "kene"}, ["'kene'", "'keen'"]),
        ({"methods": ["steady", "steady"]}, ["named twice"]),
        ({"methods": ["steady", "keem"]}, ["'keem'", "'keen'"]),
        ({"profiles": {"smoke": {"methods": ["steady", "keem"]}}}, ["'keem'", "'keen'"]),
        ({"environment": "tooy"}, ["'tooy'", "'toy'"]),
        ({"seeds": []}, ["seeds", "at least 1 item"]),
        ({"profiles": {"smoke": {"seeds": []}}}, ["profiles.smoke.seeds"]),
        ({"seeds": [2**63]}, ["seeds", str(2**63)]),
        ({"seeds": 10**12}, ["seeds", "10000"]),
    ],
)
def test_what_is_wrong_in_a_definition_is_named(tmp_path: Path, change: dict, words: list) -> None:
    project = make_project(tmp_path, **change)
    with pytest.raises(SettingError) as caught:
        load_experiments(project)
    for word in ["trial.yaml", *words]:
        assert word in str(caught.value)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"settings": {"memroy": 3}}, ["'memroy'", "'memory'"]),
        ({"grid": {"memroy": [3]}}, ["'memroy'", "'memory'"]),
        ({"grid": {"horizon": ["long"]}}, ["'long'"]),
    ],
)
def test_what_the_environment_does_not_know_is_named(
    tmp_path: Path, change: dict, words: list
) -> None:
    project = make_project(tmp_path, **change)
    with pytest.raises(SettingError) as caught:
        cells_of(project)
    for word in words:
        assert word in str(caught.value)


def test_unknown_experiment_and_environment(project: Project) -> None:
    with pytest.raises(SettingError, match="memory/figure1"):
        load_experiment("memory/figure1z", project)
    with pytest.raises(SettingError, match="kv_cache"):
        load_environment("kvcache", project)


def test_an_id_or_kind_of_pearl_cannot_be_taken(project: Project) -> None:
    own = project.root / "experiments" / "copy.yaml"
    own.write_text(yaml.safe_dump(EXPERIMENT))
    with pytest.raises(SettingError, match="exists already"):
        load_experiments(project)
    environments = project.root / "experiments" / "environments.yaml"
    environments.write_text(environments.read_text().replace("toy:", "kv_cache:", 1))
    with pytest.raises(SettingError, match="exists already"):
        load_environment("kv_cache", project)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("profle: smoke", ["'profle'", "'profile'"]),
        ("profile: smok", ["'smok'", "'smoke'"]),
        ("sources: {moncake: null}", ["'moncake'", "'mooncake'"]),
        ("sources: {mooncake: sampel}", ["'sampel'", "'sample'"]),
        ("kv_cache: {memry: 3}", ["'memry'", "'memory'"]),
        ("kv_cache: {split: sha265}", ["'sha265'", "'sha256'"]),
        ("kv_cache: {memory: 0}", ["memory = 0"]),
        ("toy: [1]", ["expected named settings"]),
        ("- 1", ["not named settings"]),
        ("a: [", ["not YAML"]),
    ],
)
def test_what_is_wrong_in_params_is_named(project: Project, text: str, words: list) -> None:
    project.params_file.write_text(text)
    with pytest.raises(SettingError) as caught:
        load_params(project)
    for word in ["params.yaml", *words]:
        assert word in str(caught.value)


def test_params_reach_the_settings(project: Project) -> None:
    project.params_file.write_text("toy: {mode: rough}\nkv_cache: {memory: 7}\n")
    params = load_params(project)
    assert params.profile == "sample"
    assert params.sources == {"mooncake": None, "prism": None}
    assert params.settings("toy")["mode"] == "rough"
    assert params.settings("kv_cache")["memory"] == 7


def test_seeds() -> None:
    assert read_seeds(3) == (0, 1, 2)
    assert read_seeds([5, 0, 5]) == (0, 5)
    assert read_seeds("0-2") == (0, 1, 2)
    assert read_seeds("7, 0,3-4") == (0, 3, 4, 7)
    assert read_seeds(str(2**63 - 1)) == (2**63 - 1,)
    arabic = "".join(map(chr, (0x661, 0x662)))
    for wrong in ("", "a", "3-1", "1,,2", "-1", arabic, "1" * 5000):
        with pytest.raises(SettingError, match="0-2"):
            read_seeds(wrong)


@pytest.mark.parametrize("seeds", [str(2**63), f"0,{2**63}", "0-99999999999", "0-9999,10000"])
def test_seeds_that_are_too_large_or_too_many(seeds: str) -> None:
    with pytest.raises(SettingError, match=r"too large|more than 10,000"):
        read_seeds(seeds)


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("toy_world:runn", ["has no 'runn'", "'run'"]),
        ("toy_wrld:run", ["toy_wrld"]),
        ("toy_world:EXPERIMENT", ["no function"]),
    ],
)
def test_an_entry_that_is_none_is_told_before_the_runs(
    project: Project, entry: str, words: list
) -> None:
    file = project.root / "experiments" / "environments.yaml"
    file.write_text(file.read_text().replace("toy_world:run", entry))
    with pytest.raises(SettingError) as caught:
        cells_of(project)
    for word in words:
        assert word in str(caught.value)


def test_project_is_found_from_below_and_by_home(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    below = project.root / "experiments" / "toy"
    assert Project.find(below).root == project.root
    with pytest.raises(Exception, match="No pearl project"):
        Project.find(tmp_path)
    monkeypatch.setenv("PEARL_HOME", str(project.root))
    assert Project.find(tmp_path).root == project.root
    monkeypatch.setenv("PEARL_HOME", str(tmp_path))
    with pytest.raises(Exception, match=r"no dvc\.yaml"):
        Project.find(below)


def test_a_budget_that_no_catalogue_fits_is_told_before_the_runs(project: Project) -> None:
    experiment = load_experiment("memory/figure1e", project).under("sample")
    environment = load_environment("kv_cache", project)
    settings = load_params(project).settings("kv_cache")
    with pytest.raises(SettingError, match=r"figure1e.*memory = 60 .* token_budget = 1,000"):
        list(cells(experiment, environment, {**settings, "token_budget": 1000}))
    list(cells(experiment, environment, {**settings, "token_budget": 61 * 512}))
    with pytest.raises(SettingError, match="token_budget = 31,231"):
        list(cells(experiment, environment, {**settings, "token_budget": 61 * 512 - 1}))
    project.params_file.write_text("kv_cache: {token_budget: 1000}")
    with pytest.raises(SettingError, match=r"params\.yaml, kv_cache: memory = 180"):
        load_params(project)


PEARL = tuple(
    name
    for name, each in load_experiments().items()
    if name.startswith("pearl/") and each.environment != "partial_global"
)


@pytest.mark.parametrize("name", PEARL)
def test_pearls_experiments_as_the_paper_has_them(name: str) -> None:
    experiment = load_experiments()[name]
    paper, sample, smoke = (experiment.under(word) for word in ("paper", "sample", "smoke"))
    assert paper.seed_list() == tuple(range(42, 62))
    assert paper.horizon == (3 if name == "pearl/table08" else 10)
    assert "update_interval" not in paper.settings
    assert len(sample.seed_list()) == 5
    assert smoke.horizon <= 3
    environment = load_environment(experiment.environment)
    defaults = environment.settings_model()().model_dump()
    for profile in (paper, sample, smoke):
        assert list(cells(profile, environment, defaults))


def test_experiments_that_overlap_share_their_runs() -> None:
    """Tables 13, 14 and the figures read what Table 5 runs, Table 6 too, the appendix its base."""

    def keys(name: str) -> set[str]:
        experiment = load_experiments()[name].under("paper")
        environment = load_environment(experiment.environment)
        defaults = environment.settings_model()().model_dump()
        return {digest(cell.config) for cell in cells(experiment, environment, defaults)}

    table05 = keys("pearl/table05")
    assert len(table05) == 24
    for name in ("table06", "table13", "table14", "figure3", "figure4"):
        assert keys(f"pearl/{name}") <= table05
    assert len(keys("pearl/settings") & table05) == 7
    assert len(table05 - keys("pearl/table15")) == 3  # the Oracle
    # Of the ablations only what they change is run anew.
    appendix = table05 | keys("pearl/settings")
    anew = {
        "table09": 6,
        "table10": 4,
        "table11": 3,
        "table16": 20,
        "table17": 5,
        "table18": 12,
        "table19": 3,
        "table20": 12,
        "section05": 3,
        "section27": 2,
        "section28": 7,
    }
    assert {name: len(keys(f"pearl/{name}") - appendix) for name in anew} == anew


def test_a_groups_name_stands_for_all_its_experiments() -> None:
    assert is_group("pearl/all")
    assert not is_group("pearl/table05")
    found = load_group("pearl/all")
    assert set(PEARL) <= set(found)
    assert all(name.startswith("pearl/") for name in found)
    assert "memory/figure1e" in load_group("memory/all")
    with pytest.raises(SettingError, match="pearl/all"):
        load_group("perl/all")


def test_no_experiment_takes_a_groups_name(project: Project) -> None:
    folder = project.root / "experiments"
    folder.mkdir(exist_ok=True)
    own = load_experiments()["pearl/table05"].model_dump(mode="json")
    (folder / "all.yaml").write_text(yaml.safe_dump({**own, "id": "pearl/all"}))
    with pytest.raises(SettingError, match="pearl/all stands for all"):
        load_experiments(project)


def test_every_variant_of_the_appendix_changes_one_thing() -> None:
    experiment = load_experiments()["pearl/settings"]
    names = [set(overlay) for overlay in experiment.variants.values()]
    assert [len(each) for each in names].count(1) == len(names) - 1
    assert {"interactions", "update_interval"} in names
