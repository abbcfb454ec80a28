"""The round-by-round loop: Algorithm 1 and its baselines, literally."""

from __future__ import annotations

import math
from collections import deque

import numpy as np

from pearl.memory.cache_method import CacheMethod
from pearl.simulation.clip_facts import plan_facts, tie_fact
from pearl.simulation.kv_block_policy import FixedBlocks
from pearl.simulation.kv_game import Game
from pearl.simulation.kv_policies import Myopic, Policy, RandomUnion, RareSwitch
from pearl.simulation.trajectory import Trajectory


def play_rounds(game: Game, method: CacheMethod, seed: int) -> Trajectory:
    """Run any method one round at a time; slow, and the measure of the fast loops."""
    policy = _policy(game, method, seed)
    instance = game.instance
    tree = instance.tree
    demanded = np.zeros(game.horizon, dtype=np.int64)
    seen = np.zeros(tree.segments, dtype=np.bool_)
    recent: deque[int] = deque(maxlen=instance.memory)
    for t in range(1, game.horizon + 1):
        resident = tree.union(recent)
        action = policy.act(t, resident)
        recent.append(action)
        available = resident | tree.union([action])
        reward = instance.reward(available, game.requests[t - 1])
        policy.learn(available / math.sqrt(tree.segments), reward)
        demanded[t - 1] = instance.demand[available].sum()
        seen |= available
    facts = game.facts(demanded) | {"segments_refreshed": int(seen.sum())}
    if isinstance(policy, Myopic):
        facts |= tie_fact(method, policy.tied_rounds / game.horizon)
        facts["episodes"] = game.horizon
    else:
        facts["episodes"] = len(policy.starts)
    if isinstance(policy, RareSwitch | FixedBlocks):
        facts |= plan_facts(policy.plans, instance.reward_bound, method)
    if isinstance(policy, FixedBlocks):
        facts |= policy.facts()
    return Trajectory(game.regret(demanded), np.array(policy.starts, dtype=np.int64), facts)


def _policy(game: Game, method: CacheMethod, seed: int) -> Policy:
    if method.switching == "blocks":
        return FixedBlocks(game, method, seed)
    if method.planner == "prefix_tree":
        return RareSwitch(game, method, seed)
    if method.planner == "myopic":
        return Myopic(game, method, seed)
    return RandomUnion(game, seed)
