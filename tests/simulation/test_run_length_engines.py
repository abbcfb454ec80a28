"""The event-driven engine against the round-by-round one: same actions, same plans, same curves."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pearl.environments.run_length import RunLength
from pearl.environments.run_length_settings import RunLengthSettings
from pearl.memory.run_length_method import RunLengthMethod, load_run_length_methods
from pearl.memory.run_length_planner import RunStates, best_block
from pearl.simulation.run_length import play
from pearl.simulation.run_length_events import idle_block, play_events
from pearl.simulation.run_length_noise import noise_sums
from pearl.simulation.run_length_play import Play
from pearl.simulation.run_length_rounds import play_rounds

METHODS = load_run_length_methods()


def same_both_ways(
    instance: RunLength, method: RunLengthMethod, seed: int, horizon: int
) -> list[Play]:
    sums = noise_sums(seed, horizon)
    events = play_events(instance, method, sums)
    rounds, _ = play_rounds(instance, method, sums)
    for fast, slow in zip(events, rounds, strict=True):
        assert fast.actions.tolist() == slow.actions.tolist()
        assert fast.starts.tolist() == slow.starts.tolist()
        assert fast.informative == slow.informative
    optimum, scale = instance.optimum(horizon), max(1.0, instance.reward_bound)
    made, other = (play(instance, optimum, method, seed, each) for each in ("events", "rounds"))
    np.testing.assert_allclose(made.regret, other.regret, rtol=0, atol=1e-9 * scale)
    np.testing.assert_array_equal(made.episode_starts, other.episode_starts)
    assert made.facts.keys() == other.facts.keys()
    for name, fact in made.facts.items():
        assert other.facts[name] == pytest.approx(fact, rel=1e-9, abs=1e-9 * scale), name
    bound = 1e-9 * instance.reward_bound * np.arange(1, horizon + 1)
    assert (made.regret >= -bound).all()
    return events


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize(
    ("chosen", "horizon"),
    [
        ({"memory": 10}, 500),
        ({"memory": 10, "feature_bound": 10.0, "norm_bound": 5.0}, 300),
        ({"memory": 3, "norm_bound": 50.0, "direction": "linear"}, 200),
        ({"memory": 3, "norm_bound": 50.0, "regularization_rule": "scaled"}, 200),
        ({"memory": 1, "direction": "geometric"}, 150),
        ({"memory": 4, "direction": "spike", "noise": 2.0}, 250),
        ({"memory": 20}, 27),
        ({"memory": 20}, 1),
    ],
)
def test_settings_of_the_sweeps_in_small(name: str, chosen: dict, horizon: int) -> None:
    instance = RunLength.of(RunLengthSettings(**chosen))
    same_both_ways(instance, METHODS[name], 5, horizon)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    name=st.sampled_from(list(METHODS)),
    direction=st.lists(st.integers(0, 9), min_size=2, max_size=4).filter(any),
    memory=st.integers(1, 5),
    feature_bound=st.sampled_from([0.3, 1.0, 20.0]),
    norm_bound=st.sampled_from([1e-6, 0.5, 1.0, 30.0]),
    noise=st.sampled_from([0.05, 0.25, 3.0]),
    regularization=st.sampled_from([0.01, 0.625, 1.0, 40.0, 1000.0]),
    delta=st.sampled_from([1e-5, 0.05, 0.99]),
    discount=st.sampled_from([0.5, 0.9, 0.9999]),
    seed=st.integers(0, 1000),
    horizon=st.integers(1, 120),
    data=st.data(),
)
def test_any_small_instance(
    name,
    direction,
    memory,
    feature_bound,
    norm_bound,
    noise,
    regularization,
    delta,
    discount,
    seed,
    horizon,
    data,
) -> None:
    arms = st.integers(0, len(direction) - 1)
    history = st.lists(arms, min_size=memory, max_size=memory)
    instance = RunLength(
        direction=np.array(direction) / np.linalg.norm(direction),
        memory=memory,
        feature_bound=feature_bound,
        norm_bound=norm_bound,
        noise=noise,
        regularization=regularization,
        histories=np.array(data.draw(st.lists(history, min_size=1, max_size=2))),
    )
    method = METHODS[name].model_copy(update={"delta": delta, "discount": discount})
    same_both_ways(instance, method, seed, horizon)


@pytest.mark.parametrize(
    ("name", "regularization", "seed"),
    [
        ("rsm_linucb", 6.0, 403),
        ("oful_original", 1000.0, 28),
        ("oful_refined", 1000.0, 12),
        ("myopic_linucb", 1000.0, 0),
    ],
)
def test_where_every_score_is_negative_no_round_informs(name, regularization, seed) -> None:
    """Optimism is small beside the noise here; in these seeds every score falls below 0."""
    instance = RunLength(
        direction=np.array([0.6, 0.8]),
        memory=3,
        feature_bound=1.0,
        norm_bound=1e-9,
        noise=1.0,
        regularization=regularization,
        histories=np.array([[0] * 3, [1] * 3]),
    )
    method = METHODS[name].model_copy(update={"delta": 0.99})
    plays = same_both_ways(instance, method, seed, 300)
    idle = " ".join(map(str, [0, 0, 0, 1, 0, 0, 0]))
    assert any(idle in " ".join(map(str, play.actions)) for play in plays)


def test_blocks_without_information_are_the_planners() -> None:
    for memory, length in [(1, 1), (1, 6), (3, 2), (3, 9)]:
        arms, lengths = np.array(idle_block(memory + length, memory)).T
        planned = best_block(RunStates(2, memory), -np.ones(2), length)
        assert np.repeat(arms, lengths).tolist() == planned


def test_after_a_trigger_the_same_action_may_go_on_without_a_wait() -> None:
    instance = RunLength.of(RunLengthSettings(memory=10))
    plays = same_both_ways(instance, METHODS["rsm_linucb"], 1, 600)
    assert any((np.diff(play.arms) == 0).any() for play in plays)
    assert all(len(play.starts) > play.switches + 1 for play in plays)


def test_equality_of_the_determinant_fires() -> None:
    instance = RunLength.of(RunLengthSettings(memory=5, regularization=1.0))
    for play_ in same_both_ways(instance, METHODS["rsm_linucb"], 0, 60):
        first = play_.starts[:2].tolist()
        assert first == [1, 1 + 4 + 1]  # the last action has a run of 1: four rounds, then V = 2
