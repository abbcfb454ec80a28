"""A policy as arrays, and back: what a file or a model registry keeps of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pearl.bandits.memory import Memory
from pearl.bandits.method import BanditMethod
from pearl.bandits.network import Adam, TrainingSettings, Weights
from pearl.bandits.policy import Policy
from pearl.bandits.state import State
from pearl.errors import SettingError

FORMAT = 2


def to_arrays(policy: Policy) -> dict[str, NDArray[Any]]:
    """Return all that the policy is, as arrays of numbers and text (numpy.savez takes them)."""
    arrays: dict[str, NDArray[Any]] = {
        "format": np.array(FORMAT),
        "method": np.array(policy.method.model_dump_json()),
        "training": np.array(policy.training.model_dump_json()),
        "counts": np.array(
            [
                policy.seed,
                policy.update_interval or 0,
                policy.max_observations,
                policy.interactions,
                policy.updates,
            ]
        ),
        "stated": policy.stated,
        "adam/steps": policy.adam.steps,
        **{f"memory/{name}": value for name, value in policy.memory.to_arrays().items()},
    }
    for name, part in (
        ("state", policy.state),
        ("weights", policy.weights),
        ("adam/m", policy.adam.m),
        ("adam/v", policy.adam.v),
    ):
        arrays |= {f"{name}/{key}": value for key, value in part._asdict().items()}
    return {name: array.copy() for name, array in arrays.items()}


def from_arrays(arrays: Mapping[str, NDArray[Any]]) -> Policy:
    """Return the policy that `to_arrays` wrote.

    Raises:
        SettingError: something is missing, or written by another version.
    """
    try:
        if int(arrays["format"]) != FORMAT:
            raise SettingError(
                f"The policy has format {int(arrays['format'])}; this version reads {FORMAT}."
            )
        seed, interval, most, interactions, updates = arrays["counts"].tolist()
        weights, m, v = (
            Weights(*(arrays[f"{part}/{name}"] for name in Weights._fields))
            for part in ("weights", "adam/m", "adam/v")
        )
        method = BanditMethod.model_validate_json(str(arrays["method"]))
        # A^-1 comes from the arrays: the prior that some methods ask for needn't be made again
        nothing = np.empty(0, dtype=np.int64), arrays["memory/arms"][:0]
        policy = Policy(
            method,
            weights,
            arrays["stated"],
            TrainingSettings.model_validate_json(str(arrays["training"])),
            seed=seed,
            update_interval=interval or None,
            max_observations=most,
            adam=Adam(m, v, arrays["adam/steps"]),
            prior=None if method.prior == "empty" else nothing,
        )
        policy.interactions, policy.updates = interactions, updates
        policy.state = State(*(arrays[f"state/{name}"].copy() for name in State._fields))
        policy.memory = Memory.from_arrays(
            {name: arrays[f"memory/{name}"] for name in Memory.names()}
        )
    except KeyError as error:
        raise SettingError(
            f"The policy's arrays lack {error}.", remedy="Write them with saved_policy.to_arrays."
        ) from error
    return policy
