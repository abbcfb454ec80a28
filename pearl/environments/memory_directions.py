"""The direction u of theta* = S u, which the run-length and the additive instance share.

The paper says only that u is a fixed nonnegative unit vector, and how its entries are spread
decides by how much methods differ. So the direction is a setting, with four shapes.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

Direction = Literal["normal", "linear", "spike", "geometric"]


def unit_direction(shape: Direction, dimension: int) -> NDArray[np.float64]:
    """Return u, float64[d], nonnegative and of norm 1.

    Except for "normal" the largest entry is the last, where ties to the lowest index don't help.

    Args:
        shape: normal: |N(0, 1)|, drawn once by numpy's default_rng(0); linear: proportional to
            1, 2, ..., d; spike: one entry alone; geometric: each entry twice the one before.
        dimension: d >= 1.
    """
    if shape == "normal":
        entries = np.abs(np.random.default_rng(0).standard_normal(dimension))
    elif shape == "linear":
        entries = np.arange(1.0, dimension + 1)
    elif shape == "spike":
        entries = np.eye(dimension)[-1]
    else:
        entries = np.exp2(np.arange(1.0 - dimension, 1.0))
    return np.asarray(entries / np.linalg.norm(entries))
