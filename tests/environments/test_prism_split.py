"""The splits, the published counts, the orders and what decides them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from prism_population import population, published_counts

from pearl.environments.prism_settings import PrismSettings, read_settings
from pearl.environments.prism_split import pretraining_counts, split
from pearl.environments.prism_world import PrismWorld
from pearl.errors import SettingError


@pytest.fixture(scope="module")
def published() -> PrismWorld:
    return PrismWorld.of(population(published_counts()), PrismSettings(), seed=42)


def test_the_default_split_meets_the_published_counts(published: PrismWorld) -> None:
    users, arms, rewards = published.pretraining()
    assert len(users) == len(np.unique(users)) == 1_355
    assert arms.shape == rewards.shape == (1_355, 4)
    blocks = list(published.blocks(10))
    assert sum(len(block) for block in blocks) == 36_560
    for epoch in range(10):
        sizes = [(len(b), b.update) for b in blocks if b.epoch == epoch]
        assert sizes == [(1_000, True), (1_000, True), (1_000, True), (656, False)]


def test_a_literal_half_of_every_user_leaves_2849(published: PrismWorld) -> None:
    half = PrismSettings(split="per_user_half")
    parts = split(published.slates.user, half, seed=42)
    assert (len(parts.online), len(parts.pretraining)) == (2_849, 5_011 - 2_849)


@pytest.mark.parametrize(
    ("settings", "counts"),
    [
        ({"split": "one_per_user"}, [0, 1, 1, 1, 1, 1]),
        ({"split": "per_user_half"}, [0, 1, 1, 2, 2, 3]),
        ({"split": "fraction", "pretrain_fraction": 0.25}, [0, 1, 1, 1, 1, 1]),
        ({"split": "fraction", "pretrain_fraction": 0.5}, [0, 1, 1, 2, 2, 3]),
        ({"split": "fraction", "pretrain_fraction": 0.75}, [0, 1, 2, 3, 3, 4]),
        ({"split": "fraction", "pretrain_fraction": 0.99}, [0, 1, 2, 3, 4, 5]),
    ],
)
def test_pretraining_interactions_of_users_with_1_to_6(settings: dict, counts: list[int]) -> None:
    found = pretraining_counts(np.arange(1, 7), PrismSettings(**settings))
    assert found.tolist() == counts


@given(
    st.lists(st.integers(0, 6), min_size=1, max_size=30).filter(any),
    st.sampled_from(["one_per_user", "per_user_half", "fraction"]),
    st.integers(0, 5),
)
def test_a_split_is_one_and_keeps_its_counts(counts: list[int], rule: str, seed: int) -> None:
    user = np.random.default_rng(seed).permutation(np.repeat(np.arange(len(counts)), counts))
    settings = PrismSettings(split=rule)
    parts = split(user, settings, seed)
    both = np.concatenate([parts.pretraining, parts.online])
    assert np.array_equal(np.sort(both), np.arange(len(user)))
    expected = pretraining_counts(np.array(counts), settings)
    found = np.bincount(user[parts.pretraining], minlength=len(counts))
    assert np.array_equal(found, expected)


def test_a_smaller_pretraining_share_is_part_of_a_larger_one() -> None:
    user = population([6] * 20).user
    small, large = (
        split(user, PrismSettings(split="fraction", pretrain_fraction=p), seed=1)
        for p in (0.25, 0.75)
    )
    assert set(small.pretraining) < set(large.pretraining)


def test_which_interaction_pretrains_depends_on_the_seed() -> None:
    user = population([4] * 20).user
    assert not np.array_equal(
        split(user, PrismSettings(), seed=0).pretraining,
        split(user, PrismSettings(), seed=1).pretraining,
    )


def test_an_epochs_order_is_a_stream_of_its_own(published: PrismWorld) -> None:
    first, second = published.order(0, 10), published.order(1, 10)
    assert np.array_equal(np.sort(first), published.split.online)
    assert not np.array_equal(first, second)
    assert np.array_equal(second, published.order(1, 2))


def test_fresh_interactions_are_met_once() -> None:
    settings = PrismSettings(interactions="fresh", update_interval=None)
    world = PrismWorld.of(population([4] * 35), settings, seed=0)
    rows = [world.order(epoch, 10) for epoch in range(10)]
    assert {len(part) for part in rows} == {10, 11}
    assert np.array_equal(np.sort(np.concatenate(rows)), world.split.online)


def test_the_interval_of_null_is_a_third_of_an_epoch() -> None:
    settings = PrismSettings(update_interval=None, max_observations=None)
    world = PrismWorld.of(population([4] * 30), settings, seed=0)
    blocks = list(world.blocks(2))
    assert [len(block) for block in blocks] == [30] * 6
    assert all(block.update for block in blocks)
    assert world.max_observations(2) == 60


def test_a_world_that_would_never_learn_is_refused() -> None:
    world = PrismWorld.of(population([4] * 30), PrismSettings(), seed=0)
    with pytest.raises(SettingError, match=r"90 interactions .* every 1000"):
        list(world.blocks(1))


def test_a_world_without_pretraining_is_refused() -> None:
    with pytest.raises(SettingError, match="0 to pretrain on and 30 to play"):
        PrismWorld.of(population([1] * 30), PrismSettings(), seed=0)


def test_settings_are_checked() -> None:
    assert read_settings({"min_spread": 0.29}).spread_points == 29
    for wrong in ({"flip": 1.5}, {"min_spread": 0.305}, {"drift": "flipp"}, {"flips": 0.5}):
        with pytest.raises(SettingError):
            read_settings(wrong)
