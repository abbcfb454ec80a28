"""The event-driven loop: whole episodes instead of rounds, for plans that are cycles.

A plan refreshes the paths of one union in turn. From round M + 1 of an episode on, exactly that
union is available, so the rest of the episode is one repeated feature: its trigger is solved for,
its rewards are summed and V and b change in one step. Only the first M rounds are gone through.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pearl.memory.cache_method import CacheMethod
from pearl.memory.directions import Plan
from pearl.memory.random_union import random_union
from pearl.memory.residency import cycle_features, empty_cache, refresh_cycle
from pearl.memory.ridge import Ridge
from pearl.memory.switching import Transient, doubled, rounds_until_doubled
from pearl.simulation.clip_facts import plan_facts
from pearl.simulation.episode_plan import plan_episode
from pearl.simulation.kv_game import Game
from pearl.simulation.trajectory import Trajectory

Nodes = NDArray[np.int32]


class Cycles:
    """The cache under cyclic plans, and what every round's availability demanded."""

    def __init__(self, game: Game) -> None:
        self.game = game
        tree = game.instance.tree
        self._paths = (tree.path_offsets, tree.path_nodes)
        self._last = empty_cache(tree.segments)
        self.seen = np.zeros(tree.segments, dtype=np.bool_)
        self.demanded = np.zeros(game.horizon, dtype=np.int64)

    def upcoming(self, cycle: Nodes, first: int) -> NDArray[np.float64]:
        """Return w of the next M + 1 rounds under `cycle` (fewer where the run ends)."""
        memory = self.game.instance.memory
        rounds = min(memory + 1, self.game.horizon - first + 1)
        return cycle_features(self._last, *self._paths, cycle, first, rounds, memory)

    def play(self, cycle: Nodes, first: int, available: NDArray[np.float64], rounds: int) -> None:
        """Play `rounds` rounds; from the last row of `available` on, its w is kept."""
        refresh_cycle(self._last, *self._paths, cycle, first, rounds)
        shown = available[:rounds]
        demanded = self.game.demanded(shown)
        self.demanded[first - 1 : first - 1 + len(shown)] = demanded
        self.demanded[first - 1 + len(shown) : first - 1 + rounds] = demanded[-1]
        self.seen |= shown.any(axis=0)

    def trajectory(self, starts: list[int], facts: dict[str, float]) -> Trajectory:
        """Return the finished run."""
        common = self.game.facts(self.demanded)
        extra = {"episodes": len(starts), "segments_refreshed": int(self.seen.sum())}
        return Trajectory(
            regret=self.game.regret(self.demanded),
            episode_starts=np.array(starts, dtype=np.int64),
            facts=common | extra | facts,
        )


def play_rsm(game: Game, method: CacheMethod, seed: int) -> Trajectory:
    """Run Algorithm 1 with the planner of Equation (18), episode by episode."""
    instance = game.instance
    dimension, memory = instance.tree.segments, instance.memory
    ridge = Ridge(dimension, game.radius(method).regularization, game.reward_unit)
    cache = Cycles(game)
    plans: list[Plan] = []
    starts: list[int] = []
    start = 1
    while start <= game.horizon:
        factor = ridge.factor()
        chosen = plan_episode(
            game, method, seed, len(starts), start, factor, ridge.estimate(factor)
        )
        plans.append(chosen)
        starts.append(start)
        available = cache.upcoming(chosen.actions, start)
        rounds = _length(factor, available / np.sqrt(dimension), memory, game.horizon - start + 1)
        cache.play(chosen.actions, start, available, rounds)
        _learn(ridge, game, start, available, rounds, memory)
        start += rounds
    return cache.trajectory(starts, plan_facts(plans, instance.reward_bound, method))


def play_random(game: Game, seed: int) -> Trajectory:
    """Refresh one random union for the whole run."""
    cycle = random_union(game.instance.tree, game.paths, seed)
    cache = Cycles(game)
    cache.play(cycle, 1, cache.upcoming(cycle, 1), game.horizon)
    return cache.trajectory([1], {})


def _length(
    factor: NDArray[np.float64], features: NDArray[np.float64], memory: int, left: int
) -> int:
    """Return how many rounds the episode lasts, at most `left`.

    `features` are those of its first M + 1 rounds, or of all that are left.
    """
    transient = Transient.of(factor, features[:memory])
    ratios = transient.log_ratios()
    for n, ratio in enumerate(ratios):
        if doubled(ratio):
            return n + 1
    if left <= memory:
        return left
    return min(left, memory + rounds_until_doubled(ratios[-1], transient.gain(features[memory])))


def _learn(
    ridge: Ridge,
    game: Game,
    first: int,
    available: NDArray[np.float64],
    rounds: int,
    memory: int,
) -> None:
    changing = available[: min(rounds, memory)]
    ridge.absorb(changing, game.observed(first, changing))
    steady = rounds - len(changing)
    if steady:
        tokens = game.observed_in_all(first + memory, steady, available[memory])
        ridge.absorb_repeated(available[memory], steady, tokens)
