"""What a learner sees of "partial or global": latent vectors, or a network's last hidden layer.

The network is trained on rated arms before the first round and then left as it is: only so is V one
subspace. V is spanned by the differences of its features over pairs of arms that differ in nothing
but the shifted dimensions.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pearl.bandits.folding import fold
from pearl.bandits.network import TrainingSettings, Weights, initial_weights, new_adam
from pearl.bandits.step import features as hidden_features
from pearl.bandits.training import update
from pearl.environments.partial_global import Array, PartialGlobalWorld, combined, lengths
from pearl.environments.partial_global_settings import NETWORK, read_settings
from pearl.errors import SettingError
from pearl.simulation.partial_global_config import KIND, read_run
from pearl.simulation.partial_global_subspace import shifted_subspace

NO_STATED = np.empty((1, 0), dtype=np.float32)
LEARNING_RATE = 0.003


class Seen(NamedTuple):
    """What the learner sees of the rounds' arms."""

    features: Array
    """float64[T, K, n]; its first `in_v` coordinates span V."""
    in_v: int


def pretraining(config: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return what of a run's config decides its network; None where features need none.

    Raises:
        SettingError: the config has an unknown name or a value out of its range.
    """
    _, settings, _ = read_run(config)
    if settings.features != "neural":
        return None
    return {"kind": KIND, **{name: getattr(settings, name) for name in NETWORK}}


def pretrain(part: Mapping[str, Any], tables: Path, seed: int) -> dict[str, NDArray[Any]]:
    """Train the network on the arms rated before round 1, Eq. (4).

    Args:
        part: what `pretraining` returned.
        tables: not looked at.
        seed: the run's seed.

    Returns:
        weights.* and loss (float64, one an epoch).

    Raises:
        SettingError: `part` isn't such a part.
    """
    chosen = dict(part)
    if chosen.pop("kind", None) != KIND:
        raise SettingError(f"this pretrains for the environment {KIND!r}, not {part.get('kind')!r}")
    settings = read_settings({**chosen, "features": "neural", "shifted": 0, "active": 1})
    world = PartialGlobalWorld.of(settings, seed)
    latent, rewards = world.rated()
    training = TrainingSettings(
        hidden=settings.hidden, embedding=0, dropout=0.0, learning_rate=LEARNING_RATE
    )
    weights = initial_weights(training, 1, 0, settings.observed, seed)
    adam, arms = new_adam(weights), np.arange(len(latent))
    observed, users = world.observed(latent), np.zeros(len(latent), dtype=np.int64)
    losses = [
        update(weights, adam, NO_STATED, users, arms, rewards, None, observed, training, seed, n)
        for n in range(settings.pretrain_epochs)
    ]
    named: dict[str, NDArray[Any]] = {
        f"weights.{name}": array for name, array in weights._asdict().items()
    }
    return named | {"loss": np.array(losses)}


def seen(
    world: PartialGlobalWorld, latent: Array, pretrained: Mapping[str, NDArray[Any]] | None
) -> Seen:
    """Return the features of latent vectors (T, K, d), V's coordinates first.

    Raises:
        SettingError: the features are neural and no network is given.
    """
    settings = world.settings
    if settings.features != "neural":
        return Seen(latent, settings.shifted)
    if pretrained is None:
        raise SettingError("Neural features need a network, and none that was pretrained is given.")
    try:
        weights = Weights(*(np.array(pretrained[f"weights.{name}"]) for name in Weights._fields))
    except KeyError as error:
        raise SettingError(f"The pretrained network lacks the array {error}.") from None
    scale = typical_length(hidden(weights, world, world.rated()[0]))
    first, second = (hidden(weights, world, each) / scale for each in world.pairs())
    basis, in_v = shifted_subspace(first - second, settings.energy)
    g = hidden(weights, world, latent.reshape(-1, latent.shape[-1])) / scale
    return Seen(combined(g, basis).reshape(*latent.shape[:2], -1), in_v)


def hidden(weights: Weights, world: PartialGlobalWorld, latent: Array) -> Array:
    """Return g of latent vectors (n, d), float64[n, hidden]."""
    rows = np.arange(len(latent))
    folded = fold(weights, NO_STATED, world.observed(latent), rows)
    return hidden_features(folded, np.zeros(1), False, np.zeros(len(latent), dtype=np.int64))


def typical_length(g: Array) -> float:
    """Return the square root of the mean squared length, which becomes 1; summed in order."""
    squared = np.cumsum(lengths(g) ** 2)[-1] / len(g)
    return float(np.sqrt(squared)) or 1.0
