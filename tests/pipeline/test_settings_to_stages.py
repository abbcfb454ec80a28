"""Each setting re-runs exactly the stages that depend on it, and nothing else."""

from collections.abc import Iterator, Sequence
from contextlib import chdir, contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml
from dvc.repo import Repo

# The first test waits for the whole pipeline, 41 stages: about 8 minutes on two cores.
pytestmark = pytest.mark.timeout(1800)

ROOT = Path(__file__).resolve().parents[2]
KV_CACHE_NAMES = (
    *("figure1e", "figure1e_sha256", "figure1f", "figure1f_sha256"),
    *("tie-rules", "tie-rules-confirm", "tie-rules-confirm_sha256"),
)
KV_CACHE_EXPERIMENTS = {f"experiment@memory-{name}" for name in KV_CACHE_NAMES}
RUN_LENGTH_NAMES = (
    *("figure1a", "figure1b", "figure1c", "figure1d", "figure1d_scaled"),
    *("directions", "table1"),
)
RUN_LENGTH = {f"run_length@memory-{name}" for name in RUN_LENGTH_NAMES}
ADDITIVE = {"additive@memory-figure2"}
PRISM_TABLES = (1, 5, 6, 7, *range(9, 21))
PRISM_NAMES = (
    *(f"table{number:02}" for number in PRISM_TABLES),
    *("section05", "section09", "section22", "section27", "section28"),
    *("figure1a", "figure1b", "figure3", "figure4", "figure5", "figure6", "settings"),
)
PRISM_EXPERIMENTS = {f"online@pearl-{name}" for name in PRISM_NAMES}
CONTROLLED_EXPERIMENTS = {"controlled@pearl-table08"}
PARTIAL_GLOBAL = {"partial_global@pearl-partial-global"}
CONTEXTUAL_EXPERIMENTS = PRISM_EXPERIMENTS | CONTROLLED_EXPERIMENTS | PARTIAL_GLOBAL
EXPERIMENTS = KV_CACHE_EXPERIMENTS | RUN_LENGTH | ADDITIVE | CONTEXTUAL_EXPERIMENTS
REPORT = {"report"}
DESCRIBED = {"described@pearl-figure2", "described@pearl-table02"}
CONFIGURED = {"configured@pearl-table04"}
OF_PRISM = {"fetch@prism", "build@prism"}
SAMPLE = "pearl/datasets/prism/sample"

