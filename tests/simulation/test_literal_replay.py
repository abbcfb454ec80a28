"""Whole runs against Algorithm 1 written down again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from literal_replay import literal_replay
from prism_population import population

from pearl.bandits.method import BanditMethod
from pearl.environments.prism_settings import PrismSettings
from pearl.environments.prism_world import PrismWorld
from pearl.simulation.pretrained_network import pretrained_arrays, training_settings
from pearl.simulation.prism_replay import learner_of
from pearl.simulation.replay import play

SETTINGS = PrismSettings(
    update_interval=25, max_observations=40, hidden=12, embedding=4, flip=0.5, adam="kept"
)


@pytest.mark.parametrize(
    "axes",
    [
        {"exploration": "error_adaptive", "forgetting": "directional"},
        {"exploration": "error_adaptive", "forgetting": "directional", "eta": 300.0},
        {"exploration": "fixed", "regularization": 0.5},
        {"exploration": "none"},
        {"exploration": "fixed", "forgetting": "window", "window": 15},
        {"exploration": "fixed", "forgetting": "window", "window": 15, "window_training": False},
        {"exploration": "error_adaptive", "forgetting": "window", "window": 30},
        {"exploration": "error_adaptive", "forgetting": "discount", "discount": 0.95},
        {"exploration": "fixed", "forgetting": "restart", "restart_above": 0.35},
        {
            "exploration": "error_adaptive",
            "forgetting": "directional",
            "injection": "mean_error",
            "eta": 300.0,
        },
    ],
)
def test_a_run_is_algorithm_1(axes: dict, tmp_path: Path) -> None:
    method = BanditMethod(**axes)
    world = PrismWorld.of(population([4] * 20, dimensions=6), SETTINGS, seed=3)
    training = training_settings(SETTINGS, True)
    arrays = pretrained_arrays(
        world.pretraining(), world.stated, world.slates.embeddings, training, seed=3
    )
    log = play(world.blocks(2), learner_of(world, method, 2, arrays))
    learner = learner_of(world, method, 2, arrays)
    rows = literal_replay(
        *(world.blocks(2), method, training, learner.weights, learner.adam),
        *(world.stated, world.slates.embeddings, 3, 40),
    )
    assert log.steps is not None
    assert log.updates.tolist() == [25, 50, 85, 110]
    assert log.choices.tolist() == [row["choice"] for row in rows]
    assert log.steps.injected.tolist() == [row["injected"] for row in rows]
    for name, values in (
        ("mean", log.steps.means),
        ("sigma", log.steps.uncertainties),
        ("tracker", log.steps.errors),
    ):
        assert values == pytest.approx(np.array([row[name] for row in rows]), abs=2e-5)
    if axes.get("eta"):
        assert log.steps.capped.any()
