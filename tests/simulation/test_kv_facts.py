"""Facts of hand-made plans and rounds."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from pearl.environments.kv_cache import Counts, KVCache
from pearl.environments.kv_settings import KVCacheSettings
from pearl.environments.prefix_tree import PrefixTree
from pearl.memory.cache_method import CacheMethod, load_cache_methods
from pearl.memory.directions import Plan
from pearl.memory.optimum import comparator
from pearl.memory.random_union import random_union
from pearl.simulation.clip_facts import plan_facts
from pearl.simulation.kv_cache import play
from pearl.simulation.kv_game import Game


def plan_of(length: int, capped: int, lowest: float) -> Plan:
    return Plan(np.arange(length, dtype=np.int32), capped, candidates=4, lowest=lowest)


PLANS = [plan_of(5, 4, 3.0), plan_of(4, 1, 0.4), plan_of(3, 2, 0.2), plan_of(6, 0, 0.1)]


def test_plans_by_hand() -> None:
    stood = {"lowest_score_over_bound": 0.2, "shortest_cycle": 3}
    for name in ("rsm_linucb", "rsm_linucb_estimate"):
        facts = plan_facts(PLANS, 0.5, load_cache_methods()[name])
        assert facts == {"clip_tie_share": 0.5, "clip_all_share": 0.25} | stood
    facts = plan_facts(PLANS, 0.5, load_cache_methods()["rsm_linucb_unclipped"])
    assert facts == {"clip_would_tie_share": 0.5, "clip_would_tie_all_share": 0.25} | stood


@pytest.mark.parametrize("engine", ["events", "rounds"])
@pytest.mark.parametrize("over", [0.0, 1e-9])
def test_a_score_that_equals_the_bound_ties(monkeypatch, engine, over) -> None:
    """Three paths of 4, 4 and 10 of 16 segments; lambda = 1, so that |x| = 1/2, 1/2 and more.

    With B = beta / 2 the two short paths reach B to the last bit; slightly above, neither does.
    """
    parent = np.array([-1, 0, 1, 2, 0, 4, 5, 0, *range(7, 15)])
    tree = PrefixTree(parent, np.array([3, 6, 15]))
    instance = KVCache(
        tree=tree,
        settings=KVCacheSettings(memory=2),
        reuse=csr_array(np.ones((2, 16), dtype=np.int64)),
        demand=np.full(16, 2),
        theta_star=np.full(16, 4 / 131_072),
        theta_calibration=np.full(16, 0.1),
        split_label="made up",
        counts=Counts(1, 1, 2),
        operator_norm=1.0,
    )
    game = Game.of(instance, comparator(instance).tokens, 0, 1)
    method = CacheMethod(planner="myopic", switching="every_round", bonus="ellipsoid")
    monkeypatch.setattr(KVCache, "regularization", property(lambda _: 1.0))
    bound = game.radius(method).at(1) / 2 * (1 + over)
    monkeypatch.setattr(KVCache, "reward_bound", property(lambda _: bound))
    assert play(game, method, 0, engine).facts["clip_tie_share"] == (0.0 if over else 1.0)


@pytest.mark.parametrize("engine", ["events", "rounds"])
def test_segments_refreshed_are_those_of_the_paths_played(make_game, engine) -> None:
    """A random union is refreshed whole in its first M + 1 rounds, and only it ever."""
    for horizon in (1, 2, 40):
        game = make_game(nodes=20, memory=3, horizon=horizon)
        tree = game.instance.tree
        method = load_cache_methods()["random_union"]
        found = play(game, method, 5, engine)
        played = random_union(tree, 4, 5)[:horizon]
        seen = {v for action in played for v in np.flatnonzero(tree.union([action])).tolist()}
        assert found.facts["segments_refreshed"] == len(seen)