# setting -> (another value, the stages that then are out of date)
SETTINGS: dict[str, tuple[Any, set[str]]] = {
    "profile": ("sample", {"fetch@mooncake", "fetch@prism"} | EXPERIMENTS | DESCRIBED | CONFIGURED),
    "sources.mooncake": ("mirror", {"fetch@mooncake"}),
    "sources.prism": ("mirror", {"fetch@prism"}),
    "embeddings.min_spread": (0.2, {"embed@prism"}),
    "kv_cache.bin_seconds": (20, KV_CACHE_EXPERIMENTS),
    "kv_cache.split": ("sha256", KV_CACHE_EXPERIMENTS),
    "kv_cache.min_requests": (3, KV_CACHE_EXPERIMENTS),
    "kv_cache.max_depth_blocks": (16, KV_CACHE_EXPERIMENTS),
    "kv_cache.block_tokens": (256, KV_CACHE_EXPERIMENTS),
    "kv_cache.token_scale": (1024, KV_CACHE_EXPERIMENTS),
    "kv_cache.requests_per_round": (9, KV_CACHE_EXPERIMENTS),
    "kv_cache.norm_margin": (2.0, KV_CACHE_EXPERIMENTS),
    "kv_cache.token_budget": (4_000_000, KV_CACHE_EXPERIMENTS),
    "kv_cache.memory": (60, KV_CACHE_EXPERIMENTS),
    "run_length.memory": (50, RUN_LENGTH),
    "run_length.feature_bound": (2.0, RUN_LENGTH),
    "run_length.norm_bound": (2.0, RUN_LENGTH),
    "run_length.direction": ("linear", RUN_LENGTH),
    "run_length.noise": (0.5, RUN_LENGTH),
    "run_length.regularization": (1.0, RUN_LENGTH),
    "run_length.regularization_rule": ("scaled", RUN_LENGTH),
    "additive.memory": (50, ADDITIVE),
    "additive.feature_bound": (2.0, ADDITIVE),
    "additive.norm_bound": (2.0, ADDITIVE),
    "additive.direction": ("linear", ADDITIVE),
    "additive.noise": (0.5, ADDITIVE),
    "additive.regularization": (1.0, ADDITIVE),
    "report.confidence": (0.9, REPORT),
    "report.resamples": (1999, REPORT),
}
NETWORK = {
    "hidden": 64,
    "dropout": 0.0,
    "learning_rate": 0.01,
    "batch": 16,
    "pretrain_batch": "interactions",
    "pretrain_epochs": 3,
    "passes": 2,
    "embedding": 8,
    "embedding_sd": 1.0,
    "damping": False,
}
PRISM = {
    "flip": 0.3,
    "drift": "decelerating",
    "drift_epochs": 4,
    "split": "per_user_half",
    "pretrain_fraction": 0.25,
    "interactions": "fresh",
    "min_spread": 0.4,
    "update_interval": 500,
    "max_observations": 900,
    "adam": "kept",
    **NETWORK,
}
CONTROLLED = {
    "users": 5,
    "arms": 5,
    "dimensions": 4,
    "noise": 0.1,
    "pretrain_interactions": 100,
    "pairs": 1,
    "inversion": False,
    "interactions": 20,
    "gram_window": 20,
    **NETWORK,
}
PARTIAL = {
    "dimensions": 8,
    "shifted": 2,
    "features": "sparse",
    "active": 2,
    "arms": 5,
    "users": 5,
    "noise": 0.1,
    "shift_round": 1000,
    "window": 100,
    "tolerance": 0.2,
    "observed": 16,
    "hidden": 16,
    "pretrain_interactions": 1000,
    "pretrain_epochs": 3,
    "pairs": 500,
    "energy": 0.8,
}
SETTINGS |= {f"partial_global.{name}": (other, PARTIAL_GLOBAL) for name, other in PARTIAL.items()}
SETTINGS |= {
    f"prism.{name}": (other, PRISM_EXPERIMENTS | CONFIGURED | REPORT)
    for name, other in PRISM.items()
}
SETTINGS |= {
    f"controlled.{name}": (other, CONTROLLED_EXPERIMENTS) for name, other in CONTROLLED.items()
}
FILES: dict[str, set[str]] = {
    **{
        f"pearl/bandits/{name}.yaml": CONTEXTUAL_EXPERIMENTS | REPORT
        for name in ("methods", "linear_methods", "linear_tuned", "linear_tuning")
    },
    "pearl/datasets/mooncake/manifest.yaml": {"fetch@mooncake", "build@mooncake"},
    "pearl/datasets/prism/manifest.yaml": OF_PRISM,
    "pearl/datasets/prism/published.yaml": OF_PRISM,
    **{f"{SAMPLE}/{file.name}": OF_PRISM for file in (ROOT / SAMPLE).glob("*.yaml")},
    **{
        f"pearl/experiments/definitions/memory/{name}.yaml": {f"experiment@memory-{name}"} | REPORT
        for name in KV_CACHE_NAMES
    },
    **{
        f"pearl/experiments/definitions/memory/{name}.yaml": {f"run_length@memory-{name}"} | REPORT
        for name in RUN_LENGTH_NAMES
    },
    "pearl/experiments/definitions/memory/figure2.yaml": ADDITIVE | REPORT,
    **{
        f"pearl/experiments/definitions/pearl/{name}.yaml": {f"online@pearl-{name}"} | REPORT
        for name in PRISM_NAMES
        if name != "table05"
    },
    # Table 4 shows Table 5's configuration.
    "pearl/experiments/definitions/pearl/table05.yaml": {"online@pearl-table05"}
    | CONFIGURED
    | REPORT,
    **{
        f"pearl/experiments/exhibits/pearl/{name}.yaml": {f"described@pearl-{name}"} | REPORT
        for name in ("figure2", "table02")
    },
    "pearl/experiments/exhibits/pearl/table03.yaml": REPORT,
    "pearl/experiments/exhibits/pearl/table04.yaml": CONFIGURED | REPORT,
    "pearl/experiments/exhibits/pearl/theory.yaml": REPORT,
    "pearl/experiments/definitions/pearl/partial-global.yaml": PARTIAL_GLOBAL | REPORT,
    "pearl/experiments/definitions/pearl/table08.yaml": CONTROLLED_EXPERIMENTS | REPORT,
    "pearl/experiments/environments.yaml": EXPERIMENTS | CONFIGURED,
    # The report evaluates the paper's bounds, for which it reads all of pearl/memory.
    "pearl/memory/methods/additive.yaml": ADDITIVE | REPORT,
    "pearl/memory/methods/finite.yaml": REPORT,
    "pearl/memory/methods/kv_cache.yaml": KV_CACHE_EXPERIMENTS | REPORT,
    "pearl/memory/methods/run_length.yaml": RUN_LENGTH | REPORT,
    "pearl/report/published/memory.yaml": REPORT,
    "pearl/report/published/pearl.yaml": REPORT,
    "pearl/report/published/pearl_tables.yaml": REPORT,
    "samples/mooncake/manifest.yaml": {"data.dvc"},
    "samples/prism/manifest.yaml": {"data.dvc"},
}


