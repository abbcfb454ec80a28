"""One run on PRISM: the entry that sweeps call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from pearl.bandits.heads.parts import Features
from pearl.bandits.heads.registry import HEADS
from pearl.bandits.method import BanditMethod
from pearl.bandits.network import new_adam
from pearl.environments.prism_settings import read_settings
from pearl.environments.prism_world import PrismWorld
from pearl.simulation.contextual_config import read_config
from pearl.simulation.head_replay import HeadLearner
from pearl.simulation.pretrained_head import model_of
from pearl.simulation.pretrained_network import (
    Arrays,
    network_of,
    stated_features,
    training_settings,
)
from pearl.simulation.prism_pretraining import KIND, pretrain, pretraining
from pearl.simulation.prism_slates import load
from pearl.simulation.prism_users import user_arrays
from pearl.simulation.replay import Learner, play, play_without_network
from pearl.simulation.replay_series import trajectory
from pearl.simulation.trajectory import Fact, Trajectory

__all__ = ["KIND", "learner_of", "pretrain", "pretraining", "run"]


def run(
    config: Mapping[str, Any], tables: Path, seed: int, pretrained: Arrays | None = None
) -> Trajectory:
    """Run one method on PRISM's slates.

    Args:
        config: "environment" (kind "prism" and the fields of PrismSettings), "method" (the fields
            of BanditMethod) and "horizon", epochs >= 1.
        tables: the folder of embedded slates.
        seed: the run's seed, >= 0.
        pretrained: what `pretrain` returned for this config's `pretraining` and seed; left as it
            is. None for Random and Oracle.

    Raises:
        SettingError: the config has an unknown name or a value out of its range, or the network
            that it needs is missing.
        DataError: the slates are missing or damaged.
    """
    method, settings, epochs = read_config(config, KIND, read_settings)
    world = PrismWorld.of(load(settings, tables), settings, seed)
    blocks = world.blocks(epochs)
    if method.network:
        log = play(blocks, learner_of(world, method, epochs, pretrained))
    else:
        log = play_without_network(blocks, method, seed)
    made = trajectory(log, world.changed, _instance(world, epochs))
    return replace(made, users=user_arrays(world, log))


def learner_of(
    world: PrismWorld, method: BanditMethod, epochs: int, pretrained: Arrays | None
) -> Learner | HeadLearner:
    """Return a method that starts from a pretrained network; SettingError without one."""
    training = training_settings(world.settings, method.user_features)
    stated = stated_features(world.stated, method.user_features)
    embeddings = world.slates.embeddings
    size = world.max_observations(epochs)
    if method.head != "mlp":
        return HeadLearner(
            method=method,
            training=training,
            seed=world.seed,
            head=HEADS[method.head],
            model=model_of(method.head, pretrained, world.settings.adam == "reset"),
            known=Features(stated, embeddings),
            training_size=size,
            gram_size=size,
        )
    weights, adam = network_of(pretrained)
    users, arms, _ = world.pretraining()
    return Learner(
        method=method,
        training=training,
        seed=world.seed,
        weights=weights,
        adam=adam if world.settings.adam == "kept" else new_adam(weights),
        stated=stated,
        embeddings=embeddings,
        training_size=size,
        gram_size=size,
        prior_users=np.repeat(users, arms.shape[1]),
        prior_arms=arms.reshape(-1),
    )


def _instance(world: PrismWorld, epochs: int) -> dict[str, Fact]:
    return {
        "instance/users": len(world.slates.users),
        "instance/slates": len(world.slates.user),
        "instance/pretraining": len(world.split.pretraining),
        "instance/interactions": len(world.order(0, epochs)),
        "instance/flipped_users": int(world.changed.sum()),
    }
