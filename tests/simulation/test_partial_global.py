"""Runs of "partial or global" by the entry that sweeps call, and what they are judged by."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pearl.bandits.linear import LinearRounds
from pearl.bandits.linear_method import LinearMethod, Rates, load_linear_methods
from pearl.environments.partial_global import PartialGlobalWorld, combined
from pearl.environments.partial_global_settings import PartialGlobalSettings
from pearl.errors import SettingError
from pearl.experiments.experiment import load_experiment
from pearl.simulation.drift_tests import WARM_UP, DriftTest
from pearl.simulation.partial_global import Rounds, run
from pearl.simulation.partial_global_features import pretrain, pretraining
from pearl.simulation.partial_global_measures import facts_of, recovery, windowed
from pearl.simulation.partial_global_subspace import shifted_subspace
from pearl.simulation.partial_global_tuning import instances, load_tuning, regrets
from pearl.simulation.trajectory import Trajectory
from pearl.yaml_files import read_mapping

SMALL = {"kind": "partial_global", "dimensions": 6, "shift_round": 300, "window": 50, "hidden": 8}
NETWORK = {"observed": 8, "pretrain_interactions": 300, "pairs": 100}
RATES = {
    "none": None,
    "directional": 0.1,
    "always_directional": 0.03,
    "isotropic": 0.1,
    "discount": 0.99,
    "window": 100,
    "restart": 0.25,
}


def method(
    forgetting: str, trigger: str = "rule", rate: float | None = None, test: float | None = None
) -> dict[str, Any]:
    chosen = RATES.get(forgetting) if trigger == "rule" else rate
    made = Rates(bonus=1.0, rate=chosen, test=test)
    return LinearMethod(
        exploration="error_adaptive",
        forgetting=forgetting,
        trigger=trigger,
        rates={"dense": made, "sparse": made, "neural": made},
    ).model_dump(mode="json")


def played(chosen: dict[str, Any], seed: int = 3, **settings: Any) -> Trajectory:
    config = {"environment": {**SMALL, **settings}, "method": chosen, "horizon": 600}
    part = pretraining(config)
    return run(config, Path(), seed, pretrain(part, Path(), seed) if part else None)


EVERY = [
    *((name, "rule", None, None) for name in RATES),
    ("restart", "page_hinkley", 5.0, None),
    ("directional", "page_hinkley", 0.1, 20.0),
    ("restart", "adwin", 0.2, None),
    ("restart", "shift", None, None),
    ("restart_in_v", "shift", None, None),
]


@pytest.mark.parametrize(("forgetting", "trigger", "rate", "test"), EVERY)
def test_every_rule_runs_and_is_judged(
    forgetting: str, trigger: str, rate: float | None, test: float | None
) -> None:
    one = played(method(forgetting, trigger, rate, test), shifted=2)
    assert len(one.regret) == 600
    assert (np.diff(one.regret, prepend=0.0) >= 0).all()
    facts = one.facts
    assert facts["regret_before"] + facts["regret_after"] == pytest.approx(facts["final_regret"])
    assert 50 <= facts["recovery"] <= 300
    assert facts["dimension_v"] == 2
    assert facts["spent_in_v"] >= 0.0 <= facts["spent_outside"]
    if forgetting == "restart_in_v":
        assert facts["spent_ratio"] == pytest.approx(1.0)
    again = played(method(forgetting, trigger, rate, test), shifted=2)
    assert np.array_equal(one.regret, again.regret)
    assert dict(facts) == dict(again.facts)
    assert all(np.array_equal(one.series[name], again.series[name]) for name in one.series)


def test_the_threshold_of_the_test_before_an_injection_is_a_rate_of_its_own() -> None:
    soon, late = (
        played(method("directional", "page_hinkley", 0.3, test), shifted=6).facts
        for test in (5.0, 1e6)
    )
    assert soon["detected"] == 1
    assert late["detected"] == 0
    assert late["alarms_before"] == late["alarms_after"] == 0
    assert soon["final_regret"] < late["final_regret"]


def spent_by(chosen: LinearMethod) -> tuple[LinearRounds, float]:
    """Return a run's log, and what its facts say was spent."""
    settings = PartialGlobalSettings(
        **{name: value for name, value in SMALL.items() if name != "kind"}, shifted=2
    )
    rounds = Rounds(PartialGlobalWorld.of(settings, 3), 600)
    log, regret = rounds.play(chosen)
    facts = facts_of(rounds.world, log, regret, regret, rounds.seen.in_v)
    return log.rounds, float(facts["spent_in_v"]) + float(facts["spent_outside"])


