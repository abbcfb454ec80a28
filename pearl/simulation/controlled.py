"""One run of the controlled simulation (Table 8): the entry that sweeps call."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from pearl.bandits.heads.parts import Features
from pearl.bandits.heads.registry import HEADS
from pearl.bandits.method import BanditMethod
from pearl.bandits.network import new_adam
from pearl.environments.controlled import ControlledWorld
from pearl.environments.controlled_settings import read_settings
from pearl.simulation.contextual_config import read_config
from pearl.simulation.controlled_pretraining import KIND, features, pretrain, pretraining
from pearl.simulation.head_replay import HeadLearner
from pearl.simulation.pretrained_head import model_of
from pearl.simulation.pretrained_network import Arrays, network_of, training_settings
from pearl.simulation.replay import Learner, play, play_without_network
from pearl.simulation.replay_series import trajectory
from pearl.simulation.trajectory import Fact, Trajectory

__all__ = ["KIND", "learner_of", "pretrain", "pretraining", "run"]


def run(
    config: Mapping[str, Any], tables: Path, seed: int, pretrained: Arrays | None = None
) -> Trajectory:
    """Run one method in the controlled simulation.

    The paper's metric is the mean reward of epoch 3 alone: "last_epoch_reward" at horizon 3.

    Args:
        config: "environment" (kind "controlled" and the fields of ControlledSettings), "method"
            (the fields of BanditMethod) and "horizon", epochs >= 1.
        tables: not looked at; everything is simulated.
        seed: the run's seed, >= 0.
        pretrained: what `pretrain` returned for this config's `pretraining` and seed; left as it
            is. None for Random and Oracle.

    Raises:
        SettingError: the config has an unknown name or a value out of its range, or the network
            that it needs is missing.
    """
    method, settings, epochs = read_config(config, KIND, read_settings)
    world = ControlledWorld.of(settings, seed)
    blocks = world.blocks(epochs)
    if method.network:
        log = play(blocks, learner_of(world, method, epochs, pretrained))
    else:
        log = play_without_network(blocks, method, seed)
    changed = np.full(settings.users, settings.inversion)
    return trajectory(log, changed, _instance(world))


def learner_of(
    world: ControlledWorld, method: BanditMethod, epochs: int, pretrained: Arrays | None
) -> Learner | HeadLearner:
    """Return a method that starts from a pretrained network; SettingError without one."""
    settings = world.settings
    training = training_settings(settings, method.user_features)
    stated, embeddings = features(world, method.user_features)
    if method.head != "mlp":
        return HeadLearner(
            method=method,
            training=training,
            seed=world.seed,
            head=HEADS[method.head],
            model=model_of(method.head, pretrained, fresh_adam=True),
            known=Features(stated, embeddings),
            training_size=epochs * settings.interactions,
            gram_size=settings.gram_window,
        )
    weights, _ = network_of(pretrained)
    users, arms, _ = world.pretraining()
    return Learner(
        method=method,
        training=training,
        seed=world.seed,
        weights=weights,
        adam=new_adam(weights),
        stated=stated,
        embeddings=embeddings,
        training_size=epochs * settings.interactions,
        gram_size=settings.gram_window,
        prior_users=np.repeat(users, arms.shape[1]),
        prior_arms=arms.reshape(-1),
    )


def _instance(world: ControlledWorld) -> dict[str, Fact]:
    settings = world.settings
    return {
        "instance/users": settings.users,
        "instance/pretraining": settings.pretrain_interactions,
        "instance/interactions": settings.interactions,
        "instance/flipped_users": settings.users if settings.inversion else 0,
    }
