"""Myopic LinUCB over a whole run: blocks of compiled rounds between refreshes of V^-1."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pearl.environments.prefix_tree import PrefixTree
from pearl.memory.choice import TIE_TOLERANCE
from pearl.memory.directions import draw_directions
from pearl.memory.lazy_inverse import LazyInverse
from pearl.memory.method import MemoryMethod
from pearl.memory.residency import empty_cache
from pearl.memory.ridge import Ridge
from pearl.simulation.kv_game import Game
from pearl.simulation.myopic_block import Cache, Demand, Learner, Paths, Rule, play_block
from pearl.simulation.trajectory import Trajectory

BLOCK = 64
"""Rounds between updates of V^-1."""
BLOCKS_PER_REFRESH = 64
"""Blocks between inversions of V."""


def play_myopic(game: Game, method: MemoryMethod, seed: int) -> Trajectory:
    """Run Myopic LinUCB: every round, the best score of the cache after one more refresh."""
    instance, horizon = game.instance, game.horizon
    tree = instance.tree
    ridge = Ridge(tree.segments, instance.regularization, game.reward_unit)
    inverse = LazyInverse(ridge, BLOCK)
    chains, chain_offsets = _chains(tree)
    paths = Paths(tree.parent, tree.actions, tree.path_offsets, tree.path_nodes, chain_offsets)
    reuse = instance.reuse
    demand = Demand(reuse.indptr, reuse.indices, reuse.data, game.requests)
    cache = Cache(
        empty_cache(tree.segments),
        np.zeros(tree.segments, dtype=np.bool_),
        np.zeros(horizon, dtype=np.int32),
    )
    rule = _rule(game, method)
    images = _images(game, method, seed)
    image_sums = np.zeros(images.shape[1])
    seen = np.zeros(tree.segments, dtype=np.bool_)
    demanded = np.zeros(horizon, dtype=np.int64)
    tied_rounds = 0
    learner: Learner | None = None
    for number, done in enumerate(range(0, horizon, BLOCK)):
        if number % BLOCKS_PER_REFRESH == 0:
            inverse.refresh()
            learner = None
        if learner is None:
            covered = inverse.base @ cache.resident
            entries = inverse.base[chains]
            estimate = inverse.base @ ridge.response()
        else:
            covered, entries, estimate = learner.covered, learner.entries, learner.estimate
        learner = Learner(
            inverse.base.T, inverse.updates, covered, entries, estimate, images, image_sums
        )
        rounds = min(BLOCK, horizon - done)
        available = np.empty((rounds, tree.segments))
        tokens = np.empty(rounds, dtype=np.int64)
        tied_rounds += play_block(paths, demand, learner, cache, rule, done + 1, available, tokens)
        inverse.flush(rounds)
        ridge.absorb(available, tokens)
        demanded[done : done + rounds] = game.demanded(available)
        seen |= available.any(axis=0)
    inverse.measure()
    facts = game.facts(demanded) | {
        "episodes": horizon,
        "segments_refreshed": int(seen.sum()),
        "clip_tie_share": tied_rounds / horizon,
    }
    return Trajectory(
        game.regret(demanded),
        np.empty(0, dtype=np.int64),
        facts,
        diagnostics={"inverse_drift": inverse.drift},
    )


def _rule(game: Game, method: MemoryMethod) -> Rule:
    radius = game.radius(method)
    over = method.constant if method.bonus == "directions" else 1.0
    return Rule(
        memory=game.instance.memory,
        bound=game.instance.reward_bound,
        clipped=method.tie != "unclipped",
        by_estimate=method.tie == "estimate",
        tolerance=TIE_TOLERANCE,
        reward_unit=game.reward_unit,
        radii=np.array([radius.at(t) / over for t in range(1, game.horizon + 1)]),
    )


def _images(game: Game, method: MemoryMethod, seed: int) -> NDArray[np.float64]:
    """Return L_0 g_j as columns with L_0 = I / sqrt(lambda); none for the exact ellipsoid."""
    segments = game.instance.tree.segments
    if method.bonus == "ellipsoid":
        return np.zeros((segments, 0))
    gaussians = draw_directions(seed, 0, method.directions, segments)
    return np.ascontiguousarray(gaussians.T / math.sqrt(game.instance.regularization))


def _chains(
    tree: PrefixTree,
) -> tuple[tuple[NDArray[np.intp], NDArray[np.intp]], NDArray[np.int64]]:
    """Return index arrays (v, u) of every segment with u = v, parent(v), ..., root, and offsets."""
    lower = np.repeat(np.arange(tree.segments), tree.depth)
    offsets = np.concatenate([[0], np.cumsum(tree.depth)]).astype(np.int64)
    upper = np.empty(offsets[-1], dtype=np.intp)
    for v in range(tree.segments):
        upper[offsets[v]] = v
        if v:
            above = tree.parent[v]
            upper[offsets[v] + 1 : offsets[v + 1]] = upper[offsets[above] : offsets[above + 1]]
    return (lower, upper), offsets
