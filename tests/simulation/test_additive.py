"""Runs on the additive instance: pairing, regret, episodes, and what is refused."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pearl.environments.additive import Additive
from pearl.environments.additive_settings import AdditiveSettings
from pearl.errors import SettingError
from pearl.memory.additive_method import load_additive_methods
from pearl.simulation.additive import run
from pearl.simulation.additive_game import Game

METHODS = load_additive_methods()


def config(name: str = "rsm_linucb", **changes: Any) -> dict[str, Any]:
    method = METHODS[name].model_dump()
    return {"environment": {"kind": "additive"}, "method": method, "horizon": 3_000} | changes


@pytest.mark.parametrize("name", METHODS)
def test_regret_is_never_negative_and_never_falls(name: str) -> None:
    environment = {"kind": "additive", "memory": 12, "feature_bound": 2.0, "norm_bound": 3.0}
    found = run(config(name, environment=environment, horizon=4_000), Path(), 1)
    assert len(found.regret) == 4_000
    assert np.diff(found.regret, prepend=0.0).min() >= -1e-9 * 2 * 3
    assert found.facts["final_regret"] == found.regret[-1]
    assert found.facts["optimum"] == pytest.approx(2 * 3 * (4_000 - 12 / 2))
    assert found.facts["instance/theta_star_norm"] == pytest.approx(3)


def test_a_run_is_the_same_again_and_another_for_another_seed() -> None:
    one, again, other = (run(config(), Path(), seed).regret for seed in (2, 2, 3))
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)


def test_methods_share_their_noise() -> None:
    instance = Additive.of(AdditiveSettings())
    assert np.array_equal(Game.of(instance, 4, 50).noise, instance.noises(4, 80)[:50])


def test_the_base_setting_replans_about_122_times() -> None:
    """A hundred replans at least for the doublings of det V in 10 dimensions, and not many more."""
    found = run(config("rsm_linucb_constant", horizon=1_000_000), Path(), 0)
    assert 110 <= found.facts["episodes"] <= 135
    assert found.facts["plans/steady_share"] == pytest.approx(1, abs=1e-9)


def test_rsm_loses_less_than_the_best_block_and_myopic_loses_linearly() -> None:
    final = {
        name: run(config(name, horizon=200_000), Path(), 0).facts["final_regret"]
        for name in ("rsm_linucb", "oful_refined", "myopic_linucb")
    }
    assert final["rsm_linucb"] < final["oful_refined"] < final["myopic_linucb"]
    assert final["myopic_linucb"] > 0.3 * 200_000


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"environment": {"kind": "run_length"}}, "run_length"),
        ({"environment": {"kind": "additive", "memori": 3}}, "memory"),
        ({"horizon": 0}, "horizon"),
        ({"horizon": True}, "horizon"),
        ({"engine": "round"}, "rounds"),
        ({"budget": 3}, "budget"),
        ({"method": {"planner": "ascent", "switching": "never"}}, "switching"),
    ],
)
def test_what_is_refused_is_named(changes: dict[str, Any], named: str) -> None:
    with pytest.raises(SettingError, match=named):
        run(config(**changes), Path(), 0)
