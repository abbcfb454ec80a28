"""Blocks of fixed length on the KV cache: both engines, and what must coincide."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pearl.memory.cache_method import CacheMethod, load_cache_methods
from pearl.simulation.kv_cache import play
from pearl.simulation.kv_game import Game
from pearl.simulation.trajectory import Trajectory

BLOCKS = [name for name, one in load_cache_methods().items() if one.switching == "blocks"]


def both_ways(game: Game, method: CacheMethod, seed: int) -> Trajectory:
    events, rounds = (play(game, method, seed, engine) for engine in ("events", "rounds"))
    assert events.episode_starts.tolist() == rounds.episode_starts.tolist()
    np.testing.assert_allclose(events.regret, rounds.regret, rtol=0, atol=1e-9)
    assert np.diff(events.regret, prepend=0.0).min() >= 0
    others = dict(rounds.facts)
    assert events.facts["split_label"] == others.pop("split_label")
    facts = {name: fact for name, fact in events.facts.items() if name != "split_label"}
    assert facts == pytest.approx(others, rel=1e-9)
    return events


@settings(
    max_examples=80,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    seed=st.integers(0, 10**6),
    nodes=st.integers(1, 25),
    memory=st.integers(1, 12),
    regularization=st.sampled_from([0.01, 0.1, 1.0, 30.0]),
    horizon=st.integers(1, 200),
    name=st.sampled_from(BLOCKS),
)
def test_small_instances(make_game, seed, nodes, memory, regularization, horizon, name) -> None:
    game = make_game(
        seed=seed, nodes=nodes, memory=memory, regularization=regularization, horizon=horizon
    )
    both_ways(game, load_cache_methods()[name], seed)


@pytest.mark.parametrize("name", ["oful_original", "oful_original_unclipped"])
def test_more_blocks_than_share_a_root(make_game, name) -> None:
    game = make_game(nodes=40, memory=3, regularization=20.0, horizon=600)
    found = both_ways(game, load_cache_methods()[name], 0)
    assert len(found.episode_starts) == 150
    assert found.facts["informative_rounds"] == 1


@pytest.mark.parametrize(
    ("regularization", "rounds"), [(0.5, {0}), (2.0, set(range(100, 250))), (8.0, {270})]
)
def test_the_ball_binds_never_sometimes_always(make_game, regularization, rounds) -> None:
    """A larger lambda = d sigma^2 / S^2 is a smaller S; 270 rounds are informative."""
    game = make_game(nodes=20, memory=3, regularization=regularization, horizon=300)
    found = both_ways(game, load_cache_methods()["glbm_scb_slope_unclipped"], 0)
    assert found.facts["projections"] in rounds


def test_without_projections_descent_is_ridge_regression(make_game) -> None:
    """The same plans follow where lambda and the radius are made equal: only they differ."""
    game = make_game(nodes=20, memory=3, regularization=0.01, horizon=400)
    descent = CacheMethod(
        planner="prefix_tree",
        switching="blocks",
        estimator="mirror_descent",
        block="sqrt_mt",
        radius="posterior",
        tie="unclipped",
    )
    found = play(game, descent, 0)
    assert found.facts["projections"] == 0
    rounds = found.facts["informative_rounds"]
    instance = game.instance
    ridge = descent.model_copy(update={"estimator": "ridge", "regularized_by": "radius"})
    # lambda = d sigma^2 / S^2 is made L / d by sigma; c takes the radius back to GLBM-SCB's
    scale = np.sqrt(rounds / instance.tree.segments / instance.regularization)
    ridge = ridge.model_copy(update={"noise_scale": scale, "constant": 1.5 * scale})
    np.testing.assert_allclose(play(game, ridge, 0).regret, found.regret, rtol=0, atol=1e-9)


def test_equal_lengths_make_the_same_algorithm(make_game) -> None:
    """d = 40 leaves L = 1 under both rules, as d = 864 does from M = 120 on at T = 100,000."""
    game = make_game(nodes=40, memory=12, regularization=5.0, horizon=300)
    original, refined = (
        play(game, load_cache_methods()[name], 0) for name in ("oful_original", "oful_refined")
    )
    assert original.facts["informative_rounds"] == refined.facts["informative_rounds"] == 1
    assert np.array_equal(original.regret, refined.regret)


def test_the_first_rounds_of_a_block_teach_nothing(make_game) -> None:
    """With M rounds a run, no block gets to its informative ones: the second plan isn't made."""
    game = make_game(nodes=20, memory=6, regularization=1.0, horizon=6)
    found = both_ways(game, load_cache_methods()["oful_refined"], 0)
    assert found.episode_starts.tolist() == [1]
