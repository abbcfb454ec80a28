"""A policy as arrays, and back: what a file or a model registry keeps of it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pearl.bandits.memory import Memory
from pearl.bandits.method import BanditMethod
from pearl.bandits.network import Adam, TrainingSettings, Weights
from pearl.bandits.policy import Policy
from pearl.bandits.policy_checks import MOST, check_memory, check_state, features32, shape_of
from pearl.bandits.state import State
from pearl.errors import SettingError
from pearl.words import Model, validated

FORMAT = 2
_REMEDY = "Write them with saved_policy.to_arrays, and keep the file as it was written."


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

    Args:
        arrays: a mapping of them, such as numpy.load makes of a file.

    Raises:
        SettingError: something is missing, damaged, written by another version, or fits nothing
            else; it names the array.
    """
    try:
        return _policy(_Reader(arrays))
    except (ValueError, MemoryError, OverflowError) as error:
        raise SettingError(f"These arrays are no policy: {error}.", remedy=_REMEDY) from error


class _Reader:
    """Arrays as read: what a file can't give is refused by name."""

    def __init__(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        self._arrays = arrays

    def array(self, name: str) -> NDArray[Any]:
        try:
            array = self._arrays[name]
        except KeyError as error:
            raise SettingError(f"The policy's arrays lack {error}.", remedy=_REMEDY) from error
        except Exception as error:  # zipfile, zlib and numpy raise nearly anything at damage
            raise SettingError(
                f"The policy's array {name!r} can't be read: {error}", remedy=_REMEDY
            ) from error
        if type(array) is not np.ndarray:
            raise ValueError(f"{name} isn't a plain numpy array but {type(array).__name__}")
        return array

    def parts(self, name: str, fields: Iterable[str]) -> list[NDArray[Any]]:
        return [self.array(f"{name}/{field}") for field in fields]

    def counts(self, name: str, *shape: int) -> list[int]:
        """Return whole numbers from 0; one for a shape without axes."""
        array = self.array(name)
        if array.dtype.kind not in "iu" or array.shape != shape or (array < 0).any():
            raise ValueError(f"{name} has to hold whole numbers from 0 in the shape {shape}")
        numbers: list[int] = array.reshape(-1).tolist()
        return numbers

    def model(self, name: str, kind: type[Model]) -> Model:
        array = self.array(name)
        if array.dtype.kind != "U" or array.shape != ():
            raise ValueError(f"{name} has to hold a text")
        try:
            content = json.loads(str(array))
        except (ValueError, RecursionError):
            raise ValueError(f"{name} isn't JSON") from None
        return validated(kind, content, f"The policy's {name}")


def _policy(read: _Reader) -> Policy:
    (version,) = read.counts("format")
    if version != FORMAT:
        raise SettingError(
            f"The policy has format {version}; this version reads {FORMAT}.",
            remedy="Read it with the version of pearl that wrote it.",
        )
    seed, interval, most, interactions, updates = read.counts("counts", 5)
    if max(interactions, updates) > MOST or most == 0:
        raise ValueError("counts are beyond what can be counted")
    weights, m, v = (
        Weights(*read.parts(name, Weights._fields)) for name in ("weights", "adam/m", "adam/v")
    )
    method = read.model("method", BanditMethod)
    stated = features32("stated", read.array("stated"), None, None)
    # A^-1 comes from the arrays: the prior that some methods ask for needn't be made again
    arm = shape_of(weights, stated).arm
    nothing = np.empty(0, dtype=np.int64), np.empty((0, arm), dtype=np.float32)
    policy = Policy(
        method,
        weights,
        stated,
        read.model("training", TrainingSettings),
        seed=seed,
        update_interval=interval or None,
        max_observations=most,
        adam=Adam(m, v, read.array("adam/steps")),
        prior=None if method.prior == "empty" else nothing,
    )
    state = State(*(array.copy() for array in read.parts("state", State._fields)))
    check_state(state, policy.state)
    (seen,) = read.counts("memory/seen")
    held = {name: read.array(f"memory/{name}") for name in Memory.names()}
    memory = Memory.from_arrays(held | {"seen": np.array(seen)})
    check_memory(memory, policy.memory, len(stated), interactions if method.online else 0)
    policy.interactions, policy.updates = interactions, updates
    policy.state, policy.memory = state, memory
    return policy
