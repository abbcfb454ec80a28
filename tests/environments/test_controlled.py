"""The controlled simulation's draws."""

from __future__ import annotations

import numpy as np
import pytest

from pearl.environments.controlled import ControlledWorld
from pearl.environments.controlled_settings import ControlledSettings


@pytest.fixture
def world() -> ControlledWorld:
    return ControlledWorld.of(ControlledSettings(), seed=42)


def test_arms_have_one_dominant_dimension(world: ControlledWorld) -> None:
    dominant = np.arange(5) == np.arange(10)[:, None] % 5
    assert ((world.arms[dominant] >= 0.7) & (world.arms[dominant] <= 1.0)).all()
    assert ((world.arms[~dominant] >= 0.1) & (world.arms[~dominant] <= 0.3)).all()


def test_preferences_are_beta_2_2() -> None:
    many = ControlledWorld.of(ControlledSettings(users=4_000), seed=0).preferences
    assert many.mean() == pytest.approx(0.5, abs=0.01)
    assert many.var() == pytest.approx(0.05, abs=0.002)


def test_an_inversion_is_one_minus_p(world: ControlledWorld) -> None:
    expected = np.clip((1 - world.preferences) @ world.arms.T, 0, 1)
    assert world.online_means == pytest.approx(expected, abs=1e-12)
    assert world.means == pytest.approx(np.clip(world.preferences @ world.arms.T, 0, 1), abs=1e-12)
    stays = ControlledWorld.of(ControlledSettings(inversion=False), seed=42)
    assert np.array_equal(stays.online_means, world.means)


def test_epochs_reshuffle_the_same_interactions(world: ControlledWorld) -> None:
    blocks = list(world.blocks(3))
    assert [(len(block), block.update) for block in blocks] == [(50, True), (50, True), (50, False)]
    assert len({tuple(np.sort(block.users)) for block in blocks}) == 1
    assert len({tuple(block.users) for block in blocks}) == 3


def test_one_noise_a_round_for_all_arms(world: ControlledWorld) -> None:
    block = next(world.blocks(1))
    noise = block.rewards - world.online_means[block.users]
    assert np.ptp(noise, axis=1) == pytest.approx(0, abs=1e-12)
    assert 0.03 < noise[:, 0].std() < 0.07
    assert (block.regrets.min(axis=1) == 0).all()


def test_pretraining_rates_all_arms_or_one_pair(world: ControlledWorld) -> None:
    users, arms, rewards = world.pretraining()
    assert arms.shape == rewards.shape == (500, 10)
    pair = ControlledWorld.of(ControlledSettings(pairs=1), seed=42)
    same_users, two, rated = pair.pretraining()
    assert np.array_equal(users, same_users)
    assert two.shape == (500, 2)
    assert (two[:, 0] != two[:, 1]).all()
    assert np.array_equal(rated, np.take_along_axis(rewards, two, axis=1))
