"""What a policy is made of and asked, checked: the compiled step looks at no bounds itself.

Whatever is wrong is a ValueError (TypeError: no number at all) of one sentence that names the
array, as bandits.saved_policy names it, or the argument.
"""

from __future__ import annotations

import math
import operator
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pearl.bandits.draws import Ints
from pearl.bandits.memory import Memory
from pearl.bandits.network import Adam, Floats32, Weights
from pearl.bandits.state import Scratch, State

LARGEST = 1e18
"""Of features, stated or of arms, and weights: squares of larger ones don't fit a float32."""
MOST = 2**53
"""Of what is counted."""
_STEEP = 1e10
_FINITE = float(np.finfo(np.float64).max)


class Shape(NamedTuple):
    """What the arrays of a policy have to fit."""

    users: int
    stated: int
    embedding: int
    arm: int
    hidden: int


def shape_of(weights: Weights, stated: Floats32) -> Shape:
    """Return the shape that `stated`, the users' embeddings and the first layer span."""
    _plain("weights/users", weights.users, 2)
    _plain("weights/w1", weights.w1, 2)
    users, inputs = stated.shape
    arm = len(weights.w1) - inputs - weights.users.shape[1]
    if users == 0:
        raise ValueError("stated holds no user")
    if len(weights.users) != users:
        raise ValueError(f"{users} users are stated, {len(weights.users)} embedded")
    if arm < 1:
        raise ValueError(
            f"weights/w1 has {len(weights.w1)} rows, which {inputs} stated features and"
            f" {weights.users.shape[1]} embedded ones leave none of for arms"
        )
    return Shape(users, inputs, weights.users.shape[1], arm, weights.w1.shape[1])


def check_weights(name: str, weights: Weights, shape: Shape) -> None:
    """Refuse weights, or moments of Adam, that aren't float32, C-contiguous, finite and in shape.

    Args:
        name: what they are: weights, adam/m, adam/v.
        weights: what is checked.
        shape: what they have to fit.
    """
    d = shape.hidden
    wanted = {
        "users": (shape.users, shape.embedding),
        "w1": (shape.stated + shape.embedding + shape.arm, d),
        "b1": (d,),
        "w2": (d, d),
        "b2": (d,),
        "head": (d,),
        "bias": (1,),
    }
    for part, array in weights._asdict().items():
        _check(f"{name}/{part}", array, np.float32, wanted[part])
        _within(f"{name}/{part}", array, -LARGEST, LARGEST)


def check_adam(adam: Adam, shape: Shape) -> None:
    """Refuse a state of Adam that doesn't belong to a network of this shape."""
    check_weights("adam/m", adam.m, shape)
    check_weights("adam/v", adam.v, shape)
    for part, array in adam.v._asdict().items():
        _within(f"adam/v/{part}", array, 0.0, LARGEST)
    _check("adam/steps", adam.steps, np.int64, (1,))
    _within("adam/steps", adam.steps, 0, MOST)


def check_state(state: State, fresh: State) -> None:
    """Refuse A^-1 and errors that aren't like the fresh ones in shape, or can't be any.

    Args:
        state: what is checked.
        fresh: what the same method starts with.
    """
    for part, array in state._asdict().items():
        like = getattr(fresh, part)
        _check(f"state/{part}", array, like.dtype, like.shape)
        if like.dtype.kind == "f":
            _within(f"state/{part}", array, -_FINITE, _FINITE)
    _within("state/errors", state.errors, 0.0, 1.0)
    if not np.array_equal(state.inverse, state.inverse.T):
        raise ValueError("state/inverse isn't symmetric")
    if not (np.diagonal(state.inverse) > 0.0).all():
        raise ValueError("state/inverse has a diagonal that isn't positive")
    if len(state.window):
        _within("state/held", state.held, 0, MOST)
        _within("state/held", state.held[:1], 0, len(state.window))
        _within("state/held", state.held[1:2], 0, len(state.window) - 1)


def check_memory(memory: Memory, fresh: Memory, users: int, seen: int) -> None:
    """Refuse observations that the policy can't have made.

    Args:
        memory: what is checked.
        fresh: what the same policy starts with.
        users: U.
        seen: how many observations it has to have seen.
    """
    for part in ("users", "arms", "rewards"):
        like = getattr(fresh, part)
        _check(f"memory/{part}", getattr(memory, part), like.dtype, like.shape)
    _within("memory/users", memory.users, 0, users - 1)
    _within("memory/arms", memory.arms, -LARGEST, LARGEST)
    _within("memory/rewards", memory.rewards, 0.0, 1.0)
    if memory.seen != seen:
        raise ValueError(f"memory/seen is {memory.seen}, where it has to be {seen}")


