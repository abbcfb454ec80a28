"""The deployable policy, one interaction at a time, decides what the loop decides in blocks."""

from __future__ import annotations

import numpy as np
import pytest
from prism_population import population

from pearl.bandits.method import load_methods
from pearl.bandits.policy import Policy
from pearl.environments.prism_settings import PrismSettings
from pearl.environments.prism_world import PrismWorld
from pearl.simulation.pretrained_network import (
    pretrained_arrays,
    stated_features,
    training_settings,
)
from pearl.simulation.prism_replay import learner_of
from pearl.simulation.replay import play

SETTINGS = PrismSettings(update_interval=23, max_observations=40, hidden=12, embedding=4)
NETWORKS = [
    name for name, method in load_methods().items() if method.network and method.head == "mlp"
]


@pytest.mark.parametrize("name", NETWORKS)
def test_step_for_step(name: str) -> None:
    method = load_methods()[name].model_copy(update={"window": 15})
    world = PrismWorld.of(population([4] * 20, dimensions=6), SETTINGS, seed=7)
    training = training_settings(SETTINGS, method.user_features)
    stated, embeddings = (
        stated_features(world.stated, method.user_features),
        world.slates.embeddings,
    )
    arrays = pretrained_arrays(world.pretraining(), stated, embeddings, training, seed=7)
    log = play(world.blocks(2), learner_of(world, method, 2, arrays))
    assert log.steps is not None
    start = learner_of(world, method, 2, arrays)
    policy = Policy(
        *(method, start.weights, start.stated, training),
        seed=7,
        update_interval=None,
        max_observations=40,
        adam=start.adam,
        prior=(start.prior_users, embeddings[start.prior_arms])
        if method.prior != "empty"
        else None,
    )
    t = 0
    for block in world.blocks(2):
        for user, arms, rewards in zip(block.users, block.arms, block.rewards, strict=True):
            choice = policy.select(int(user), embeddings[arms])
            assert choice.arm == log.choices[t]
            assert choice.mean == log.steps.means[t]
            assert choice.uncertainty == log.steps.uncertainties[t]
            assert policy.state.errors[user] == log.steps.errors[t]
            policy.update(int(user), embeddings[arms[choice.arm]], float(rewards[choice.arm]))
            t += 1
        if block.update and method.online:
            policy.learn()
    assert t == len(log)
    assert policy.updates == len(log.updates) == (4 if method.online else 0)
    assert np.isfinite(policy.state.inverse).all()