def test_what_is_spent_is_counted_from_the_first_round_after_the_shift() -> None:
    log, spent = spent_by(LinearMethod.model_validate(method("always_directional")))
    assert log.spent[299].sum() > 0
    assert spent == pytest.approx(log.spent[300:350].sum())


def test_an_oracle_spends_between_the_last_round_before_the_shift_and_the_first_after() -> None:
    log, spent = spent_by(LinearMethod.model_validate(method("restart", "shift")))
    assert spent == pytest.approx(log.spent[299].sum())
    assert log.spent.sum() == log.spent[299].sum() > 0


def test_before_the_shift_nobody_knows_of_it() -> None:
    for forgetting, trigger in (("directional", "rule"), ("restart", "shift")):
        few, many = (played(method(forgetting, trigger), shifted=s) for s in (0, 6))
        assert np.array_equal(few.regret[:300], many.regret[:300])
        if trigger == "rule":
            assert many.facts["regret_after"] > few.facts["regret_after"]


def test_the_oracle_of_all_dimensions_is_the_one_in_v_where_all_shift() -> None:
    whole, inside = (played(method(one, "shift"), shifted=6) for one in ("restart", "restart_in_v"))
    assert np.array_equal(whole.regret, inside.regret)
    assert whole.facts["spent_ratio"] == pytest.approx(1.0)


def test_without_a_shift_there_is_nothing_to_recover_from() -> None:
    facts = played(method("restart", "page_hinkley", 5.0), shifted=0).facts
    assert "recovery" not in facts
    assert "spent_ratio" not in facts
    assert facts["alarms_before"] + facts["alarms_after"] == facts["episodes"] - 1


def test_directional_forgetting_spends_inside_v_only_where_features_lie_in_v() -> None:
    sparse = played(method("directional"), shifted=2, features="sparse", active=1).facts
    dense = played(method("directional"), shifted=2).facts
    assert sparse["spent_in_v"] > 0
    assert dense["length_ratio"] > 1.5
    assert dense["spent_ratio"] > 1.5


def test_neural_features_need_their_network() -> None:
    config = {
        "environment": {**SMALL, **NETWORK, "features": "neural"},
        "method": method("directional"),
        "horizon": 600,
    }
    with pytest.raises(SettingError, match="none that was pretrained"):
        run(config, Path(), 0)
    part = pretraining(config)
    assert part is not None
    assert pretraining({**config, "method": method("discount")}) == part
    one = run(config, Path(), 0, pretrain(part, Path(), 0))
    assert 1 <= one.facts["dimension_v"] <= 8
    assert one.facts["length_ratio"] >= 1.0


def test_a_horizon_without_a_window_after_the_shift_is_refused() -> None:
    config = {"environment": SMALL, "method": method("none"), "horizon": 340}
    with pytest.raises(SettingError, match="whole window"):
        run(config, Path(), 0)


def test_recovery_counts_from_the_shift_over_whole_windows() -> None:
    regret = np.concatenate([np.zeros(10), np.ones(20), np.full(30, 0.1)])
    oracle = np.full(60, 0.1)
    assert windowed(regret, 5)[0] == 0.0
    assert recovery(regret, oracle, 10, 5, 0.1) == 25
    assert recovery(regret, oracle, 10, 5, 10.0) == 5
    assert recovery(np.ones(60), oracle, 10, 5, 0.1) is None


