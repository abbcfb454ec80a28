from __future__ import annotations

import pytest
from pydantic import ValidationError

from pearl.environments.kv_settings import KVCacheSettings, read_settings
from pearl.errors import SettingError


def test_defaults_are_the_papers() -> None:
    settings = read_settings({})
    assert (settings.memory, settings.token_scale, settings.requests_per_round) == (180, 131072, 36)
    assert settings.split == "reconstructed"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("memory", 0),
        ("memory", 1.5),
        ("memory", True),
        ("min_requests", 0),
        ("max_depth_blocks", 0),
        ("token_budget", 0),
        ("requests_per_round", 0),
        ("norm_margin", 0.0),
        ("norm_margin", float("nan")),
        ("split", "random"),
        ("memori", 3),
    ],
)
def test_a_bad_setting_is_named(name: str, value: object) -> None:
    with pytest.raises(SettingError, match=name):
        read_settings({name: value})


def test_every_fault_is_named() -> None:
    with pytest.raises(SettingError, match=r"token_scale = -1.*memory = 0"):
        read_settings({"memory": 0, "token_scale": -1})


def test_settings_are_frozen() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        KVCacheSettings().memory = 3
