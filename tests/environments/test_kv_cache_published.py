"""The instance of Appendix C.4 on the real trace: its published and reconstructed numbers."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from pearl.environments import kv_cache
from pearl.environments.kv_cache import Counts, KVCache
from pearl.environments.kv_settings import KVCacheSettings
from pearl.memory.optimum import comparator
from pearl.memory.tree_planner import best_unions
from pearl.memory.tree_reference import plain_values


@pytest.fixture(scope="module")
def published(real_trace) -> KVCache:
    return kv_cache.build(real_trace, KVCacheSettings())


def test_reconstructed_split(published: KVCache) -> None:
    assert published.counts == Counts(construction=4978, calibration=2230, evaluation=4823)
    assert len(published.tree.actions) == 855
    assert published.tree.segments == 864
    assert published.norm_bound == pytest.approx(0.14477, abs=5e-6)
    assert published.regularization == pytest.approx(286.30, abs=5e-3)


def test_sha256_split(real_trace) -> None:
    instance = kv_cache.build(real_trace, KVCacheSettings(split="sha256"))
    assert instance.counts == Counts(construction=4978, calibration=2216, evaluation=4837)
    assert (len(instance.tree.actions), instance.tree.segments) == (859, 865)
    assert instance.norm_bound == pytest.approx(0.14520, abs=5e-6)
    assert instance.regularization == pytest.approx(284.93, abs=5e-3)


def test_the_guarantee_needs_a_norm_below_s_and_has_it(published: KVCache) -> None:
    assert np.linalg.norm(published.theta_star) <= published.norm_bound
    # R = 1 bounds the features; A(s) itself is larger
    assert published.operator_norm > published.feature_bound


def test_optimum_in_tokens(published: KVCache) -> None:
    best = comparator(published)
    assert best.tokens[[0, 30, 180]].tolist() == [2_620_416, 4_040_192, 5_473_280]
    assert best.value[[0, 30, 180]] == pytest.approx([0.0041452, 0.0063911, 0.0086581], abs=5e-8)
    everything = np.ones(published.tree.segments, dtype=bool)
    assert published.mean_reward(everything) == pytest.approx(0.0089197, abs=5e-8)
    assert len(best.order) == 181


@pytest.mark.parametrize(("memory", "short", "long"), [(180, 172.95, 865.59), (30, 127.79, 639.08)])
def test_optimum_over_time(published: KVCache, memory: int, short: float, long: float) -> None:
    settings = published.settings.model_copy(update={"memory": memory})
    total = comparator(dataclasses.replace(published, settings=settings)).cumulative(100_000)
    assert total[20_000 - 1] == pytest.approx(short, abs=5e-3)
    assert total[-1] == pytest.approx(long, abs=5e-3)


@pytest.mark.heavy
def test_planner_equals_the_plain_program_on_gaussian_objectives(published: KVCache) -> None:
    weights = np.random.default_rng(1).normal(size=(200, published.tree.segments))
    for paths in (1, 31, 181):
        values, actions = best_unions(published.tree, weights, paths)
        plain = [plain_values(published.tree, one, paths)[-1] for one in weights]
        np.testing.assert_allclose(values, plain, rtol=0, atol=1e-11)
        unions = [published.tree.union(row[row >= 0]) for row in actions]
        attained = [one[union].sum() for one, union in zip(weights, unions, strict=True)]
        np.testing.assert_allclose(values, attained, rtol=0, atol=1e-12)


def test_planner_equals_the_plain_program_on_a_few_objectives(published: KVCache) -> None:
    weights = np.random.default_rng(2).normal(size=(6, published.tree.segments))
    values, _ = best_unions(published.tree, weights, 181)
    plain = [plain_values(published.tree, one, 181)[-1] for one in weights]
    np.testing.assert_allclose(values, plain, rtol=0, atol=1e-11)
