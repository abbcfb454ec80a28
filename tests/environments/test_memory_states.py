"""Which memory states are reached, how they are merged and what is refused."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from pearl.environments.finite_optimum import largest_sums, optimum_by_states
from pearl.environments.memory_instance import mean_reward, transition
from pearl.environments.memory_states import reachable_states
from pearl.environments.random_memory import RandomMemory
from pearl.errors import SettingError


@dataclass(frozen=True)
class Counting:
    """Two actions; the reward is how many of the last M + 1 actions were 1, over M + 1."""

    memory: int = 3
    initial: tuple[int, ...] = (0, 0, 0)
    dimension: int = 1
    feature_bound: float = 1.0
    norm_bound: float = 1.0
    noise: float = 0.1
    theta_star: np.ndarray = field(default_factory=lambda: np.ones(1))
    actions: np.ndarray | None = field(default_factory=lambda: np.eye(2))

    def feature(self, history: tuple[int, ...], action: int) -> np.ndarray:
        return np.array([sum(history) + action]) / (self.memory + 1)

    def optimum(self, horizon: int) -> np.ndarray:
        filled = np.minimum(np.arange(1, horizon + 1), self.memory + 1)
        return np.cumsum(filled / (self.memory + 1))


class Run(Counting):
    """It pays 1 while the last M + 1 actions were all 1."""

    def feature(self, history: tuple[int, ...], action: int) -> np.ndarray:
        return np.array([float(all(history) and action)])


class MergedRun(Run):
    """The same, told that the length of the last run of 1s decides."""

    def state(self, history: tuple[int, ...]) -> int:
        return next((i for i, action in enumerate(reversed(history)) if not action), self.memory)


def test_every_history_is_a_state() -> None:
    states = reachable_states(RandomMemory(n_actions=3, memory=4))
    assert len(states) == 3**4
    assert states.n_actions == 3
    assert len(states.features) == 3**5


def test_states_on_the_way_from_a_foreign_history() -> None:
    """Histories that still hold an action of before the run: 1 + 2 + 4, then all 2^3."""
    instance = Counting(initial=(-1, -1, -1))
    assert len(reachable_states(replace(instance, feature_bound=2.0))) == 1 + 2 + 4 + 8


def test_states_follow_the_instance() -> None:
    instance = RandomMemory(n_actions=3, memory=2)
    states = reachable_states(instance)
    rewards = states.rewards(instance.theta_star)
    history, state = instance.initial, 0
    for action in np.random.default_rng(0).integers(0, 3, 200).tolist():
        phi = instance.feature(history, action)
        assert np.array_equal(states.features[states.feature_of[state, action]], phi)
        assert rewards[state, action] == pytest.approx(mean_reward(instance, history, action))
        history = transition(history, action)
        state = int(states.following[state, action])


def test_equal_features_are_kept_once_and_zeros_have_one_sign() -> None:
    states = reachable_states(Counting())
    assert len(states.features) == 5
    negative = Counting(theta_star=-np.ones(1))
    assert len(reachable_states(negative).features) == 5


def test_merged_histories_leave_the_optimum() -> None:
    whole, merged = reachable_states(Run()), reachable_states(MergedRun())
    assert (len(whole), len(merged)) == (8, 4)
    sums = largest_sums(merged, merged.rewards(np.ones(1)), 20)
    assert np.array_equal(sums, largest_sums(whole, whole.rewards(np.ones(1)), 20))
    assert np.array_equal(sums, np.maximum(np.arange(1, 21) - 3, 0))


@pytest.mark.parametrize("draw", range(4))
def test_the_optimum_is_that_of_all_action_sequences(draw: int) -> None:
    instance = RandomMemory(draw=draw, n_actions=2, memory=3)
    horizon = 9
    sums = []
    for sequence in itertools.product(range(2), repeat=horizon):
        history, rewards = instance.initial, []
        for action in sequence:
            rewards.append(mean_reward(instance, history, action))
            history = transition(history, action)
        sums.append(np.cumsum(rewards))
    np.testing.assert_allclose(instance.optimum(horizon), np.max(sums, axis=0), rtol=1e-13)


def test_the_optimum_of_a_closed_form() -> None:
    np.testing.assert_allclose(optimum_by_states(Counting(), 50), Counting().optimum(50))


def test_too_many_states_are_told_with_count_and_limit() -> None:
    with pytest.raises(SettingError, match=r"max_states = 100 .*4\^6 = 4,096") as refused:
        reachable_states(RandomMemory(memory=6), max_states=100)
    assert "state(history)" in refused.value.remedy
    assert len(reachable_states(RandomMemory(memory=3), max_states=64)) == 64
    with pytest.raises(SettingError, match="max_states = 63 "):
        reachable_states(RandomMemory(memory=3), max_states=63)


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        (Counting(actions=None), "aren't finite"),
        (Counting(actions=np.zeros((0, 2))), "aren't finite"),
        (Counting(actions=1.1 * np.eye(2)), "norm 1.1"),
        (Counting(initial=(0, 0)), "initial holds 2 actions"),
        (Counting(theta_star=np.full(1, 1.5)), "theta_star"),
        (Counting(theta_star=np.zeros(2)), "theta_star"),
        (Counting(feature_bound=0.5), "feature_bound = 0.5"),
        (Counting(dimension=1, theta_star=np.ones(1), feature_bound=np.nan), "feature_bound"),
    ],
)
def test_an_instance_that_breaks_its_own_bounds_is_refused(wrong: Counting, named: str) -> None:
    with pytest.raises(SettingError, match=named):
        reachable_states(wrong)
