"""Each setting re-runs exactly the stages that depend on it, and nothing else."""

from collections.abc import Iterator
from contextlib import chdir, contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml
from dvc.repo import Repo

ROOT = Path(__file__).resolve().parents[2]
FIGURE_1E = {"experiment@memory-figure1e"}
FIGURE_1E_SHA256 = {"experiment@memory-figure1e_sha256"}
KV_CACHE_EXPERIMENTS = FIGURE_1E | FIGURE_1E_SHA256
REPORT = {"report"}

# setting -> (another value, the stages that then are out of date)
SETTINGS: dict[str, tuple[Any, set[str]]] = {
    "profile": ("sample", {"fetch@mooncake"} | KV_CACHE_EXPERIMENTS),
    "sources.mooncake": ("mirror", {"fetch@mooncake"}),
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
    "report.confidence": (0.9, REPORT),
    "report.resamples": (1999, REPORT),
}
FILES: dict[str, set[str]] = {
    "pearl/datasets/mooncake/manifest.yaml": {"fetch@mooncake", "build@mooncake"},
    "pearl/experiments/definitions/memory/figure1e.yaml": FIGURE_1E | REPORT,
    "pearl/experiments/definitions/memory/figure1e_sha256.yaml": FIGURE_1E_SHA256 | REPORT,
    "pearl/experiments/environments.yaml": KV_CACHE_EXPERIMENTS,
    "pearl/memory/methods.yaml": KV_CACHE_EXPERIMENTS,
    "pearl/report/published/memory.yaml": REPORT,
    "samples/mooncake/manifest.yaml": {"data.dvc"},
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


def out_of_date(root: Path) -> set[str]:
    with chdir(root), Repo() as repository:
        return {address.removeprefix("dvc.yaml:") for address in repository.status()}


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


def test_nothing_is_out_of_date_before(reproduced: Any) -> None:
    assert out_of_date(reproduced.root) == set()


@pytest.mark.parametrize("setting", SETTINGS)
def test_setting(reproduced: Any, setting: str) -> None:
    other, stages = SETTINGS[setting]
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
        assert out_of_date(reproduced.root) == stages


@pytest.mark.parametrize("name", FILES)
def test_yaml(reproduced: Any, name: str) -> None:
    file = reproduced.root / name
    with restored(file):
        file.write_text(file.read_text() + "\n# another line\n")
        assert out_of_date(reproduced.root) == FILES[name]
