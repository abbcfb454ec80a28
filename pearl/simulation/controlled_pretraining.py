"""The network that the controlled simulation's runs of one seed start from."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pearl.bandits.network import Floats32
from pearl.environments.controlled import ControlledWorld
from pearl.environments.controlled_settings import ControlledSettings, read_settings
from pearl.environments.network_settings import PRETRAINING
from pearl.simulation.contextual_config import pretraining_part, read_part
from pearl.simulation.pretrained_network import (
    pretrained_arrays,
    stated_features,
    training_settings,
)

KIND = "controlled"
_WORLD = ("users", "arms", "dimensions", "noise", "pretrain_interactions", "pairs")


def pretraining(config: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return what of a run's config decides its pretrained network; None without a network.

    Raises:
        SettingError: the config has an unknown name or a value out of its range.
    """
    return pretraining_part(config, KIND, read_settings, _deciding)


def pretrain(part: Mapping[str, Any], tables: Path, seed: int) -> dict[str, NDArray[Any]]:
    """Pretrain on interactions before the inversion.

    Args:
        part: what `pretraining` returned.
        tables: not looked at.
        seed: the run's seed.

    Returns:
        weights.*, adam.m.*, adam.v.*, adam.steps (adam.steps.* of another head than the MLP's)
        and loss (float64, one an epoch).

    Raises:
        SettingError: `part` isn't such a part.
    """
    settings, user_features, head = read_part(part, KIND, read_settings)
    world = ControlledWorld.of(settings, seed)
    stated, embeddings = features(world, user_features)
    training = training_settings(settings, user_features)
    return pretrained_arrays(world.pretraining(), stated, embeddings, training, seed, head)


def features(world: ControlledWorld, user_features: bool) -> tuple[Floats32, Floats32]:
    """Return the users' features float32[U, D], the preferences before the inversion, and the
    arms' float32[K, D]."""
    stated = stated_features(world.preferences.astype(np.float32), user_features)
    return stated, world.arms.astype(np.float32)


def _deciding(settings: ControlledSettings) -> tuple[str, ...]:
    return (*_WORLD, *PRETRAINING)
