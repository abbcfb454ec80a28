"""Myopic LinUCB in compiled blocks against full solves in every round."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pearl.memory.cache_method import CacheMethod, load_cache_methods
from pearl.simulation import kv_myopic
from pearl.simulation.kv_cache import play

BONUSES = {
    "ellipsoid": {"bonus": "ellipsoid"},
    "directions": {"bonus": "directions"},
    "directions once": {"bonus": "directions", "redraw": "once"},
}
NAMED = ["myopic_linucb", "myopic_linucb_directions", "myopic_linucb_directions_once"]


def myopic(bonus: str, tie: str) -> CacheMethod:
    return CacheMethod(
        planner="myopic", switching="every_round", tie=tie, directions=5, **BONUSES[bonus]
    )


def check_same(game, method, seed) -> dict:
    """Every segment's demand is different, so equal regret means equal caches in every round."""
    blocks, rounds = (play(game, method, seed, engine) for engine in ("events", "rounds"))
    np.testing.assert_allclose(blocks.regret, rounds.regret, rtol=0, atol=1e-9)
    assert np.diff(blocks.regret, prepend=0.0).min() >= 0
    facts = dict(blocks.facts)
    assert max(blocks.diagnostics.values()) < 1e-8
    others = dict(rounds.facts)
    assert facts.pop("split_label") == others.pop("split_label")
    assert facts == pytest.approx(others, rel=1e-12)
    return facts


@settings(
    max_examples=150,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    seed=st.integers(0, 10**6),
    nodes=st.integers(1, 25),
    memory=st.integers(1, 12),
    regularization=st.sampled_from([0.03, 0.3, 3.0, 100.0]),
    horizon=st.integers(1, 150),
    bonus=st.sampled_from(list(BONUSES)),
    tie=st.sampled_from(["first", "unclipped", "estimate"]),
    block=st.sampled_from([1, 3, 64]),
)
def test_small_instances(
    make_game, seed, nodes, memory, regularization, horizon, bonus, tie, block
) -> None:
    game = make_game(
        seed=seed, nodes=nodes, memory=memory, regularization=regularization, horizon=horizon
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kv_myopic, "BLOCK", block)
        patch.setattr(kv_myopic, "BLOCKS_PER_REFRESH", 2)
        check_same(game, myopic(bonus, tie), seed)


@pytest.mark.parametrize("name", NAMED)
def test_the_named_methods_across_many_blocks(make_game, name) -> None:
    game = make_game(nodes=40, memory=7, regularization=20.0, horizon=1500)
    facts = check_same(game, load_cache_methods()[name], 0)
    assert facts["segments_refreshed"] > 8


def test_a_clipping_tie_goes_to_the_lowest_action(make_game) -> None:
    """With a tiny lambda every score passes B in the first round: nothing tells actions apart."""
    game = make_game(nodes=20, memory=3, regularization=1e-3, horizon=1)
    clipped, free = (play(game, myopic("directions", tie), 0) for tie in ("first", "unclipped"))
    assert clipped.facts["clip_tie_share"] == free.facts["clip_would_tie_share"] == 1.0
    assert "clip_would_tie_share" not in clipped.facts
    assert "clip_tie_share" not in free.facts
    first = game.instance.tree.union([0])
    assert game.best_tokens[0] - game.instance.demand[first].sum() == lost_tokens(game, clipped)
    assert lost_tokens(game, free) != lost_tokens(game, clipped)


def lost_tokens(game, trajectory) -> int:
    scale = game.instance.n_eval * game.instance.settings.token_scale
    return round(trajectory.regret[0] * scale)


@pytest.mark.parametrize("name", NAMED)
@pytest.mark.parametrize("refreshes", [64, 10**9])
def test_drift_over_20000_rounds(make_game, monkeypatch, name, refreshes) -> None:
    monkeypatch.setattr(kv_myopic, "BLOCKS_PER_REFRESH", refreshes)
    game = make_game(nodes=30, memory=6, regularization=5.0, horizon=20_000)
    diagnostics = play(game, load_cache_methods()[name], 0).diagnostics
    carried = {"image_drift"} if name.endswith("once") else set()
    assert diagnostics.keys() == {"inverse_drift"} | carried
    for drift in diagnostics.values():
        assert 0 < drift < 1e-9


def test_directions_drawn_anew_forget_the_first_round(make_game) -> None:
    """Both draw the same directions in round 1 and take the same root; later ones differ."""
    game = make_game(nodes=40, memory=7, regularization=20.0, horizon=300)
    anew, once = (play(game, load_cache_methods()[name], 0) for name in NAMED[1:])
    assert anew.regret[0] == once.regret[0]
    assert not np.array_equal(anew.regret, once.regret)
