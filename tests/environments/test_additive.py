"""The additive instance: its memory matrix, its optimum, its settings."""

from pathlib import Path

import numpy as np
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from pearl.environments.additive import Additive
from pearl.environments.additive_settings import AdditiveSettings, read_settings
from pearl.errors import SettingError


def instance(memory: int = 4, theta: tuple[float, ...] = (0.6, 0.0, 0.8)) -> Additive:
    star = 1.5 * np.array(theta)
    return Additive(star, memory, 2.0, 1.5, 0.25, 0.625)


def in_ball(rng: np.random.Generator, *shape: int) -> np.ndarray:
    actions = rng.standard_normal(shape)
    lengths = np.linalg.norm(actions, axis=-1, keepdims=True)
    return actions / lengths * rng.uniform(0, 1, lengths.shape) ** 0.2


def mean_rewards(made: Additive, actions: np.ndarray) -> np.ndarray:
    past = np.concatenate([made.empty_history(), actions])
    return np.array(
        [
            made.feature(past[t : t + made.memory], action) @ made.theta_star
            for t, action in enumerate(actions)
        ]
    )


def test_the_memory_matrix_by_hand() -> None:
    made = instance(memory=2)
    history = np.array([[1.0, 0.0, 0.0], [0.0, 0.6, 0.8]])
    expected = 2 / 3 * np.array([[2, 0, 0], [0, 1.36, 0.48], [0, 0.48, 1.64]])
    assert made.memory_matrix(history) == pytest.approx(expected)
    assert made.feature(history, np.array([0.0, 0.0, 1.0])) == pytest.approx(expected[2])


@settings(deadline=None)
@given(seed=st.integers(0, 10_000), memory=st.integers(1, 9))
def test_no_memory_matrix_is_larger_than_its_bound(seed: int, memory: int) -> None:
    made = instance(memory)
    history = in_ball(np.random.default_rng(seed), memory, 3)
    assert np.linalg.norm(made.memory_matrix(history), 2) <= made.feature_bound * (1 + 1e-12)
    filled = np.tile(history[0] / np.linalg.norm(history[0]), (memory, 1))
    assert np.linalg.norm(made.memory_matrix(filled), 2) == pytest.approx(made.feature_bound)


@pytest.mark.parametrize("memory", [1, 3, 8])
def test_repeating_u_attains_the_optimum_in_every_round(memory: int) -> None:
    made = instance(memory)
    rewards = mean_rewards(made, np.tile(made.theta_star / 1.5, (25, 1)))
    assert rewards == pytest.approx(made.optimal_rewards(25), rel=1e-12)


def test_the_optimum_is_the_papers_closed_form() -> None:
    made = Additive.of(AdditiveSettings(memory=100, feature_bound=3.0, norm_bound=2.0))
    assert made.optimal_rewards(5_000).sum() == pytest.approx(3 * 2 * (5_000 - 100 / 2), rel=1e-12)


@settings(deadline=None)
@given(seed=st.integers(0, 10_000), memory=st.integers(1, 6))
def test_no_sequence_of_actions_beats_the_optimum_in_any_round(seed: int, memory: int) -> None:
    made = instance(memory)
    rng = np.random.default_rng(seed)
    actions = in_ball(rng, 20, 3) * 0.3 + made.theta_star / 1.5 * rng.uniform(0, 1, (20, 1))
    actions /= np.maximum(1, np.linalg.norm(actions, axis=1, keepdims=True))
    assert (mean_rewards(made, actions) <= made.optimal_rewards(20) + 1e-12).all()


def test_noise_hangs_on_the_seed_alone() -> None:
    one, other = instance(2), instance(9)
    assert np.array_equal(one.noises(5, 100), other.noises(5, 100))
    assert not np.array_equal(one.noises(5, 100), one.noises(6, 100))
    assert one.noises(1, 40_000).std() == pytest.approx(0.25, rel=0.02)
    assert np.array_equal(one.noises(5, 100), one.noises(5, 200)[:100])


def test_params_hold_the_defaults() -> None:
    params = yaml.safe_load((Path(__file__).parents[2] / "params.yaml").read_text())
    assert read_settings(params["additive"]) == AdditiveSettings()


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ({"memory": 0}, "memory"),
        ({"memory": 10.0}, "memory"),
        ({"feature_bound": 0.0}, "feature_bound"),
        ({"norm_bound": float("inf")}, "norm_bound"),
        ({"direction": "spik"}, "direction"),
        ({"noise": 0.0}, "noise"),
        ({"regularization": -1.0}, "regularization"),
        ({"regularisation": 1.0}, "regularization"),
    ],
)
def test_wrong_settings_are_named(values: dict[str, object], named: str) -> None:
    with pytest.raises(SettingError, match=named):
        read_settings(values)
