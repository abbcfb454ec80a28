"""Whose rewards change, how, and when: small cases by hand and properties."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from prism_population import population

from pearl.environments.prism_drift import displacement, flipped_users, inverted, rewards
from pearl.environments.prism_settings import PrismSettings
from pearl.environments.prism_world import PrismWorld

TRACES = Path(__file__).resolve().parents[2].parent / "shared/reference/pearl-traces.json"

ratings = st.lists(st.integers(1, 100), min_size=1, max_size=4)


def test_an_inversion_is_the_reference_one() -> None:
    if not TRACES.is_file():
        pytest.skip("the reference traces aren't beside the project")
    example = json.loads(TRACES.read_text())["flip_example"]
    points = np.rint(100 * np.array(example["r"])).astype(np.int64)
    flipped = rewards(points[None], np.array([True]), (1, 1))[0]
    assert flipped.tolist() == example["flipped"]


@given(ratings)
def test_an_inversion_keeps_the_extremes_and_undoes_itself(values: list[int]) -> None:
    points = np.array([values])
    turned = inverted(points)
    assert (turned.max(), turned.min()) == (points.max(), points.min())
    assert np.array_equal(inverted(turned), points)


def test_a_drift_by_hand() -> None:
    points = np.array([[90, 20, 55, 40], [90, 20, 55, 40]])
    third = rewards(points, np.array([True, False]), (1, 3))
    assert third[0] == pytest.approx([(2 * 0.9 + 0.2) / 3, (2 * 0.2 + 0.9) / 3, 0.55, 0.5])
    assert third[1].tolist() == [0.9, 0.2, 0.55, 0.4]


def test_decelerating_drift_counts_epochs_from_zero() -> None:
    settings = PrismSettings(drift="decelerating", drift_epochs=3)
    assert [displacement(settings, e) for e in range(5)] == [(0, 3), (1, 3), (2, 3), (3, 3), (3, 3)]
    assert [displacement(PrismSettings(), e) for e in range(2)] == [(1, 1), (1, 1)]


def test_a_complete_drift_is_the_flip() -> None:
    points = np.random.default_rng(1).integers(1, 101, size=(50, 4))
    changed = np.arange(50) % 2 == 0
    assert np.array_equal(rewards(points, changed, (3, 3)), rewards(points, changed, (1, 1)))


@given(ratings, st.integers(1, 7), st.data())
def test_blended_rewards_lie_between(values: list[int], whole: int, data: st.DataObject) -> None:
    part = data.draw(st.integers(0, whole))
    points = np.array([values])
    blended = 100 * rewards(points, np.array([True]), (part, whole))
    low, high = np.minimum(points, inverted(points)), np.maximum(points, inverted(points))
    assert ((low - 1e-9 <= blended) & (blended <= high + 1e-9)).all()


@pytest.mark.parametrize(
    ("flip", "changed"), [(0, 0), (0.25, 339), (0.5, 678), (0.75, 1016), (1, 1355)]
)
def test_flipped_users_are_a_fixed_share_of_those_with_pretraining_data(
    flip: float, changed: int
) -> None:
    candidates = np.arange(1_355) + 20
    drawn = flipped_users(candidates, 1_395, flip, seed=3)
    assert drawn.sum() == changed
    assert not drawn[:20].any()
    assert not drawn[1_375:].any()


def test_flipped_users_of_a_smaller_share_are_among_a_larger_ones() -> None:
    few, many = (flipped_users(np.arange(100), 100, flip, seed=5) for flip in (0.25, 0.75))
    assert not (few & ~many).any()
    assert not np.array_equal(few, flipped_users(np.arange(100), 100, 0.25, seed=6))


def test_only_users_with_pretraining_data_are_flipped() -> None:
    slates = population([1] * 30 + [2] * 30)
    world = PrismWorld.of(slates, PrismSettings(flip=1.0), seed=0)
    assert np.array_equal(world.changed, np.bincount(slates.user) > 1)


def test_the_oracle_earns_the_same_at_every_flip() -> None:
    slates = population([3] * 40)
    best = []
    for flip in (0.0, 0.25, 0.5, 0.75, 1.0):
        world = PrismWorld.of(slates, PrismSettings(flip=flip, update_interval=None), seed=4)
        best.append([block.rewards.max(axis=1).tolist() for block in world.blocks(2)])
    assert all(rewards == best[0] for rewards in best)


def test_under_decelerating_drift_rewards_and_regrets_are_the_epochs_own() -> None:
    slates = population([3] * 40)
    settings = PrismSettings(drift="decelerating", flip=0.75, update_interval=None)
    world = PrismWorld.of(slates, settings, seed=4)
    moved = []
    for block in world.blocks(5):
        assert np.array_equal(
            block.regrets, block.rewards.max(axis=1, keepdims=True) - block.rewards
        )
        assert (block.regrets.min(axis=1) == 0).all()
        before = {
            tuple(arms): scores / 100
            for arms, scores in zip(slates.arms, slates.scores, strict=True)
        }
        change = [before[tuple(a)] != r for a, r in zip(block.arms, block.rewards, strict=True)]
        moved.append((block.epoch, bool(np.any(change))))
    assert {epoch for epoch, change in moved if change} == {1, 2, 3, 4}
