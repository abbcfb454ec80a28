"""The plan of one episode of Algorithm 1, by the method's bonus."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pearl.memory.cache_method import CacheMethod
from pearl.memory.directions import Plan, directional_widths, draw_directions, plan
from pearl.simulation.greedy_union import plan_greedily
from pearl.simulation.kv_game import Game

Floats = NDArray[np.float64]


def plan_episode(
    game: Game,
    method: CacheMethod,
    seed: int,
    episode: int,
    start: int,
    factor: Floats,
    estimate: Floats,
) -> Plan:
    """Plan an episode, counted from 0, that begins in round `start`.

    Args:
        factor: the lower Cholesky factor of V (d x d).
        estimate: theta (d).
    """
    instance = game.instance
    radius = game.radius(method).at(start)
    if method.bonus == "ellipsoid":
        return plan_greedily(
            instance.tree,
            estimate,
            factor,
            radius=radius,
            paths=game.paths,
            bound=instance.reward_bound,
        )
    gaussians = draw_directions(seed, episode, method.directions, instance.tree.segments)
    return plan(
        instance.tree,
        estimate,
        directional_widths(factor, gaussians),
        radius=radius,
        paths=game.paths,
        bound=instance.reward_bound,
        method=method,
    )
