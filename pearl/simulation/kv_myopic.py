"""Myopic LinUCB over a whole run: blocks of compiled rounds between refreshes of V^-1."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from pearl.memory.cache_method import CacheMethod
from pearl.memory.direction_images import ROOT_ROUNDS, CarriedImages, RedrawnImages
from pearl.memory.lazy_inverse import LazyInverse
from pearl.memory.residency import empty_cache
from pearl.memory.ridge import Ridge
from pearl.memory.ties import TIE_TOLERANCE
from pearl.simulation.clip_facts import tie_fact
from pearl.simulation.kv_game import Game
from pearl.simulation.myopic_block import Cache, Demand, Learner, Paths, Rule, play_block
from pearl.simulation.segment_chains import segment_chains
from pearl.simulation.trajectory import Trajectory

Floats = NDArray[np.float64]

BLOCK = 64
"""Rounds between updates of V^-1."""
BLOCKS_PER_REFRESH = 64
"""Blocks between inversions of V."""


def play_myopic(game: Game, method: CacheMethod, seed: int) -> Trajectory:
    """Run Myopic LinUCB: every round, the best score of the cache after one more refresh."""
    instance, horizon = game.instance, game.horizon
    tree = instance.tree
    ridge = Ridge(tree.segments, game.radius(method).regularization, game.reward_unit)
    inverse = LazyInverse(ridge, BLOCK)
    chains, chain_offsets = segment_chains(tree)
    paths = Paths(tree.parent, tree.actions, tree.path_offsets, tree.path_nodes, chain_offsets)
    reuse = instance.reuse
    demand = Demand(reuse.indptr, reuse.indices, reuse.data, game.requests)
    cache = Cache(
        empty_cache(tree.segments),
        np.zeros(tree.segments, dtype=np.bool_),
        np.zeros(horizon, dtype=np.int32),
    )
    rule = _rule(game, method)
    bonus = _bonus(method, seed, ridge)
    images, image_sums = _image_arrays(bonus, method, tree.segments)
    gains = np.zeros(BLOCK)
    seen = np.zeros(tree.segments, dtype=np.bool_)
    demanded = np.zeros(horizon, dtype=np.int64)
    tied_rounds = 0
    learner: Learner | None = None
    for number, (start, rounds) in enumerate(_blocks(horizon, bonus)):
        if number % BLOCKS_PER_REFRESH == 0:
            inverse.refresh()
            if isinstance(bonus, CarriedImages):
                bonus.refresh(cache.resident)
            learner = None
        if learner is None:
            covered = inverse.base @ cache.resident
            entries = inverse.base[chains]
            estimate = inverse.base @ ridge.response()
        else:
            covered, entries, estimate = learner.covered, learner.entries, learner.estimate
        learner = Learner(
            inverse.base.T, inverse.updates, gains, covered, entries, estimate, images, image_sums
        )
        available = np.empty((rounds, tree.segments))
        tokens = np.empty(rounds, dtype=np.int64)
        if isinstance(bonus, RedrawnImages):
            if (start - 1) % ROOT_ROUNDS == 0:
                bonus.restart(ridge.factor(), start, min(ROOT_ROUNDS, horizon - start + 1))
            for n in range(rounds):
                images[:] = bonus.current().T
                image_sums[:] = cache.resident @ images
                until = n + 1
                tied_rounds += play_block(
                    paths, demand, learner, cache, rule, start, n, available[:until], tokens[:until]
                )
                direction = inverse.updates[n] * math.sqrt(1.0 + gains[n])
                bonus.learn(available[n] / math.sqrt(tree.segments), direction, gains[n])
        else:
            tied_rounds += play_block(
                paths, demand, learner, cache, rule, start, 0, available, tokens
            )
        inverse.flush(rounds)
        ridge.absorb(available, tokens)
        demanded[start - 1 : start - 1 + rounds] = game.demanded(available)
        seen |= available.any(axis=0)
    inverse.measure()
    diagnostics = {"inverse_drift": inverse.drift}
    if isinstance(bonus, CarriedImages):
        bonus.measure(cache.resident)
        diagnostics["image_drift"] = bonus.drift
    facts = {"episodes": horizon, "segments_refreshed": int(seen.sum())}
    return Trajectory(
        game.regret(demanded),
        np.empty(0, dtype=np.int64),
        game.facts(demanded) | facts | tie_fact(method, tied_rounds / horizon),
        diagnostics,
    )


def _rule(game: Game, method: CacheMethod) -> Rule:
    radius = game.radius(method)
    over = 1.0 if method.bonus == "ellipsoid" else method.constant
    return Rule(
        memory=game.instance.memory,
        bound=game.instance.reward_bound,
        clipped=method.clips,
        by_estimate=method.tie == "estimate",
        one_sided=method.bonus == "posterior",
        tolerance=TIE_TOLERANCE,
        reward_unit=game.reward_unit,
        radii=np.array([radius.at(t) / over for t in range(1, game.horizon + 1)]),
    )


def _bonus(method: CacheMethod, seed: int, ridge: Ridge) -> RedrawnImages | CarriedImages | None:
    """Return where the images of the directions come from; None for the exact ellipsoid."""
    if method.bonus == "ellipsoid":
        return None
    if method.redraw == "once":
        return CarriedImages(seed, method.directions, ridge)
    return RedrawnImages(seed, method.directions, ridge.dimension)


def _image_arrays(
    bonus: RedrawnImages | CarriedImages | None, method: CacheMethod, segments: int
) -> tuple[Floats, Floats]:
    """Return the arrays that the compiled rounds read L g_j (d x N) and their sums (N) from."""
    if isinstance(bonus, CarriedImages):
        return bonus.images, bonus.sums
    count = method.directions if bonus else 0
    return np.zeros((segments, count)), np.zeros(count)


def _blocks(horizon: int, bonus: RedrawnImages | CarriedImages | None) -> Iterator[tuple[int, int]]:
    """Yield the first round and the rounds of every block: V is up to date wherever a root is."""
    start = 1
    while start <= horizon:
        rounds = min(BLOCK, horizon - start + 1)
        if isinstance(bonus, RedrawnImages):
            rounds = min(rounds, ROOT_ROUNDS - (start - 1) % ROOT_ROUNDS)
        yield start, rounds
        start += rounds
