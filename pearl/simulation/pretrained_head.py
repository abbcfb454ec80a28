"""A pretrained reward head as named arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pearl.bandits.heads.network import Adam
from pearl.bandits.heads.parts import Features, Model, Slates
from pearl.bandits.heads.registry import HEADS
from pearl.bandits.network import Floats32, TrainingSettings
from pearl.errors import SettingError

_WEIGHTS, _M, _V, _STEPS = "weights.", "adam.m.", "adam.v.", "adam.steps."


def pretrained_head(
    name: str,
    slates: Slates,
    stated: Floats32,
    embeddings: Floats32,
    training: TrainingSettings,
    seed: int,
) -> dict[str, NDArray[Any]]:
    """Pretrain the head of that name; return its parameters, Adam's state and the loss by epoch.

    Args:
        name: one of heads.registry.HEADS.
        slates: users int64[n], arms int64[n, K] (rows of `embeddings`), rewards float64[n, K].
        stated: float32[U, S].
        embeddings: float32[M, Z].
        training: its settings.
        seed: the run's seed.
    """
    head, known = HEADS[name], Features(stated, embeddings)
    model = head.start(training, len(stated), stated.shape[1], embeddings.shape[1], seed)
    losses = head.pretrain(model, slates, known, training, seed)
    arrays: dict[str, NDArray[Any]] = {"loss": losses}
    for part, values in ((_WEIGHTS, model.parameters), (_M, model.adam.m), (_V, model.adam.v)):
        arrays |= {part + each: array for each, array in values.items()}
    return arrays | {_STEPS + each: np.array([n]) for each, n in model.adam.steps.items()}


def model_of(name: str, arrays: Mapping[str, NDArray[Any]] | None, fresh_adam: bool) -> Model:
    """Return copies of a pretrained head's parameters, free to change, and Adam's state.

    Args:
        name: which head it must be.
        arrays: what `pretrained_head` returned.
        fresh_adam: whether Adam starts anew.

    Raises:
        SettingError: there is no pretrained head, or arrays are missing from it.
    """
    if arrays is None:
        raise SettingError("The method has a network, and none that was pretrained is given.")
    names = HEADS[name].parameters()
    try:
        p, m, v = (
            {each: np.array(arrays[part + each]) for each in names} for part in (_WEIGHTS, _M, _V)
        )
        steps = {each: int(arrays[_STEPS + each][0]) for each in names}
    except KeyError as error:
        raise SettingError(f"The pretrained network lacks the array {error}.") from None
    if fresh_adam:
        for values in (*m.values(), *v.values()):
            values[...] = 0
        steps = dict.fromkeys(steps, 0)
    return Model(p, Adam(m, v, steps))
