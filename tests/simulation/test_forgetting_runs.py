"""Whole runs of the rules of forgetting: where they forget nothing, and that they do elsewhere."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from prism_population import population

from pearl.bandits.method import BanditMethod
from pearl.environments.prism_settings import PrismSettings
from pearl.environments.prism_world import PrismWorld
from pearl.simulation.pretrained_network import pretrained_arrays, training_settings
from pearl.simulation.prism_replay import learner_of
from pearl.simulation.replay import play
from pearl.simulation.replay_log import Log

SETTINGS = PrismSettings(update_interval=25, max_observations=40, hidden=12, embedding=4, flip=0.5)


def played(**axes: Any) -> Log:
    world = PrismWorld.of(population([4] * 20, dimensions=6), SETTINGS, seed=3)
    training = training_settings(SETTINGS, True)
    arrays = pretrained_arrays(
        world.pretraining(), world.stated, world.slates.embeddings, training, seed=3
    )
    method = BanditMethod.model_validate({"exploration": "error_adaptive"} | axes)
    return play(world.blocks(2), learner_of(world, method, 2, arrays))


def same(one: Log, other: Log) -> bool:
    assert one.steps is not None
    assert other.steps is not None
    return all(np.array_equal(a, b) for a, b in zip(one.steps, other.steps, strict=True))


@pytest.fixture(scope="module")
def none() -> Log:
    return played()


@pytest.mark.parametrize(
    "axes",
    [
        {"forgetting": "window", "window": 120},  # T, and more than an update trains on
        {"forgetting": "window", "window": 90, "window_training": False},
        {"forgetting": "discount", "discount": 1.0},
        {"forgetting": "restart", "restart_above": 1.0},
        {"forgetting": "directional", "eta": 0.0},
    ],
)
def test_what_forgets_nothing_is_none(none: Log, axes: dict[str, Any]) -> None:
    found = played(**axes)
    assert len(found) == 120
    assert np.array_equal(found.choices, none.choices)
    assert found.steps is not None
    assert none.steps is not None
    for name in ("means", "uncertainties", "errors", "rewards"):
        assert np.array_equal(getattr(found.steps, name), getattr(none.steps, name))


@pytest.mark.parametrize(
    "axes",
    [
        {"forgetting": "window", "window": 20},
        {"forgetting": "discount", "discount": 0.99},
        {"forgetting": "restart", "restart_above": 0.35},
    ],
)
def test_what_forgets_does(none: Log, axes: dict[str, Any]) -> None:
    found = played(**axes)
    assert found.steps is not None
    assert none.steps is not None
    assert not same(found, none)
    assert found.steps.uncertainties.mean() > none.steps.uncertainties.mean()


def test_a_window_may_leave_training_alone() -> None:
    """Up to the first update the two are one; then one network has seen 15 observations, one 25."""
    both = played(forgetting="window", window=15)
    alone = played(forgetting="window", window=15, window_training=False)
    assert both.steps is not None
    assert alone.steps is not None
    assert np.array_equal(both.steps.uncertainties[:25], alone.steps.uncertainties[:25])
    assert not np.array_equal(both.steps.means[25:], alone.steps.means[25:])


def test_restarts_are_recorded() -> None:
    """At tau = .3 the mean error is above it from the start, at 1 never."""
    found = played(exploration="fixed", forgetting="restart", restart_above=0.3)
    assert found.steps is not None
    assert found.steps.injected[:10].all()
    assert not found.steps.capped.any()


def test_auto_differs_from_pearl_by_its_rate_alone() -> None:
    """The same surprises at first: the rate decides how much they inject, not when."""
    auto = played(forgetting="directional", injection="mean_error", eta=0.1)
    pearl = played(forgetting="directional", eta=0.1)
    assert auto.steps is not None
    assert pearl.steps is not None
    first = int(np.argmax(auto.steps.injected))
    assert first == int(np.argmax(pearl.steps.injected))
    assert np.array_equal(
        auto.steps.uncertainties[: first + 1], pearl.steps.uncertainties[: first + 1]
    )
    assert not same(auto, pearl)