def check_answer(scratch: Scratch, ceiling: float) -> None:
    """Refuse arms whose features the network blows up until nothing can be told from A^-1.

    Args:
        scratch: what `select` left.
        ceiling: 1/lambda. With g'g / lambda above 1e10, lambda would drown in A's rounding.
    """
    used = np.arange(scratch.values.shape[1]) < scratch.counts[:, None]
    lengths = np.square(scratch.values, out=np.zeros(used.shape), where=used).sum(axis=1)
    if not lengths.max() * ceiling <= _STEEP:
        raise ValueError("an arm's features are too large for this network")
    if not math.isfinite(scratch.scores.sum() + scratch.variances.sum()):
        raise ValueError("the network's answer to these arms isn't finite")


def whole(name: str, value: object) -> int:
    """Return `value` as an int; TypeError unless it is one, True and False not counted."""
    try:
        if isinstance(value, bool | np.bool_):
            raise TypeError
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(f"{name} has to be a whole number, not {value!r}") from None


def user_row(user: object, users: int) -> int:
    """Return a user's row, 0 .. users - 1."""
    row = whole("user", user)
    if not 0 <= row < users:
        raise ValueError(f"user {row} isn't one of 0..{users - 1}")
    return row


def fraction(name: str, value: object) -> float:
    """Return a number of [0, 1]."""
    if not isinstance(value, Real):
        raise TypeError(f"a {name} is a number, not {value!r}")
    number: Any = value
    if not 0.0 <= number <= 1.0:
        raise ValueError(f"a {name} lies in [0, 1], not {value}")
    return float(number)


def features32(name: str, values: Any, *shape: int | None) -> Floats32:
    """Return features as float32 in C order, without a copy where they are; None: any length.

    Raises:
        ValueError: no real numbers, other axes than `shape`, values that aren't finite as float32
            or larger than LARGEST.
    """
    try:
        given = np.asarray(values)
    except ValueError:  # rows of different lengths
        raise ValueError(f"{name} can't be made an array") from None
    if given.dtype.kind not in "fiu":
        raise ValueError(f"the type of {name} is {given.dtype}, not real numbers")
    fits = given.ndim == len(shape) and all(
        wanted in (None, length) for length, wanted in zip(given.shape, shape, strict=True)
    )
    if not fits:
        axes = ", ".join("any" if wanted is None else str(wanted) for wanted in shape)
        raise ValueError(f"the shape of {name} is {given.shape}, not ({axes})")
    with np.errstate(over="ignore"):
        narrow: Floats32 = np.ascontiguousarray(given, dtype=np.float32)
    _within(name, narrow, -LARGEST, LARGEST)
    return narrow


def rows_of(name: str, values: Any, length: int, users: int) -> Ints:
    """Return users' rows (length,) as int64; ValueError where they are none."""
    given = np.asarray(values)
    if given.dtype.kind not in "iu" or given.shape != (length,):
        raise ValueError(
            f"{name} are {given.dtype} of shape {given.shape}, not whole numbers ({length},)"
        )
    _within(name, given, 0, users - 1)
    return np.ascontiguousarray(given, dtype=np.int64)


def _plain(name: str, array: object, axes: int) -> None:
    if type(array) is not np.ndarray:
        raise ValueError(f"{name} isn't a plain numpy array but {type(array).__name__}")
    if array.ndim != axes:
        raise ValueError(f"the shape of {name} is {array.shape}, not one of {axes} axes")


def _check(name: str, array: NDArray[Any], dtype: Any, shape: tuple[int, ...]) -> None:
    _plain(name, array, len(shape))
    if array.dtype != dtype:
        raise ValueError(f"the type of {name} is {array.dtype}, not {np.dtype(dtype)}")
    if array.shape != shape:
        raise ValueError(f"the shape of {name} is {array.shape}, not {shape}")
    if not array.flags.c_contiguous:
        raise ValueError(f"the layout of {name} isn't C-contiguous")


def _within(name: str, array: NDArray[Any], least: float, most: float) -> None:
    if not array.size:
        return
    low, high = array.min(), array.max()
    if least <= low and high <= most:  # not so where one of them is nan
        return
    if not np.isfinite(array).all():
        raise ValueError(f"not all of {name} is finite")
    raise ValueError(f"the values of {name} are {low} .. {high}, not all in {least} .. {most}")
