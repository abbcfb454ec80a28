"""One run on the additive instance: the entry that sweeps call."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

from pearl.environments.additive import Additive
from pearl.environments.additive_settings import AdditiveSettings, read_settings
from pearl.errors import SettingError
from pearl.memory.additive_method import AdditiveMethod
from pearl.simulation.additive_game import Game
from pearl.simulation.additive_myopic import play_myopic
from pearl.simulation.additive_plans import play_blocks, play_doubling
from pearl.simulation.additive_rounds import play_rounds
from pearl.simulation.trajectory import Trajectory
from pearl.words import one_of, validated

KIND = "additive"
ENGINES = ("plans", "rounds")


def run(config: Mapping[str, Any], tables: Path, seed: int) -> Trajectory:
    """Run one method on the additive instance.

    BLAS keeps to one thread, so that a run is bit-equal wherever it is made.

    Args:
        config: "environment" (kind "additive" and the fields of AdditiveSettings), "method" (the
            fields of AdditiveMethod), "horizon" T >= 1 and, optionally, "engine": "plans" (whole
            plans, compiled; the default) or "rounds" (one round at a time).
        tables: not used; everything is simulated.
        seed: the run's seed, >= 0.

    Raises:
        SettingError: the config has an unknown name or a value out of its range.
    """
    method, settings, horizon, engine = _read(config)
    with threadpool_limits(limits=1):
        return play(Game.of(Additive.of(settings), seed, horizon), method, seed, engine)


def play(game: Game, method: AdditiveMethod, seed: int, engine: str = "plans") -> Trajectory:
    """Play a game that is already set up; `engine` as for `run`."""
    if engine == "rounds":
        return play_rounds(game, method, seed)
    if method.switching == "determinant":
        return play_doubling(game, method, seed)
    if method.switching == "blocks":
        return play_blocks(game, method, seed)
    return play_myopic(game, method)


def _read(config: Mapping[str, Any]) -> tuple[AdditiveMethod, AdditiveSettings, int, str]:
    unknown = set(config) - {"environment", "method", "horizon", "engine"}
    missing = {"environment", "method", "horizon"} - set(config)
    if unknown or missing:
        raise SettingError(f"a run's config: unknown {sorted(unknown)}, missing {sorted(missing)}")
    environment = dict(config["environment"])
    if (kind := environment.pop("kind", None)) != KIND:
        raise SettingError(f"this entry runs the environment {KIND!r}, not {kind!r}")
    horizon = config["horizon"]
    if not isinstance(horizon, int) or isinstance(horizon, bool) or horizon < 1:
        raise SettingError(f"horizon must be a whole number >= 1, got {horizon!r}")
    engine = one_of(config.get("engine", "plans"), ENGINES, "engine")
    method = validated(AdditiveMethod, config["method"], "method settings")
    return method, read_settings(environment), horizon, engine
