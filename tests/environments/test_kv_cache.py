"""What holds of every instance: bounds, the paper's matrices, exact rewards, paired draws."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from pearl.environments import kv_cache, kv_splits
from pearl.environments.kv_cache import KVCache, requests
from pearl.environments.kv_catalogue import build_catalogue
from pearl.environments.kv_memory_map import action_vectors, memory_matrix, operator_norm
from pearl.environments.kv_settings import KVCacheSettings
from pearl.environments.prefix_tree import PrefixTree
from pearl.errors import SettingError
from pearl.memory.residency import empty_cache, refresh_cycle


@pytest.fixture(scope="module")
def instance(random_trace) -> KVCache:
    return kv_cache.build(random_trace(1, 400, 7), KVCacheSettings(memory=3))


def test_parameters_follow_from_the_tables(instance: KVCache) -> None:
    d, z = instance.tree.segments, instance.settings.token_scale
    assert instance.reuse.shape == (instance.n_eval, d)
    np.testing.assert_array_equal(instance.demand, instance.reuse.toarray().sum(axis=0))
    mean = instance.demand / instance.n_eval
    np.testing.assert_allclose(instance.theta_star, np.sqrt(d) / z * mean, rtol=1e-15)
    assert instance.norm_bound == 1.25 * np.linalg.norm(instance.theta_calibration)
    assert instance.reward_bound == instance.norm_bound
    assert instance.noise == 1 / 12
    expected = d * instance.noise**2 / instance.norm_bound**2
    assert instance.regularization == pytest.approx(expected, rel=1e-15)
    assert instance.memory == 3
    assert instance.counts.construction + instance.counts.calibration + instance.n_eval == 400


def test_mean_reward_is_exact_and_linear_in_the_feature(instance: KVCache) -> None:
    rng = np.random.default_rng(0)
    d = instance.tree.segments
    for _ in range(20):
        resident = rng.random(d) < 0.5
        feature = resident / np.sqrt(d)
        assert np.linalg.norm(feature) <= instance.feature_bound
        assert instance.mean_reward(resident) == pytest.approx(
            feature @ instance.theta_star, abs=1e-15
        )
    tokens = int(instance.reuse.sum())
    everything = np.ones(d, dtype=bool)
    assert instance.mean_reward(everything) == tokens / (instance.n_eval * 131072)


def test_no_request_is_worth_more_than_the_deepest_path(random_trace) -> None:
    for depth, bound in ((3, 3 * 512 / 131_072), (None, 1.0)):
        settings = KVCacheSettings(memory=2, min_requests=1, max_depth_blocks=depth)
        built = kv_cache.build(random_trace(1, 300, 7), settings)
        assert built.request_bound == bound
        assert built.reuse.sum(axis=1).max() / settings.token_scale <= bound


def test_observed_rewards_average_to_the_mean_reward(instance: KVCache) -> None:
    resident = instance.tree.union([0, len(instance.tree.actions) - 1])
    draws = requests(instance, 0, 4000)
    rewards = np.array([instance.reward(resident, draw) for draw in draws])
    error = rewards.std() / np.sqrt(len(rewards))
    assert error > 0
    assert abs(rewards.mean() - instance.mean_reward(resident)) < 4 * error
    assert rewards.min() >= 0
    assert rewards.max() <= 1
    # each round's reward is the mean over its own requests, nothing else
    tokens = instance.reuse.toarray()[draws[7]][:, resident].sum()
    assert rewards[7] == tokens / (36 * 131072)


def test_draws_are_uniform_over_evaluation_requests(instance: KVCache) -> None:
    counts = np.bincount(requests(instance, 3, 3000).ravel(), minlength=instance.n_eval)
    expected = 3000 * 36 / instance.n_eval
    assert len(counts) == instance.n_eval
    assert np.abs(counts - expected).max() < 6 * np.sqrt(expected)


def test_draws_depend_on_the_seed_alone(instance: KVCache, random_trace) -> None:
    draws = requests(instance, 0, 2500)
    assert draws.shape == (2500, 36)
    assert draws.dtype == np.int32
    # a method may draw what it likes in between
    np.random.default_rng(0).normal(size=100)
    np.testing.assert_array_equal(requests(instance, 0, 2500), draws)
    for horizon in (0, 1, 1023, 1024, 1025):
        np.testing.assert_array_equal(requests(instance, 0, horizon), draws[:horizon])
    # another memory is the same environment: runs at several M are paired too
    other = kv_cache.build(random_trace(1, 400, 7), KVCacheSettings(memory=1))
    np.testing.assert_array_equal(requests(other, 0, 2500), draws)


def test_seeds_and_blocks_differ(instance: KVCache) -> None:
    streams = [requests(instance, seed, 2048) for seed in range(4)]
    for i, j in product(range(4), repeat=2):
        if i < j:
            assert np.mean(streams[i] == streams[j]) < 0.1
    for stream in streams:
        assert np.mean(stream[:1024] == stream[1024:]) < 0.1
    with pytest.raises(ValueError, match=">= 0"):
        requests(instance, -1, 5)


SMALL = PrefixTree(np.array([-1, 0, 1, 1, 0, 4]), np.array([0, 2, 3, 5]))


@pytest.mark.parametrize("memory", [1, 2, 3])
def test_the_papers_matrices_give_the_feature(memory: int) -> None:
    vectors = action_vectors(SMALL)
    assert np.linalg.norm(vectors, axis=1).max() == pytest.approx(1.0, abs=1e-15)
    norms = []
    for state in product(range(4), repeat=memory):
        resident = SMALL.union(state)
        matrix = memory_matrix(SMALL, resident)
        norms.append(np.linalg.norm(matrix, ord=2))
        for action in range(4):
            feature = (resident | SMALL.union([action])) / np.sqrt(SMALL.segments)
            image = matrix.T @ vectors[action]
            np.testing.assert_allclose(image, np.append(0.0, feature), atol=1e-15)
            assert np.linalg.norm(image) <= 1.0 + 1e-15
    assert operator_norm(SMALL, memory) == pytest.approx(max(norms), rel=1e-14)


def test_operator_norm_on_random_trees() -> None:
    rng = np.random.default_rng(6)
    for _ in range(60):
        d = int(rng.integers(1, 9))
        parent = np.array([-1] + [int(rng.integers(0, v)) for v in range(1, d)])
        tree = PrefixTree(parent, np.setdiff1d(np.arange(d), parent))
        memory = int(rng.integers(1, 4))
        states = product(range(len(tree.actions)), repeat=memory)
        most = max(np.linalg.norm(memory_matrix(tree, tree.union(s)), ord=2) for s in states)
        assert operator_norm(tree, memory) == pytest.approx(most, rel=1e-14)


def test_two_memories_coincide_after_the_same_m_refreshes(instance: KVCache) -> None:
    tree, memory = instance.tree, instance.memory
    rng = np.random.default_rng(2)
    for _ in range(20):
        actions = rng.integers(0, len(tree.actions), size=memory).astype(np.int32)
        used, empty = empty_cache(tree.segments), empty_cache(tree.segments)
        before = rng.integers(0, len(tree.actions), size=5).astype(np.int32)
        refresh_cycle(used, tree.path_offsets, tree.path_nodes, before, 1, 5)
        for last in (used, empty):
            refresh_cycle(last, tree.path_offsets, tree.path_nodes, actions, 6, memory)
        # g(s) at round 6 + M, before its refresh
        state = [6 + memory - last <= memory for last in (used, empty)]
        np.testing.assert_array_equal(state[0], state[1])
        np.testing.assert_array_equal(state[0], tree.union(actions))


def test_paths_beyond_the_budget_are_an_error(random_trace) -> None:
    trace = random_trace(1, 400, 7)
    longest = 7 * 512
    kv_cache.build(trace, KVCacheSettings(memory=9, token_budget=10 * longest))
    with pytest.raises(SettingError, match=r"10 paths of up to 7 blocks x 512 tokens = 35,840"):
        kv_cache.build(trace, KVCacheSettings(memory=9, token_budget=10 * longest - 1))


def test_an_empty_set_is_an_error(make_trace) -> None:
    trace = make_trace([(0, 1), (0, 1)], seconds=[0, 1])
    with pytest.raises(SettingError, match="leaves a set empty"):
        kv_cache.build(trace, KVCacheSettings())


def test_an_unknown_parameter_norm_is_an_error(make_trace) -> None:
    # bins 0.. of ten seconds: only the construction requests begin with the shared block
    sets = kv_cache.kv_splits.assign(np.arange(30) * 10_000, 10, "reconstructed")
    requests_made = [(0, 1) if one == 0 else (2 + i, 50 + i) for i, one in enumerate(sets)]
    with pytest.raises(SettingError, match="S would be 0"):
        kv_cache.build(make_trace(requests_made), KVCacheSettings())


def test_calibration_from_a_loop_over_its_rows(random_trace) -> None:
    trace, settings = random_trace(1, 400, 7), KVCacheSettings(memory=3)
    instance = kv_cache.build(trace, settings)
    sets = kv_splits.assign(trace.timestamp, settings.bin_seconds, settings.split)
    catalogue = build_catalogue(
        trace, np.flatnonzero(sets == kv_splits.CONSTRUCTION), min_requests=2, max_depth=32
    )
    # an id names its whole prefix, so a block is in the catalogue or the match ends
    segment = dict(zip(catalogue.trie.block.tolist(), catalogue.segment.tolist(), strict=True))
    tokens, rows = np.zeros(instance.tree.segments), 0
    for row in range(len(sets)):
        if sets[row] == kv_splits.CALIBRATION:
            rows += 1
            for block in trace.blocks[trace.offsets[row] : trace.offsets[row + 1]].tolist():
                if block not in segment:
                    break
                tokens[segment[block]] += 512
    assert rows == instance.counts.calibration > 50
    expected = np.sqrt(instance.tree.segments) / 131_072 * tokens / rows
    np.testing.assert_allclose(instance.theta_calibration, expected, rtol=1e-14)


@pytest.mark.parametrize("replaced", [kv_splits.CALIBRATION, kv_splits.EVALUATION])
def test_one_set_never_reaches_into_another(random_trace, make_trace, replaced: int) -> None:
    trace, other = random_trace(1, 400, 7), random_trace(2, 400, 7)
    sets = kv_splits.assign(trace.timestamp, 10, "reconstructed")
    mixed = make_trace(
        [
            source.blocks[source.offsets[row] : source.offsets[row + 1]].tolist()
            for row in range(400)
            for source in [other if sets[row] == replaced else trace]
        ]
    )
    before, after = (kv_cache.build(one, KVCacheSettings(memory=3)) for one in (trace, mixed))
    np.testing.assert_array_equal(before.tree.parent, after.tree.parent)
    np.testing.assert_array_equal(before.tree.actions, after.tree.actions)
    same_calibration = np.array_equal(before.theta_calibration, after.theta_calibration)
    same_evaluation = np.array_equal(before.reuse.toarray(), after.reuse.toarray())
    assert same_calibration == (replaced != kv_splits.CALIBRATION)
    assert same_evaluation == (replaced != kv_splits.EVALUATION)
