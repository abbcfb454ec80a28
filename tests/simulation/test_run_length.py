"""Runs by the entry that sweeps call: what they leave, and what they refuse."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pearl.environments.run_length import RunLength
from pearl.environments.run_length_settings import RunLengthSettings
from pearl.errors import SettingError
from pearl.memory.mirror_descent import MirrorDescent
from pearl.memory.radius import ConfidenceRadius
from pearl.memory.run_length_method import load_run_length_methods
from pearl.simulation.run_length import run
from pearl.simulation.run_length_descent import DescentRules, descend
from pearl.simulation.run_length_events import _rules
from pearl.simulation.run_length_noise import noise_sums
from pearl.simulation.run_length_play import Play, cumulative, paid
from pearl.simulation.run_length_ridge import _radius
from pearl.simulation.trajectory import Trajectory

METHODS = load_run_length_methods()


def config(name: str = "rsm_linucb", **changes: Any) -> dict[str, Any]:
    method = METHODS[name].model_dump(mode="json", exclude={"label", "family"})
    environment = {"kind": "run_length", "memory": 10}
    return {"environment": environment, "method": method, "horizon": 3000} | changes


def played(name: str, seed: int = 0, **changes: Any) -> Trajectory:
    return run(config(name, **changes), Path(), seed)


@pytest.mark.parametrize("name", METHODS)
def test_a_run_is_determined_by_its_config_and_seed(name: str) -> None:
    first = played(name)
    played(name, seed=1)
    again = played(name)
    np.testing.assert_array_equal(first.regret, again.regret)
    assert first.facts == again.facts
    assert np.isfinite(first.regret).all()
    assert first.regret.shape == (3000,)


@pytest.mark.parametrize("name", METHODS)
def test_shares_and_regret_tell_the_same_story(name: str) -> None:
    facts = played(name).facts
    assert 0 <= facts["inferior_share"] <= 1 - facts["waiting_share"] <= 1
    best = (1 - facts["waiting_share"] - facts["inferior_share"]) * 3000
    at_most = facts["optimum"] - best * RunLength.of(RunLengthSettings()).values.max()
    assert -1e-9 <= facts["final_regret"] <= at_most + 1e-9
    assert facts["informative_rounds"] <= (1 - facts["waiting_share"]) * 3000 + 1e-9


def test_myopic_linucb_stays_on_the_lowest_action() -> None:
    facts = played("myopic_linucb").facts
    instance = RunLength.of(RunLengthSettings(memory=10))
    assert facts["episodes"] == 3000
    assert facts["switches"] == pytest.approx(0, abs=1)
    earned = facts["optimum"] - facts["final_regret"]
    assert earned == pytest.approx(instance.values[0] * (3000 - 10 + 0.1), rel=1e-12)


def test_blocks_say_their_length() -> None:
    facts = played("oful_refined").facts
    assert facts["informative_length"] == np.ceil(np.sqrt(10 * 3000 / 10)) - 10
    assert facts["block_length"] == facts["informative_length"] + 10
    assert facts["episodes"] == np.ceil(3000 / facts["block_length"])
    assert "block_length" not in played("rsm_linucb").facts


def test_both_units_of_lambda_are_different_learners() -> None:
    gram, slope = played("glbm_scb_gram"), played("glbm_scb_slope")
    assert gram.facts["final_regret"] != slope.facts["final_regret"]


def test_the_literal_engine_may_be_asked_for() -> None:
    events, rounds = (played("rsm_linucb", horizon=200, engine=each) for each in ENGINES)
    np.testing.assert_allclose(events.regret, rounds.regret, rtol=0, atol=1e-9)


ENGINES = ("events", "rounds")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"horizon": 0}, "horizon"),
        ({"horizon": True}, "horizon"),
        ({"engine": "fast"}, "engine"),
        ({"speed": 3}, "speed"),
        ({"environment": {"kind": "kv_cache"}}, "kv_cache"),
        ({"environment": {"kind": "run_length", "memory": 0}}, "memory"),
        ({"method": {"planner": "run_length"}}, "switching"),
        ({"method": {"planner": "tree", "switching": "determinant"}}, "tree"),
    ],
)
def test_a_bad_config_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        run(config(**changes), Path(), 0)


def test_stretches_that_pay_are_those_of_the_features() -> None:
    random = np.random.default_rng(1)
    instance = RunLength.of(RunLengthSettings(memory=3))
    arms = random.integers(0, 10, 40)
    lengths = random.integers(1, 9, 40)
    horizon = int(lengths.sum())
    play = Play(arms, lengths, np.array([1]), 0)
    earned = np.zeros(horizon)
    for history in instance.histories:
        past = [*history.tolist(), *play.actions.tolist()]
        for t in range(horizon):
            feature = instance.feature(past[t : t + 3], past[t + 3])
            earned[t] += feature @ instance.theta_star
    alone = [Play(arms, lengths, np.array([1]), 0) for _ in instance.histories]
    for plays in ([play] * 10, alone):
        found = cumulative(paid(instance, plays), instance.values, horizon)
        np.testing.assert_allclose(found, np.cumsum(earned), rtol=0, atol=1e-12)


@pytest.mark.parametrize("bound", [0.02, 0.3, 3.0])
def test_compiled_descent_is_mirror_descent(bound: float) -> None:
    values, noise = np.array([0.4, 0.1, 0.8]), 0.25
    rules = DescentRules(values, 2.0, bound, noise)
    plain = MirrorDescent(3, 5.0, bound, noise)
    theta, slope, sums = np.zeros(3), np.full(3, 5.0), noise_sums(7, 60)
    touched = 0
    for start, arm, rounds in [(1, 0, 20), (21, 2, 15), (36, 1, 1), (37, 2, 24)]:
        descend(rules, sums, theta, slope, arm, start, rounds)
        for t in range(start, start + rounds):
            reward = values[arm] + noise * (sums[t] - sums[t - 1])
            plain.update(2.0 * np.eye(3)[arm], reward)
        touched += np.linalg.norm(theta) > bound * (1 - 1e-9)
        np.testing.assert_allclose(theta, plain.estimate, rtol=1e-10, atol=1e-13)
        np.testing.assert_allclose(np.diag(slope), plain.slope, rtol=1e-13)
    assert (touched > 0) == (bound < 1)


def test_the_compiled_radius_is_the_radius() -> None:
    instance = RunLength.of(RunLengthSettings(feature_bound=7.0, norm_bound=3.0))
    rules = _rules(instance, METHODS["rsm_linucb"], 10)
    radius = ConfidenceRadius(10, 0.625, 3.0, 7.0, 0.25, 0.05)
    for n in (0, 1, 50, 10**6):
        assert _radius(rules, n) == pytest.approx(radius.at(n), rel=1e-14)


def test_noise_is_kept_and_cannot_be_changed() -> None:
    sums = noise_sums(11, 40)
    assert noise_sums(11, 40) is sums
    with pytest.raises(ValueError, match="read-only"):
        sums[0] = 1.0
