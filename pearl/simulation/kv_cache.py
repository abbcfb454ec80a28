"""One run on the KV cache: the entry that sweeps call."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from threadpoolctl import threadpool_limits

from pearl.datasets.mooncake.table import FILE_NAME, read_table
from pearl.environments.kv_cache import KVCache, build
from pearl.environments.kv_settings import KVCacheSettings, read_settings
from pearl.errors import SettingError
from pearl.memory.cache_method import CacheMethod
from pearl.memory.optimum import Comparator, comparator
from pearl.simulation.kv_blocks import play_blocks
from pearl.simulation.kv_events import play_random, play_rsm
from pearl.simulation.kv_game import Game
from pearl.simulation.kv_myopic import play_myopic
from pearl.simulation.kv_rounds import play_rounds
from pearl.simulation.trajectory import Trajectory

KIND = "kv_cache"
ENGINES = ("events", "rounds")


def run(config: Mapping[str, Any], tables: Path, seed: int) -> Trajectory:
    """Run one method on the KV cache built from a trace.

    BLAS keeps to one thread, so that a run is bit-equal wherever it is made.

    Args:
        config: "environment" (kind "kv_cache" and the fields of KVCacheSettings), "method" (the
            fields of CacheMethod), "horizon" T >= 1 and, optionally, "engine": "events" (whole
            episodes, compiled blocks; the default) or "rounds" (one round at a time).
        tables: the folder of the Mooncake table, requests.parquet.
        seed: the run's seed, >= 0.

    Raises:
        SettingError: the config has an unknown name or a value out of its range.
        DataError: the table is missing or damaged.
    """
    method, settings, horizon, engine = _read(config)
    with threadpool_limits(limits=1):
        instance, optimum = load(settings, tables)
        game = Game.of(instance, optimum.tokens, seed, horizon)
        return play(game, method, seed, engine)


def load(settings: KVCacheSettings, tables: Path) -> tuple[KVCache, Comparator]:
    """Build the instance and its comparator, or return those of this process's last calls."""
    file = tables.resolve() / FILE_NAME
    written = file.stat().st_mtime_ns if file.exists() else 0
    return _load(settings, file.parent, written)


def play(game: Game, method: CacheMethod, seed: int, engine: str = "events") -> Trajectory:
    """Play a game that is already set up; `engine` as for `run`."""
    if engine == "rounds":
        return play_rounds(game, method, seed)
    if method.switching == "blocks":
        return play_blocks(game, method, seed)
    if method.planner == "prefix_tree":
        return play_rsm(game, method, seed)
    if method.planner == "myopic":
        return play_myopic(game, method, seed)
    return play_random(game, seed)


@lru_cache(maxsize=4)
def _load(settings: KVCacheSettings, tables: Path, written: int) -> tuple[KVCache, Comparator]:
    instance = build(read_table(tables), settings)
    return instance, comparator(instance)


def _read(config: Mapping[str, Any]) -> tuple[CacheMethod, KVCacheSettings, int, str]:
    unknown = set(config) - {"environment", "method", "horizon", "engine"}
    missing = {"environment", "method", "horizon"} - set(config)
    if unknown or missing:
        raise SettingError(f"a run's config: unknown {sorted(unknown)}, missing {sorted(missing)}")
    environment = dict(config["environment"])
    kind = environment.pop("kind", None)
    if kind != KIND:
        raise SettingError(f"this entry runs the environment {KIND!r}, not {kind!r}")
    horizon, engine = config["horizon"], config.get("engine", "events")
    if not isinstance(horizon, int) or isinstance(horizon, bool) or horizon < 1:
        raise SettingError(f"horizon must be a whole number >= 1, got {horizon!r}")
    if engine not in ENGINES:
        raise SettingError(f"engine must be one of {', '.join(ENGINES)}, got {engine!r}")
    try:
        method = CacheMethod.model_validate(config["method"])
    except ValidationError as error:
        faults = "; ".join(
            f"{'.'.join(map(str, fault['loc'])) or 'method'}: {fault['msg']}"
            for fault in error.errors()
        )
        raise SettingError(f"method settings: {faults}") from None
    return method, read_settings(environment), horizon, engine
