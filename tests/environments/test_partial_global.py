"""The world of "partial or global"."""

from __future__ import annotations

import numpy as np
import pytest

from pearl.environments.partial_global import PartialGlobalWorld, lengths
from pearl.environments.partial_global_settings import PartialGlobalSettings, read_settings
from pearl.errors import SettingError


def world(seed: int = 7, **settings: object) -> PartialGlobalWorld:
    return PartialGlobalWorld.of(PartialGlobalSettings(**settings), seed)


def test_exactly_the_first_s_dimensions_change_their_sign() -> None:
    for s in (0, 3, 16):
        one = world(shifted=s)
        assert np.array_equal(one.shifted_taste[:s], -one.taste[:s])
        assert np.array_equal(one.shifted_taste[s:], one.taste[s:])
        assert np.array_equal(one.taste, world(shifted=0).taste)
        assert np.linalg.norm(one.taste) == pytest.approx(0.5)


def test_means_follow_the_taste_of_their_round_and_stay_in_bounds() -> None:
    one = world(shift_round=30)
    arms = one.arms(50)
    means = one.means(arms)
    assert lengths(arms) == pytest.approx(np.ones((50, 10)))
    assert means[:30] == pytest.approx(0.5 + arms[:30] @ one.taste)
    assert means[30:] == pytest.approx(0.5 + arms[30:] @ one.shifted_taste)
    assert 0.0 <= means.min() <= means.max() <= 1.0


def test_a_longer_horizon_begins_like_a_shorter_one() -> None:
    one = world(features="sparse", active=2)
    for draw in (one.arms, one.users, one.noise):
        assert np.array_equal(draw(1200)[:700], draw(700))


def test_draws_know_neither_shift_nor_features() -> None:
    few, many = world(shifted=1), world(shifted=16, features="neural")
    assert np.array_equal(few.arms(20), many.arms(20))
    assert np.array_equal(few.noise(20), many.noise(20))
    assert not np.array_equal(few.arms(20), world(seed=8).arms(20))


def test_sparse_arms_have_their_active_dimensions() -> None:
    arms = world(features="sparse", active=3).arms(400)
    assert ((arms != 0).sum(2) == 3).all()
    assert (arms != 0).mean((0, 1)) == pytest.approx(3 / 16, abs=0.03)


def test_pairs_differ_in_the_shifted_dimensions_alone() -> None:
    first, second = world(shifted=4).pairs()
    assert np.array_equal(first[:, 4:], second[:, 4:])
    assert (first[:, :4] != second[:, :4]).all()
    assert lengths(second) == pytest.approx(np.ones(1000))
    same = world(shifted=0).pairs()
    assert np.array_equal(*same)


def test_the_mixture_is_bounded_and_one_for_all_arms() -> None:
    one = world()
    arms = one.arms(3)
    seen = one.observed(arms)
    assert seen.shape == (3, 10, 32)
    assert np.abs(seen).max() < 1
    assert np.array_equal(one.observed(arms[1]), seen[1])


def test_ratings_before_the_first_round_are_rewards() -> None:
    arms, rewards = world(noise=0.05).rated()
    assert 0.0 <= rewards.min() <= rewards.max() <= 1.0
    residual = rewards - 0.5 - arms @ world().taste
    assert residual.std() == pytest.approx(0.05, abs=0.005)


def test_more_shifted_or_active_dimensions_than_there_are_are_refused() -> None:
    with pytest.raises(SettingError, match="shifted = 17 of 16"):
        read_settings({"shifted": 17})
    with pytest.raises(SettingError, match="active = 5 of 4"):
        read_settings({"dimensions": 4, "active": 5})
