"""The entry that sweeps call: settings, pairing, and equality between processes."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pearl.datasets.mooncake import MooncakeTrace, write_table
from pearl.environments.kv_cache import requests
from pearl.errors import DataError, SettingError
from pearl.memory.cache_method import load_cache_methods
from pearl.simulation import kv_cache
from pearl.simulation.kv_cache import load, run
from pearl.simulation.kv_game import Game

ENVIRONMENT = {"kind": "kv_cache", "memory": 4, "min_requests": 1}


def make_trace(seed: int, prompts: int) -> MooncakeTrace:
    """Requests down a random trie; an id names its whole prefix."""
    rng = np.random.default_rng(seed)
    requests = []
    for _ in range(prompts):
        blocks = [0]
        for _ in range(int(rng.integers(0, 7))):
            blocks.append(3 * blocks[-1] + 1 + int(rng.choice(3, p=[0.75, 0.2, 0.05])))
        requests.append(blocks)
    lengths = np.array([len(blocks) for blocks in requests])
    return MooncakeTrace(
        timestamp=10_000 * np.arange(prompts),
        input_length=512 * lengths,
        output_length=np.ones(prompts, dtype=np.int64),
        offsets=np.concatenate([[0], np.cumsum(lengths)]),
        blocks=np.concatenate(requests),
    )


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mooncake")
    write_table(make_trace(0, 300), folder)
    return folder


@pytest.fixture
def config() -> Callable[..., dict[str, Any]]:
    def make(name: str = "rsm_linucb", **changes: Any) -> dict[str, Any]:
        method = load_cache_methods()[name].model_dump()
        return {"environment": ENVIRONMENT, "method": method, "horizon": 300} | changes

    return make


def test_every_method_by_both_engines(tables, config) -> None:
    for name in load_cache_methods():
        events = run(config(name), tables, 1)
        rounds = run(config(name, engine="rounds"), tables, 1)
        np.testing.assert_allclose(events.regret, rounds.regret, rtol=0, atol=1e-9)
        assert np.array_equal(events.episode_starts, rounds.episode_starts)
        assert all(np.isfinite(f) for f in events.facts.values() if not isinstance(f, str))


def test_facts_say_what_the_run_stands_on(tables, config) -> None:
    facts = run(config(), tables, 0).facts
    instance, optimum = load(load_settings(), tables)
    assert facts["optimum"] == pytest.approx(optimum.cumulative(300)[-1])
    assert facts["instance/theta_star_norm"] == pytest.approx(np.linalg.norm(instance.theta_star))
    assert facts["instance/norm_bound"] == instance.norm_bound
    assert 0 <= facts["clip_tie_share"] <= 1


def load_settings():
    from pearl.environments.kv_settings import KVCacheSettings

    return KVCacheSettings(**{k: v for k, v in ENVIRONMENT.items() if k != "kind"})


def test_seeds_differ_and_repeat(tables, config) -> None:
    curves = [run(config(), tables, seed).regret for seed in (0, 1, 0)]
    assert not np.array_equal(curves[0], curves[1])
    assert np.array_equal(curves[0], curves[2])


def test_methods_are_paired(tables) -> None:
    instance, optimum = load(load_settings(), tables)
    short, long = (Game.of(instance, optimum.tokens, 5, horizon) for horizon in (50, 2000))
    assert np.array_equal(short.requests, long.requests[:50])


def test_every_method_meets_the_same_requests(tables, config, monkeypatch) -> None:
    instance, _ = load(load_settings(), tables)
    for seed in (0, 3):
        expected = requests(instance, seed, 300)
        for name in load_cache_methods():
            for engine in kv_cache.ENGINES:
                met = []
                for play in (
                    "play_rsm",
                    "play_blocks",
                    "play_myopic",
                    "play_random",
                    "play_rounds",
                ):
                    monkeypatch.setattr(kv_cache, play, recorded(getattr(kv_cache, play), met))
                run(config(name, engine=engine), tables, seed)
                monkeypatch.undo()
                assert len(met) == 1
                assert np.array_equal(met[0], expected), name


def recorded(play, met: list):
    def meet(game, *others):
        met.append(game.requests.copy())
        return play(game, *others)

    return meet


def test_a_changed_table_is_read_again(tmp_path, config) -> None:
    curves = []
    for seed in (1, 2):
        write_table(make_trace(seed, 300), tmp_path)
        curves.append(run(config(), tmp_path, 0).regret)
    assert not np.array_equal(*curves)


def test_bit_equal_in_another_process(tables, config) -> None:
    names = [name for name in load_cache_methods() if name != "random_union"]
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        jobs = [pool.apply_async(run, (config(name), tables, 2)) for name in names]
        for name, job in zip(names, jobs, strict=True):
            here, there = run(config(name), tables, 2), job.get(timeout=120)
            assert here.regret.tobytes() == there.regret.tobytes()
            assert here.episode_starts.tobytes() == there.episode_starts.tobytes()
            assert here.facts == there.facts


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"horizon": 0}, "horizon"),
        ({"horizon": 10.0}, "horizon"),
        ({"engine": "quick"}, "engine"),
        ({"speed": 3}, "speed"),
        ({"environment": {"memory": 4}}, "kv_cache"),
        ({"environment": ENVIRONMENT | {"memory": 0}}, "memory"),
        ({"environment": ENVIRONMENT | {"colour": 1}}, "colour"),
        ({"method": {"planner": "prefix_tree", "switching": "never"}}, "switching"),
        ({"method": {"planner": "prefix_tree", "switching": "determinant", "c": 2}}, "c"),
    ],
)
def test_a_wrong_setting_is_named(tables, config, changes, named) -> None:
    with pytest.raises(SettingError, match=named):
        run(config() | changes, tables, 0)


def test_a_config_without_a_horizon(tables, config) -> None:
    wrong = config()
    del wrong["horizon"]
    with pytest.raises(SettingError, match="horizon"):
        run(wrong, tables, 0)


def test_a_missing_table(tmp_path, config) -> None:
    with pytest.raises(DataError):
        run(config(), tmp_path, 0)
