"""A pretrained network as named arrays, and how an environment's settings name its training."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pearl.bandits.network import (
    Adam,
    Floats32,
    TrainingSettings,
    Weights,
    initial_weights,
    new_adam,
)
from pearl.bandits.pretraining import pretrain
from pearl.environments.network_settings import TRAINING, NetworkSettings
from pearl.errors import SettingError
from pearl.simulation.pretrained_head import pretrained_head

Arrays = Mapping[str, NDArray[Any]]
LOSS = "loss"
"""Mean loss of the pairs in each pretraining epoch."""
_PARTS = {"weights": "weights", "m": "adam.m", "v": "adam.v"}
_STEPS = "adam.steps"


def training_settings(settings: NetworkSettings, user_features: bool) -> TrainingSettings:
    """Return the training's settings; without user features nothing is embedded."""
    named = {name: getattr(settings, name) for name in TRAINING}
    return TrainingSettings.model_validate(named if user_features else named | {"embedding": 0})


def stated_features(stated: Floats32, user_features: bool) -> Floats32:
    """Return float32[U, S], the stated features that the network sees: S = 0 without them."""
    return stated if user_features else np.ascontiguousarray(stated[:, :0])


def pretrained_arrays(
    slates: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]],
    stated: Floats32,
    embeddings: Floats32,
    training: TrainingSettings,
    seed: int,
    head: str = "mlp",
) -> dict[str, NDArray[Any]]:
    """Pretrain a network and return its weights, Adam's state and the loss by epoch.

    Args:
        slates: users int64[n], arms int64[n, K] (rows of `embeddings`), rewards float64[n, K].
        stated: float32[U, S].
        embeddings: float32[M, Z].
        training: its settings.
        seed: the run's seed.
        head: the method's reward head.
    """
    if head != "mlp":
        return pretrained_head(head, slates, stated, embeddings, training, seed)
    weights = initial_weights(training, len(stated), stated.shape[1], embeddings.shape[1], seed)
    adam = new_adam(weights)
    losses = pretrain(weights, stated, *slates, embeddings, training, seed, adam)
    arrays: dict[str, NDArray[Any]] = {
        f"{place}.{name}": array
        for place, part in zip(_PARTS.values(), (weights, adam.m, adam.v), strict=True)
        for name, array in part._asdict().items()
    }
    return arrays | {_STEPS: adam.steps, LOSS: losses}


def network_of(arrays: Arrays | None) -> tuple[Weights, Adam]:
    """Return copies of a pretrained network's weights and Adam's state, free to change.

    Raises:
        SettingError: there is no pretrained network, or arrays are missing from it.
    """
    if arrays is None:
        raise SettingError("The method has a network, and none that was pretrained is given.")
    try:
        parts = {
            part: Weights(*(np.array(arrays[f"{place}.{name}"]) for name in Weights._fields))
            for part, place in _PARTS.items()
        }
        return parts["weights"], Adam(parts["m"], parts["v"], np.array(arrays[_STEPS]))
    except KeyError as error:
        raise SettingError(f"The pretrained network lacks the array {error}.") from None
