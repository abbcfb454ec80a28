"""Any instance with finitely many memory states, played by RSM-LinUCB and its baselines.

Algorithm 1 with Algorithm 3 as its planner. An environment of one's own needs a class with the
contract of environments.memory_instance, a pydantic model of its settings, and an entry

    def run(config, tables, seed):
        return run_instance(config, seed, MySettings, MyInstance)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel
from threadpoolctl import threadpool_limits

from pearl.environments.memory_instance import MemoryInstance
from pearl.environments.memory_states import MemoryStates, reachable_states
from pearl.errors import SettingError
from pearl.memory.finite_method import FiniteMethod
from pearl.randomness import generator
from pearl.simulation.finite_play import play_blocks, play_every_round, play_rare_switch
from pearl.simulation.trajectory import Trajectory
from pearl.words import validated

Settings = TypeVar("Settings", bound=BaseModel)
Vector = NDArray[np.float64]


def run_instance(
    config: Mapping[str, Any],
    seed: int,
    settings: type[Settings],
    build: Callable[[Settings], MemoryInstance[int]],
) -> Trajectory:
    """Run one method on the instance that `build` makes of the config's settings.

    Args:
        config: "environment" (kind and the fields of `settings`), "method" (the fields of
            FiniteMethod) and "horizon" T >= 2.
        seed: the run's seed, >= 0; it decides the noise and nothing else.
        settings: a pydantic model that forbids unknown names.
        build: makes the instance of the settings.

    Raises:
        SettingError: the config has an unknown name or a value out of its range, the instance
            breaks its own bounds, or its memory states don't fit.
    """
    unknown = set(config) - {"environment", "method", "horizon"}
    missing = {"environment", "method", "horizon"} - set(config)
    if unknown or missing:
        raise SettingError(f"a run's config: unknown {sorted(unknown)}, missing {sorted(missing)}")
    horizon = _checked(config["horizon"])
    environment = dict(config["environment"])
    kind = environment.pop("kind", settings.__name__)
    chosen = validated(settings, environment, f"{kind} settings")
    method = validated(FiniteMethod, config["method"], "method settings")
    with threadpool_limits(limits=1):
        instance, states, best = _listed(
            settings, build, chosen.model_dump_json(), horizon, method.max_states
        )
        return _play(instance, states, best, method, noise(instance, seed, horizon))


def play(
    instance: MemoryInstance[int], method: FiniteMethod, *, horizon: int, seed: int
) -> Trajectory:
    """Play `horizon` >= 2 rounds on an instance that is already there.

    Raises:
        SettingError: the horizon isn't such, the instance breaks its own bounds, or its memory
            states don't fit.
    """
    _checked(horizon)
    with threadpool_limits(limits=1):
        states = reachable_states(instance, method.max_states)
        best = instance.optimum(horizon)
        return _play(instance, states, best, method, noise(instance, seed, horizon))


def noise(instance: MemoryInstance[int], seed: int, horizon: int) -> Vector:
    """Draw every round's Gaussian noise of standard deviation sigma, float64[horizon].

    It depends on the seed alone, and a longer horizon begins as a shorter one.
    """
    drawn = generator(seed, "finite_memory/noise").standard_normal(horizon)
    return instance.noise * drawn


def _checked(horizon: Any) -> int:
    if not isinstance(horizon, int) or isinstance(horizon, bool) or horizon < 2:
        raise SettingError(f"horizon must be a whole number >= 2, got {horizon!r}")
    return horizon


@lru_cache(maxsize=4)
def _listed(
    settings: type[Settings],
    build: Callable[[Settings], MemoryInstance[int]],
    values: str,
    horizon: int,
    max_states: int | None,
) -> tuple[MemoryInstance[int], MemoryStates, Vector]:
    instance = build(settings.model_validate_json(values))
    return instance, reachable_states(instance, max_states), instance.optimum(horizon)


def _play(
    instance: MemoryInstance[int],
    states: MemoryStates,
    best: Vector,
    method: FiniteMethod,
    drawn: Vector,
) -> Trajectory:
    players = {"howard": play_rare_switch, "block": play_blocks, "myopic": play_every_round}
    rounds, starts, facts = players[method.planner](instance, states, method, drawn)
    regret = best - np.cumsum(rounds.mean_rewards())
    common = {
        "final_regret": float(regret[-1]),
        "optimum": float(best[-1]),
        "episodes": len(starts) if len(starts) else len(drawn),
        "states": len(states),
    }
    return Trajectory(regret, np.array(starts, dtype=np.int64), common | facts)
