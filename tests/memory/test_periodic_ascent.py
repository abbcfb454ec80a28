"""F and its gradient: against discounted sums, finite differences and the exact constant action."""

from dataclasses import replace

import numpy as np
import pytest

from pearl.memory.farthest_point import farthest_point
from pearl.memory.periodic_ascent import Landscape, Weights, block_rounds, discounted

BOUND = 1.7  # R


def landscape(seed: int, memory: int, dimension: int, weights: Weights) -> Landscape:
    rng = np.random.default_rng(seed)
    root = rng.standard_normal((dimension, dimension))
    return Landscape(
        history=in_ball(rng, memory, dimension),
        scale=BOUND / (memory + 1),
        estimate=rng.standard_normal(dimension),
        spread=root @ root.T / dimension + 0.01 * np.eye(dimension),
        radius=0.8,
        weights=weights,
    )


def in_ball(rng: np.random.Generator, *shape: int) -> np.ndarray:
    actions = rng.standard_normal(shape)
    lengths = np.linalg.norm(actions, axis=-1, keepdims=True)
    return actions / lengths * rng.uniform(0.2, 1, lengths.shape)


def played(land: Landscape, sequence: np.ndarray, rounds: int) -> list[float]:
    """Play the sequence over and over, every memory matrix from the actions before."""
    history = list(land.history)
    scores = []
    for i in range(rounds):
        action = sequence[i % len(sequence)]
        past = np.array(history[-len(sequence) :])
        x = land.scale * (action + past.T @ (past @ action))
        scores.append(x @ land.estimate + land.radius * np.sqrt(x @ land.spread @ x))
        history.append(action)
    return scores


@pytest.mark.parametrize(
    ("memory", "dimension", "discount"), [(1, 3, 0.8), (4, 2, 0.9), (7, 5, 0.7)]
)
def test_the_value_is_the_discounted_sum_of_an_endless_play(
    memory: int, dimension: int, discount: float
) -> None:
    land = landscape(1, memory, dimension, discounted(memory, discount))
    sequence = in_ball(np.random.default_rng(2), memory, dimension)
    scores = played(land, sequence, 600)
    expected = (1 - discount) * sum(discount**i * score for i, score in enumerate(scores))
    assert land.value_and_gradient(sequence)[0] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("informative", [1, 3, 5, 12, 13])
def test_the_value_of_a_block_is_the_mean_of_its_informative_rounds(informative: int) -> None:
    memory = 5
    land = landscape(3, memory, 3, block_rounds(memory, informative))
    sequence = in_ball(np.random.default_rng(4), memory, 3)
    scores = played(land, sequence, memory + informative)
    expected = np.mean(scores[memory:])
    assert land.value_and_gradient(sequence)[0] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("weights", [discounted(6, 0.9), block_rounds(6, 2), block_rounds(6, 40)])
def test_the_gradient_is_that_of_finite_differences(weights: Weights) -> None:
    land = landscape(5, 6, 4, weights)
    sequence = in_ball(np.random.default_rng(6), 6, 4)
    gradient = land.value_and_gradient(sequence)[1]
    for place in np.ndindex(*sequence.shape):
        step = np.zeros(sequence.shape)
        step[place] = 1e-6
        up, down = (land.value_and_gradient(sequence + s * step)[0] for s in (1, -1))
        assert gradient[place] == pytest.approx((up - down) / 2e-6, abs=1e-8)


@pytest.mark.parametrize(
    "weights", [discounted(50, 0.999), block_rounds(50, 1), block_rounds(7, 90)]
)
def test_weights_sum_to_one(weights: Weights) -> None:
    assert weights.early.sum() + weights.steady.sum() == pytest.approx(1, abs=1e-12)


def test_climbing_never_falls_and_stays_in_the_ball() -> None:
    land = landscape(7, 8, 4, discounted(8, 0.99))
    starts = in_ball(np.random.default_rng(8), 3, 8, 4)
    best, value = land.climb(starts, 60)
    assert np.linalg.norm(best, axis=1).max() <= 1 + 1e-12
    assert land.value_and_gradient(best)[0] == pytest.approx(value, rel=1e-12)
    assert value > max(land.value_and_gradient(start)[0] for start in starts)


def test_a_start_at_the_peak_stays_and_the_first_of_equal_outcomes_is_taken() -> None:
    land = landscape(9, 5, 3, block_rounds(5, 50))
    farthest = farthest_point(land.estimate, land.spread, land.radius)
    peak = np.tile(farthest / np.linalg.norm(farthest), (5, 1))
    best, value = land.climb(np.stack([peak, peak[:, ::-1], peak]), 60)
    assert best == pytest.approx(peak, abs=1e-6)
    assert value == pytest.approx(BOUND * np.linalg.norm(farthest), rel=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_no_sequence_is_worth_more_than_the_constant_action_in_its_own_memory(seed: int) -> None:
    """R |theta~| bounds every round, and the constant action gives it once it fills the memory."""
    memory, discount = 20, 0.999
    land = landscape(seed, memory, 5, discounted(memory, discount))
    starts = in_ball(np.random.default_rng(seed), 4, memory, 5)
    value = land.climb(starts, 60)[1]
    farthest = farthest_point(land.estimate, land.spread, land.radius)
    length = float(np.linalg.norm(farthest))
    assert value <= BOUND * length * (1 + 1e-12)
    constant = np.tile(farthest / length, (memory, 1))
    filled = replace(land, history=constant)
    assert filled.value_and_gradient(constant)[0] == pytest.approx(BOUND * length, rel=1e-12)
