"""The network that PRISM's runs of one seed and split start from, made once for all methods."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from pearl.environments.network_settings import PRETRAINING
from pearl.environments.prism_settings import PrismSettings, read_settings
from pearl.environments.prism_world import PrismWorld
from pearl.simulation.contextual_config import pretraining_part, read_part
from pearl.simulation.pretrained_network import (
    pretrained_arrays,
    stated_features,
    training_settings,
)
from pearl.simulation.prism_slates import load

KIND = "prism"


def pretraining(config: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return what of a run's config decides its pretrained network; None without a network.

    Drift, online protocol and the bandit's own settings aren't among it.

    Raises:
        SettingError: the config has an unknown name or a value out of its range.
    """
    return pretraining_part(config, KIND, read_settings, _deciding)


def pretrain(part: Mapping[str, Any], tables: Path, seed: int) -> dict[str, NDArray[Any]]:
    """Pretrain on the split's pretraining slates.

    Args:
        part: what `pretraining` returned.
        tables: the folder of embedded slates.
        seed: the run's seed.

    Returns:
        weights.*, adam.m.*, adam.v.*, adam.steps (adam.steps.* of another head than the MLP's)
        and loss (float64, one an epoch).

    Raises:
        SettingError: `part` isn't such a part.
        DataError: the slates are missing or damaged.
    """
    settings, user_features, head = read_part(part, KIND, read_settings)
    world = PrismWorld.of(load(settings, tables), settings, seed)
    return pretrained_arrays(
        world.pretraining(),
        stated_features(world.stated, user_features),
        world.slates.embeddings,
        training_settings(settings, user_features),
        seed,
        head,
    )


def _deciding(settings: PrismSettings) -> tuple[str, ...]:
    fraction = ("pretrain_fraction",) if settings.split == "fraction" else ()
    return ("split", *fraction, "min_spread", *PRETRAINING)
