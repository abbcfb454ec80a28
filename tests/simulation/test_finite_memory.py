"""Runs on listed memory states: against the literal algorithm, and the run-length instance's."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from memory_instances import EVERY, FINITE, OneHistory, small_run_length

from pearl.environments.memory_instance import transition
from pearl.environments.memory_states import reachable_states
from pearl.environments.random_memory import RandomMemory
from pearl.errors import SettingError
from pearl.experiments.environment import load_environment
from pearl.memory.finite_method import FiniteMethod, load_finite_methods
from pearl.memory.howard import policy_iteration
from pearl.memory.radius import ConfidenceRadius
from pearl.memory.run_length_method import load_run_length_methods
from pearl.runs.code import modules_behind
from pearl.simulation.finite_memory import noise, play
from pearl.simulation.finite_play import play_blocks, play_every_round, play_rare_switch
from pearl.simulation.run_length_events import play_events

PLAYERS = {"howard": play_rare_switch, "block": play_blocks, "myopic": play_every_round}


def actions_and_starts(instance, method: FiniteMethod, drawn: np.ndarray):
    states = reachable_states(instance)
    rounds, starts, _ = PLAYERS[method.planner](instance, states, method, drawn)
    return rounds.actions, starts


@pytest.mark.parametrize("name", list(load_finite_methods()))
@pytest.mark.parametrize(("memory", "scale"), [(3, 1.0), (4, 3.0), (5, 1.0)])
@pytest.mark.parametrize("number", [0, 2])
def test_equals_the_run_length_instances_own_planner(name, memory, scale, number) -> None:
    whole = small_run_length(memory, scale=scale)
    horizon = 4000
    drawn = np.random.default_rng(memory).standard_normal(horizon)
    own = load_run_length_methods()[name].model_copy(update={"discount": 0.999})
    theirs = play_events(whole, own, np.concatenate([[0.0], np.cumsum(drawn)]))[number]
    method = load_finite_methods()[name].model_copy(
        update={"discount": 0.999, "regularization": whole.regularization}
    )
    actions, starts = actions_and_starts(OneHistory(whole, number), method, whole.noise * drawn)
    assert starts == theirs.starts.tolist()
    assert np.array_equal(actions, theirs.actions)


@pytest.mark.parametrize("draw", range(3))
def test_equals_algorithm_1_taken_literally(draw: int) -> None:
    instance = RandomMemory(draw=draw, memory=2, feature_bound=2.0)
    horizon, d = 1500, instance.dimension
    drawn = noise(instance, 0, horizon)
    actions, starts = actions_and_starts(instance, load_finite_methods()["rsm_linucb"], drawn)
    regularization = d * instance.noise**2
    radius = ConfidenceRadius(d, regularization, 1.0, 2.0, instance.noise, 0.05)
    gram, response = regularization * np.eye(d), np.zeros(d)
    histories = [(a, b) for a in range(4) for b in range(4)]
    following = np.array([[4 * b + c for c in range(4)] for _, b in histories], dtype=np.int32)
    features = np.array([[instance.feature(s, a) for a in range(4)] for s in histories])
    history, frozen, expected, episodes = instance.initial, None, [], []
    for t in range(1, horizon + 1):
        if frozen is None or np.linalg.det(gram) >= 2 * frozen * (1 - 1e-12):
            frozen = np.linalg.det(gram)
            widths = np.sqrt(np.einsum("sai,ij,saj->sa", features, np.linalg.inv(gram), features))
            scores = features @ np.linalg.solve(gram, response) + radius.at(t) * widths
            plan = policy_iteration(np.clip(scores, -2, 2), following, 1 - 1 / horizon, 2.0, 10**6)
            episodes.append(t)
        expected.append(int(plan.policy[4 * history[0] + history[1]]))
        phi = instance.feature(history, expected[-1])
        gram += np.outer(phi, phi)
        response += (phi @ instance.theta_star + drawn[t - 1]) * phi
        history = transition(history, expected[-1])
    assert starts == episodes
    assert actions.tolist() == expected


@pytest.mark.parametrize("draw", range(3))
def test_myopic_equals_a_solve_every_round(draw: int) -> None:
    instance = RandomMemory(draw=draw, memory=2)
    horizon, d = 2500, instance.dimension
    drawn = noise(instance, 1, horizon)
    actions, _ = actions_and_starts(instance, load_finite_methods()["myopic_linucb"], drawn)
    regularization = d * instance.noise**2
    radius = ConfidenceRadius(d, regularization, 1.0, 1.0, instance.noise, 0.05)
    gram, response = regularization * np.eye(d), np.zeros(d)
    history, expected = instance.initial, []
    for t in range(1, horizon + 1):
        options = np.array([instance.feature(history, a) for a in range(4)])
        widths = np.sqrt(np.einsum("ai,ij,aj->a", options, np.linalg.inv(gram), options))
        scores = options @ np.linalg.solve(gram, response) + radius.at(t) * widths
        expected.append(int(scores.argmax()))
        phi = options[expected[-1]]
        gram += np.outer(phi, phi)
        response += (phi @ instance.theta_star + drawn[t - 1]) * phi
        history = transition(history, expected[-1])
    assert actions.tolist() == expected


@pytest.mark.parametrize("name", list(load_finite_methods()))
@pytest.mark.parametrize("kind", FINITE)
def test_regret_is_never_negative_and_adds_up(name: str, kind: str) -> None:
    instance = FINITE[kind]
    run = play(instance, load_finite_methods()[name], horizon=600, seed=3)
    bound = instance.feature_bound * instance.norm_bound
    assert (run.regret >= -1e-9 * bound * np.arange(1, 601)).all()
    assert run.facts["final_regret"] == run.regret[-1]
    assert run.facts["optimum"] == instance.optimum(600)[-1]
    if name == "myopic_linucb":
        assert len(run.episode_starts) == 0
        assert run.facts["episodes"] == 600
    else:
        assert run.facts["episodes"] == len(run.episode_starts)
        assert run.episode_starts[0] == 1
    if name == "rsm_linucb":
        assert run.facts["howard/unfinished"] == 0
        assert run.facts["howard/improvements"] <= run.facts["howard/budget"]
        assert 0 < run.facts["howard/span"] <= 1


def test_planning_pays_where_looking_one_round_ahead_does_not() -> None:
    methods = load_finite_methods()
    instance = RandomMemory()
    regret = {
        name: play(instance, methods[name], horizon=20_000, seed=0).regret[-1]
        for name in ("rsm_linucb", "myopic_linucb")
    }
    assert regret["rsm_linucb"] < 0.05 * regret["myopic_linucb"]


def test_the_last_block_is_cut_at_the_horizon() -> None:
    instance = RandomMemory(memory=3)
    method = load_finite_methods()["oful_refined"]
    run = play(instance, method, horizon=500, seed=0)
    length = run.facts["block_length"]
    assert np.array_equal(run.episode_starts, np.arange(1, 501, 3 + length))
    last = 500 - run.episode_starts[-1] + 1
    informative = (len(run.episode_starts) - 1) * length + max(0, last - 3)
    assert run.facts["informative_rounds"] == informative


def test_noise_belongs_to_the_seed_alone() -> None:
    instance = RandomMemory()
    assert np.array_equal(noise(instance, 4, 50), noise(instance, 4, 90)[:50])
    assert not np.array_equal(noise(instance, 4, 50), noise(instance, 5, 50))
    assert noise(instance, 4, 10**5).std() == pytest.approx(instance.noise, rel=0.01)


def test_a_horizon_without_a_discount_is_refused() -> None:
    with pytest.raises(SettingError, match="horizon"):
        play(RandomMemory(), load_finite_methods()["rsm_linucb"], horizon=1, seed=0)


def test_actions_that_are_not_finite_are_refused() -> None:
    with pytest.raises(SettingError, match="aren't finite"):
        play(EVERY["additive"], load_finite_methods()["rsm_linucb"], horizon=10, seed=0)


OWN_MODULE = '''
from dataclasses import dataclass

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from pearl.environments.finite_optimum import optimum_by_states
from pearl.simulation.finite_memory import run_instance


class TeaSettings(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")
    memory: int = Field(default=2, ge=1)
    noise: float = Field(default=0.1, gt=0)


class Tea:
    """A sort pays the more the longer it wasn't drunk."""

    dimension, feature_bound, norm_bound = 2, 1.0, 1.0
    theta_star, actions = np.array([0.8, 0.6]), np.eye(2)

    def __init__(self, settings):
        self.memory, self.noise = settings.memory, settings.noise
        self.initial = (0,) * settings.memory

    def feature(self, history, action):
        rested = sum(past != action for past in history) / self.memory
        return rested * self.actions[action]

    def optimum(self, horizon):
        return optimum_by_states(self, horizon)


