"""One run on the run-length instance: the entry that sweeps call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from pearl.environments.run_length import RunLength
from pearl.environments.run_length_settings import RunLengthSettings, read_settings
from pearl.errors import SettingError
from pearl.memory.run_length_method import RunLengthMethod
from pearl.simulation.run_length_events import length_of, play_events
from pearl.simulation.run_length_noise import noise_sums
from pearl.simulation.run_length_play import trajectory
from pearl.simulation.run_length_rounds import play_rounds
from pearl.simulation.trajectory import Fact, Trajectory
from pearl.words import validated

KIND = "run_length"
ENGINES = ("events", "rounds")


def run(config: Mapping[str, Any], tables: Path, seed: int) -> Trajectory:
    """Run one method from all ten histories with one noise sequence; means over the histories.

    `episode_starts` are those of the first history.

    Args:
        config: "environment" (kind "run_length" and the fields of RunLengthSettings), "method"
            (the fields of RunLengthMethod), "horizon" T >= 1 and, optionally, "engine": "events"
            (whole runs of one action; the default) or "rounds" (one round at a time).
        tables: not looked at; everything is simulated.
        seed: the run's seed, >= 0.

    Raises:
        SettingError: the config has an unknown name or a value out of its range.
    """
    method, settings, horizon, engine = _read(config)
    instance, optimum = load(settings, horizon)
    return play(instance, optimum, method, seed, engine)


@lru_cache(maxsize=4)
def load(settings: RunLengthSettings, horizon: int) -> tuple[RunLength, NDArray[np.float64]]:
    """Build the instance and its comparator, or return those of this process's last calls."""
    instance = RunLength.of(settings)
    return instance, instance.optimum(horizon)


def play(
    instance: RunLength,
    optimum: NDArray[np.float64],
    method: RunLengthMethod,
    seed: int,
    engine: str = "events",
) -> Trajectory:
    """Play an instance that is already built; `engine` as for `run`."""
    horizon = len(optimum)
    sums = noise_sums(seed, horizon)
    facts: dict[str, Fact] = {}
    if method.switching == "blocks":
        length = length_of(instance, method, horizon)
        facts = {"informative_length": length, "block_length": instance.memory + length}
    if engine == "events":
        return trajectory(instance, optimum, play_events(instance, method, sums), facts)
    with threadpool_limits(limits=1):
        plays, earned = play_rounds(instance, method, sums)
    regret = optimum - earned
    made = trajectory(instance, optimum, plays, facts)
    return replace(made, regret=regret, facts={**made.facts, "final_regret": float(regret[-1])})


def _read(config: Mapping[str, Any]) -> tuple[RunLengthMethod, RunLengthSettings, int, str]:
    unknown = set(config) - {"environment", "method", "horizon", "engine"}
    missing = {"environment", "method", "horizon"} - set(config)
    if unknown or missing:
        raise SettingError(f"a run's config: unknown {sorted(unknown)}, missing {sorted(missing)}")
    environment = dict(config["environment"])
    if (kind := environment.pop("kind", None)) != KIND:
        raise SettingError(f"this entry runs the environment {KIND!r}, not {kind!r}")
    horizon, engine = config["horizon"], config.get("engine", "events")
    if not isinstance(horizon, int) or isinstance(horizon, bool) or horizon < 1:
        raise SettingError(f"horizon must be a whole number >= 1, got {horizon!r}")
    if engine not in ENGINES:
        raise SettingError(f"engine must be one of {', '.join(ENGINES)}, got {engine!r}")
    method = validated(RunLengthMethod, config["method"], "method settings")
    return method, read_settings(environment), horizon, engine