@given(st.integers(2, 9), st.integers(0, 200), st.floats(0.5, 1.0))
def test_v_holds_the_energy_with_the_fewest_directions(d: int, seed: int, energy: float) -> None:
    source = np.random.default_rng(seed)
    differences = source.standard_normal((40, d)) * np.linspace(3.0, 0.1, d)
    basis, m = shifted_subspace(differences, energy)
    assert basis.T @ basis == pytest.approx(np.eye(d), abs=1e-10)
    values = np.linalg.eigvalsh(differences.T @ differences)[::-1]
    held = np.cumsum(values) / values.sum()
    assert held[m - 1] >= energy * (1 - 1e-9)
    assert m == 1 or held[m - 2] < energy * (1 + 1e-9)
    inside = (combined(differences, basis)[:, :m] ** 2).sum()
    assert inside == pytest.approx(held[m - 1] * (differences**2).sum())


def test_no_difference_spans_nothing() -> None:
    basis, m = shifted_subspace(np.zeros((5, 3)), 0.9)
    assert m == 0
    assert np.array_equal(basis, np.eye(3))


@pytest.mark.parametrize(("trigger", "rate"), [("page_hinkley", 10.0), ("adwin", 0.02)])
def test_a_rise_of_the_errors_is_an_alarm_and_a_fall_is_none(trigger: str, rate: float) -> None:
    chosen = LinearMethod.model_validate(method("restart", trigger, rate))
    noise = np.random.default_rng(0).standard_normal(3000)
    first = {}
    for name, factor in (("rise", 3.0), ("fall", 0.2), ("same", 1.0)):
        test = DriftTest(chosen, rate)
        scale = np.where(np.arange(3000) < 1500, 1.0, factor)
        alarms = [t for t, e in enumerate(scale * noise) if test.alarm(float(e), 0.0)]
        first[name] = next((t for t in alarms), None)
    assert first["fall"] is None
    assert first["same"] is None
    assert first["rise"] is not None
    assert 1500 <= first["rise"] < 1560


def test_adwin_may_take_the_way_back_after_a_lasting_fall_for_a_rise() -> None:
    chosen = LinearMethod.model_validate(method("restart", "adwin", 0.02))
    test = DriftTest(chosen, 0.02)
    scale = np.where(np.arange(20_000) < 1500, 1.0, 0.2)
    noise = scale * np.random.default_rng(0).standard_normal(20_000)
    alarms = [t for t, e in enumerate(noise) if test.alarm(float(e), 0.0)]
    assert alarms
    assert min(alarms) > 1500


def test_a_test_warms_up_and_survives_perfect_predictions() -> None:
    test = DriftTest(LinearMethod.model_validate(method("restart", "page_hinkley", 1e-6)), 1e-6)
    assert not any(test.alarm(100.0 * t, 0.0) for t in range(WARM_UP))
    quiet = DriftTest(LinearMethod.model_validate(method("restart", "adwin", 0.5)), 0.5)
    assert not any(quiet.alarm(0.0, 0.0) for _ in range(500))


def test_tuning_looks_at_none_of_the_experiments_seeds() -> None:
    experiment = load_experiment("pearl/partial-global")
    for profile in ("smoke", "sample", "paper"):
        seeds = set(experiment.under(profile).seed_list())
        for features in ("dense", "sparse", "neural"):
            assert not seeds & set(load_tuning().instances(features).seeds)
    assert len(experiment.under("paper").seed_list()) >= 20


def test_recorded_rates_are_among_those_tried_and_their_regret_is_found_again() -> None:
    tuning = load_tuning()
    record = read_mapping(files("pearl.bandits") / "linear_tuned.yaml")
    for name, chosen in load_linear_methods().items():
        for features, rates in chosen.rates.items():
            assert rates in tuning.tried(chosen), (name, features)
            found = record["found"][name][features]
            assert ("least" in found) == (name in record["rates"])
            for s in tuning.instances(features).shifted:
                assert found.get("least", found["regret"])[s] <= found["regret"][s]
    few = tuning.model_copy(update={"shifted": (4,)})
    drawn = list(instances("dense", few))
    for name in ("directional_a", "discount_f", "isotropic_matched_a", "cusum_directional_f"):
        chosen = load_linear_methods()[name]
        again = regrets(chosen, chosen.rates["dense"], "dense", drawn)[4]
        assert again == pytest.approx(record["found"][name]["dense"]["regret"][4], rel=1e-5)
