"""The event-driven loop against the literal one: same episodes, same curves."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pearl.environments.kv_cache import build
from pearl.environments.kv_settings import KVCacheSettings
from pearl.memory.cache_method import CacheMethod, load_cache_methods
from pearl.memory.optimum import comparator
from pearl.simulation.kv_cache import play
from pearl.simulation.kv_events import Cycles
from pearl.simulation.kv_game import Game
from pearl.simulation.trajectory import Trajectory

SHARED = Path(__file__).resolve().parents[2].parent / "shared"
REAL_TRACE = SHARED / "data" / "mooncake" / "conversation_trace.jsonl"

RSM = [
    name
    for name, method in load_cache_methods().items()
    if (method.planner, method.switching) == ("prefix_tree", "determinant")
]


def same_both_ways(game: Game, method: CacheMethod, seed: int) -> Trajectory:
    events, rounds = (play(game, method, seed, engine) for engine in ("events", "rounds"))
    assert events.episode_starts.tolist() == rounds.episode_starts.tolist()
    np.testing.assert_allclose(events.regret, rounds.regret, rtol=0, atol=1e-9)
    assert events.facts.keys() == rounds.facts.keys()
    for name, fact in events.facts.items():
        other = rounds.facts[name]
        same = fact if isinstance(fact, str) else pytest.approx(fact, rel=1e-9, abs=1e-9)
        assert other == same, name
    check_regret(events)
    return events


def check_regret(trajectory: Trajectory) -> None:
    """Not below zero at any time nor in any round, to the last bit."""
    assert trajectory.regret.min() >= 0
    assert np.diff(trajectory.regret).min(initial=0) >= 0
    assert trajectory.facts["final_regret"] == trajectory.regret[-1]


@settings(
    max_examples=100,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    seed=st.integers(0, 10**6),
    nodes=st.integers(1, 25),
    memory=st.integers(1, 12),
    regularization=st.sampled_from([0.01, 0.1, 1.0, 30.0]),
    horizon=st.integers(1, 120),
    name=st.sampled_from([*RSM, "random_union"]),
)
def test_small_instances(make_game, seed, nodes, memory, regularization, horizon, name) -> None:
    game = make_game(
        seed=seed, nodes=nodes, memory=memory, regularization=regularization, horizon=horizon
    )
    same_both_ways(game, load_cache_methods()[name], seed)


@pytest.mark.parametrize("name", RSM)
def test_triggers_inside_the_first_rounds_of_an_episode(make_game, name) -> None:
    game = make_game(nodes=15, memory=6, regularization=0.05, horizon=250)
    trajectory = same_both_ways(game, load_cache_methods()[name], 3)
    lengths = np.diff(trajectory.episode_starts)
    assert (lengths <= game.instance.memory).sum() >= 3
    assert (lengths > game.instance.memory + 1).sum() >= 1


@pytest.mark.parametrize("horizon", [1, 4, 5, 6, 7])
def test_a_run_that_ends_around_the_first_rounds(make_game, horizon) -> None:
    game = make_game(memory=5, regularization=50.0, horizon=horizon)
    for name in [*RSM, "random_union"]:
        trajectory = same_both_ways(game, load_cache_methods()[name], 0)
        assert len(trajectory.regret) == horizon


def test_cycles_shorter_than_the_memory(make_game) -> None:
    game = make_game(nodes=6, memory=20, regularization=1.0, horizon=300)
    trajectory = same_both_ways(game, load_cache_methods()["rsm_linucb_unclipped"], 1)
    assert trajectory.facts["shortest_cycle"] < game.paths
    assert len(trajectory.episode_starts) > 2


def test_doubling_by_hand(make_game) -> None:
    """One segment, x = 1, lambda = 1: V = 1 + rounds, so V doubles at 1, 2, 4, 8, ... exactly."""
    for memory in (1, 3, 30):
        game = make_game(nodes=1, memory=memory, regularization=1.0, horizon=70)
        trajectory = same_both_ways(game, load_cache_methods()["rsm_linucb"], 0)
        assert trajectory.episode_starts.tolist() == [1, 2, 4, 8, 16, 32, 64]
        assert not trajectory.regret.any()


def test_the_comparators_cycle_has_no_regret(make_game) -> None:
    for seed in range(20):
        game = make_game(seed=seed, nodes=25, memory=4, horizon=60)
        order = comparator(game.instance).order
        cache = Cycles(game)
        cache.play(order, 1, cache.upcoming(order, 1), game.horizon)
        assert np.array_equal(cache.demanded, game.best_tokens)


def test_longer_runs_begin_like_shorter_ones(make_game) -> None:
    """Except where T decides the length of blocks."""
    for name, method in load_cache_methods().items():
        if method.switching == "blocks":
            continue
        short, long = (
            play(make_game(horizon=horizon, nodes=20), method, 0).regret for horizon in (130, 333)
        )
        assert np.array_equal(short, long[:130]), name


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("name", "memory"),
    [
        ("rsm_linucb", 180),
        ("rsm_linucb_estimate", 30),
        ("rsm_linucb_grown_catalogue", 30),
        ("oful_original", 30),
    ],
)
def test_the_real_trace(name: str, memory: int) -> None:
    if not REAL_TRACE.is_file():
        pytest.skip("the real Mooncake trace isn't beside the project")
    from pearl.datasets.mooncake import read_jsonl

    instance = build(read_jsonl(REAL_TRACE), KVCacheSettings(memory=memory))
    game = Game.of(instance, comparator(instance).tokens, 0, 8000 if memory == 30 else 3000)
    trajectory = same_both_ways(game, load_cache_methods()[name], 0)
    assert len(trajectory.episode_starts) >= 3