def leaves(tree: dict[str, Any], prefix: str = "") -> Iterator[str]:
    for name, value in tree.items():
        if isinstance(value, dict):
            yield from leaves(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}"


@contextmanager
def restored(file: Path) -> Iterator[None]:
    before = file.read_bytes()
    try:
        yield
    finally:
        file.write_bytes(before)


@pytest.fixture(scope="module")
def stages(reproduced: Any) -> Sequence[Any]:
    """The stages, read once: dvc.yaml and dvc.lock stay as they are here."""
    with chdir(reproduced.root), Repo() as repository:
        found = list(repository.index.stages)
        assert all(stage.addressing for stage in found)  # said once, from this folder
    return found


def out_of_date(stages: Sequence[Any]) -> set[str]:
    repository = stages[0].repo
    with chdir(repository.root_dir), repository.lock:
        told = [address for stage in stages for address in stage.status(check_updates=True)]
    return {address.removeprefix("dvc.yaml:") for address in told}


def test_every_setting_and_every_yaml_has_its_line() -> None:
    assert set(leaves(yaml.safe_load((ROOT / "params.yaml").read_text()))) == set(SETTINGS)
    found = {
        str(file.relative_to(ROOT))
        for folder in ("pearl", "samples")
        for file in (ROOT / folder).rglob("*.yaml")
    }
    assert found == set(FILES)


def test_no_setting_has_a_name_that_dvc_ignores() -> None:
    for setting in SETTINGS:
        assert not {"size", "nfiles"} & set(setting.split("."))


def test_nothing_is_out_of_date_before(stages: Sequence[Any]) -> None:
    with Repo(stages[0].repo.root_dir) as repository:
        assert repository.status() == {}
    assert out_of_date(stages) == set()


# Numbered: a setting's name in a test's name would be chosen by pytest -k with quicker tests.
@pytest.mark.parametrize("setting", SETTINGS, ids=range(len(SETTINGS)))
def test_setting(reproduced: Any, stages: Sequence[Any], setting: str) -> None:
    other, expected = SETTINGS[setting]
    file = reproduced.root / "params.yaml"
    with restored(file):
        params = yaml.safe_load(file.read_text())
        *path, name = setting.split(".")
        place = params
        for part in path:
            place = place[part]
        assert place[name] != other
        place[name] = other
        file.write_text(yaml.safe_dump(params))
        assert out_of_date(stages) == expected


@pytest.mark.parametrize("name", FILES)
def test_yaml(reproduced: Any, stages: Sequence[Any], name: str) -> None:
    file = reproduced.root / name
    with restored(file):
        file.write_text(file.read_text() + "\n# another line\n")
        assert out_of_date(stages) == FILES[name]
