"""The run-length instance: its histories, its features and its comparator."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pearl.environments.run_length import (
    RunLength,
    balanced_histories,
    standard_noise,
    trailing_run,
)
from pearl.environments.run_length_settings import RunLengthSettings, read_settings
from pearl.errors import SettingError


def small(direction: list[float], memory: int, histories: list[list[int]]) -> RunLength:
    return RunLength(
        direction=np.array(direction) / np.linalg.norm(direction),
        memory=memory,
        feature_bound=2.0,
        norm_bound=3.0,
        noise=0.25,
        regularization=0.625,
        histories=np.array(histories),
    )


def test_the_default_direction_is_the_reference_one() -> None:
    found = RunLength.of(RunLengthSettings()).direction
    reference = [
        *(0.05329, 0.05599, 0.27145, 0.04446, 0.22705),
        *(0.15327, 0.55272, 0.40143, 0.29829, 0.53637),
    ]
    np.testing.assert_allclose(found, reference, atol=5e-6)


def test_defaults_are_the_papers() -> None:
    instance = RunLength.of(RunLengthSettings())
    assert (instance.dimension, instance.memory, instance.noise) == (10, 100, 0.25)
    assert (instance.feature_bound, instance.norm_bound, instance.regularization) == (1, 1, 0.625)


@pytest.mark.parametrize("memory", [10, 100, 300])
def test_histories_hold_every_action_equally_often_and_each_last_once(memory: int) -> None:
    histories = balanced_histories(memory)
    assert histories.shape == (10, memory)
    for history in histories:
        assert np.bincount(history).tolist() == [memory // 10] * 10
        assert trailing_run(history) == (history[-1], 1)
    assert sorted(histories[:, -1]) == list(range(10))
    order = np.random.default_rng(0).permutation(10)
    np.testing.assert_array_equal(histories[0, :10], order)
    np.testing.assert_array_equal(histories[1, :10], np.roll(order, 1))


def test_histories_of_other_lengths_are_cut_at_their_old_end() -> None:
    np.testing.assert_array_equal(balanced_histories(14), balanced_histories(20)[:, 6:])
    assert balanced_histories(1).shape == (10, 1)


def test_a_feature_is_zero_unless_the_action_follows_itself_m_times() -> None:
    instance = small([1, 2, 2], memory=3, histories=[[0, 1, 2]])
    assert instance.feature([1, 1, 1], 1).tolist() == [0, 2, 0]
    for history, arm in [([1, 1, 1], 2), ([2, 1, 1], 1), ([1, 1, 2], 2)]:
        assert not instance.feature(history, arm).any()
    assert instance.memory_matrix([1, 1, 1]).tolist() == [[0, 0, 0], [0, 2, 0], [0, 0, 0]]
    np.testing.assert_allclose(instance.values, [2, 4, 4])


@settings(max_examples=40, deadline=None, derandomize=True)
@given(
    direction=st.lists(st.integers(1, 9), min_size=2, max_size=3),
    memory=st.integers(1, 4),
    horizon=st.integers(1, 7),
    data=st.data(),
)
def test_the_optimum_is_that_of_all_action_sequences(direction, memory, horizon, data) -> None:
    arms = st.integers(0, len(direction) - 1)
    history = data.draw(st.lists(arms, min_size=memory, max_size=memory))
    instance = small(direction, memory, [history])
    best = np.zeros(horizon)
    for actions in product(range(len(direction)), repeat=horizon):
        past = list(history)
        total = 0.0
        for t, arm in enumerate(actions):
            total += instance.feature(past[-memory:], arm) @ instance.theta_star
            past.append(arm)
            best[t] = max(best[t], total)
    np.testing.assert_allclose(instance.optimum(horizon), best, rtol=1e-12, atol=1e-12)


def test_the_optimum_is_averaged_over_the_histories() -> None:
    histories = [[0, 1], [1, 1], [2, 0]]
    alone = [small([1, 2, 2], 2, [history]).optimum(9) for history in histories]
    together = small([1, 2, 2], 2, histories).optimum(9)
    np.testing.assert_allclose(together, np.mean(alone, axis=0), rtol=1e-14)


def test_taken_alone_a_history_is_the_first() -> None:
    instance = RunLength.of(RunLengthSettings(memory=20))
    alone = instance.alone(3)
    assert alone.initial == tuple(instance.histories[3].tolist())
    assert alone.state(alone.initial) == (instance.histories[3, -1], 1)
    assert alone.state((1, 2, 2, 2)) == (2, 3)
    everyone = [instance.alone(j).optimum(60) for j in range(10)]
    np.testing.assert_allclose(np.mean(everyone, axis=0), instance.optimum(60), rtol=1e-14)


def test_noise_belongs_to_the_seed_and_a_shorter_run_has_its_beginning() -> None:
    np.testing.assert_array_equal(standard_noise(3, 50), standard_noise(3, 200)[:50])
    assert not np.array_equal(standard_noise(3, 50), standard_noise(4, 50))


def test_the_scaled_rule_is_the_largest_lambda_of_the_theorem() -> None:
    scaled = RunLengthSettings(regularization_rule="scaled", norm_bound=10.0)
    assert scaled.chosen_regularization == pytest.approx(10 * 0.25**2 / 100)
    assert RunLengthSettings(norm_bound=10.0).chosen_regularization == 0.625
    assert RunLengthSettings(regularization_rule="scaled").chosen_regularization == 0.625


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("memory", 0),
        ("memory", 2.5),
        ("feature_bound", 0.0),
        ("norm_bound", -1.0),
        ("norm_bound", float("nan")),
        ("noise", 0.0),
        ("regularization", 0.0),
        ("direction", "uniform"),
        ("regularization_rule", "free"),
        ("memori", 100),
    ],
)
def test_a_bad_setting_is_named(name: str, value: object) -> None:
    with pytest.raises(SettingError, match=name):
        read_settings({name: value})
