"""OFUL-memory and GLBM-SCB on the KV cache: one plan a block of M + L rounds.

The block's union is refreshed cyclically, so that its last L rounds see exactly that union: the
plan maximises their score, and they alone are learned from. Only the first M rounds differ.
"""

from __future__ import annotations

from pearl.memory.block_descent import BlockDescent
from pearl.memory.block_learner import BlockRidge
from pearl.memory.cache_method import CacheMethod
from pearl.memory.cache_radius import CacheRadius, informative_rounds
from pearl.memory.direction_images import RedrawnImages
from pearl.memory.directions import Plan, plan
from pearl.memory.ridge import Ridge
from pearl.simulation.clip_facts import plan_facts
from pearl.simulation.kv_events import Cycles
from pearl.simulation.kv_game import Game
from pearl.simulation.trajectory import Trajectory


def play_blocks(game: Game, method: CacheMethod, seed: int) -> Trajectory:
    """Play blocks of M + L rounds; the last one is cut at T."""
    instance, horizon = game.instance, game.horizon
    memory = instance.memory
    length = memory + informative_rounds(instance, method, horizon)
    starts = list(range(1, horizon + 1, length))
    radius = game.radius(method)
    learner = _learner(game, method, radius, seed, len(starts))
    cache = Cycles(game)
    plans: list[Plan] = []
    learned = 0
    for start in starts:
        chosen = plan(
            instance.tree,
            learner.estimate,
            learner.images(),
            radius=radius.at(learned),
            paths=game.paths,
            bound=instance.reward_bound,
            method=method,
        )
        plans.append(chosen)
        available = cache.upcoming(chosen.actions, start)
        rounds = min(length, horizon - start + 1)
        cache.play(chosen.actions, start, available, rounds)
        informative = rounds - memory
        if informative > 0:
            steady = available[memory]
            learner.learn(steady, game.observed_while(start + memory, informative, steady))
            learned += informative
    facts = plan_facts(plans, instance.reward_bound, method)
    facts["informative_rounds"] = length - memory
    if isinstance(learner, BlockDescent):
        facts["projections"] = learner.projections
    return cache.trajectory(starts, facts)


def _learner(
    game: Game, method: CacheMethod, radius: CacheRadius, seed: int, blocks: int
) -> BlockRidge:
    segments = game.instance.tree.segments
    ridge = Ridge(segments, radius.regularization, game.reward_unit)
    images = RedrawnImages(seed, method.directions, segments)
    if method.estimator == "mirror_descent":
        return BlockDescent(ridge, images, blocks, game.instance.norm_bound)
    return BlockRidge(ridge, images, blocks)