def run(config, tables, seed):
    return run_instance(config, seed, TeaSettings, Tea)
'''
OWN_ENVIRONMENT = """
tea:
  dataset: null
  entry: own_tea:run
  settings: own_tea:TeaSettings
  methods: pearl.memory.finite_method:load_finite_methods
"""


@pytest.fixture
def tea(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "own_tea.py").write_text(OWN_MODULE)
    (tmp_path / "experiments").mkdir()
    (tmp_path / "experiments" / "environments.yaml").write_text(OWN_ENVIRONMENT)
    monkeypatch.syspath_prepend(tmp_path)
    yield load_environment("tea", SimpleNamespace(root=tmp_path))
    sys.modules.pop("own_tea", None)


def tea_config(**changes) -> dict:
    method = load_finite_methods()["rsm_linucb"].model_dump(exclude={"label", "family"})
    return {
        "environment": {"kind": "tea", "memory": 3},
        "method": method,
        "horizon": 3000,
    } | changes


def test_an_instance_of_ones_own_is_a_line_of_data(tea, tmp_path) -> None:
    assert "rsm_linucb" in tea.method_models()
    assert tea.settings_model()().memory == 2
    run = tea.entry_point()
    one, again = (run(tea_config(), tmp_path, 0) for _ in range(2))
    assert one.facts["states"] == 8
    assert one.regret.tobytes() == again.regret.tobytes()
    assert one.facts["final_regret"] < 0.05 * one.facts["optimum"]
    code = modules_behind(tea.entry)
    assert {"own_tea", "pearl.simulation.finite_play", "pearl.memory.howard"} <= set(code)


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"horizon": 1}, "horizon"),
        ({"horizon": True}, "horizon"),
        ({"engine": "rounds"}, "engine"),
        ({"environment": {"kind": "tea", "memory": 0}}, "tea settings: memory"),
        ({"environment": {"kind": "tea", "sugar": 1}}, "sugar"),
        ({"method": {"planner": "howard", "switching": "blocks", "block": "refined"}}, "howard"),
        (
            {"method": {"planner": "howard", "switching": "determinant", "discount": 1.0}},
            "discount",
        ),
        (
            {"method": {"planner": "howard", "switching": "determinant", "max_states": 7}},
            "max_states = 7",
        ),
    ],
)
def test_a_wrong_setting_is_named(tea, tmp_path, changes, named) -> None:
    with pytest.raises(SettingError, match=named):
        tea.entry_point()(tea_config(**changes), tmp_path, 0)
