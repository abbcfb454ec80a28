"""Made-up rows of the PEARL family that tell of a few users, with numbers checked by hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Told = Mapping[str, NDArray[np.float64]]


def with_users(frame: pd.DataFrame, told: Callable[[Mapping[str, Any]], Told]) -> pd.DataFrame:
    """Return the rows with what `told` says of each user: arrays of one row a user."""
    found = [told(row) for row in frame.to_dict("records")]
    users = {len(array) for each in found for array in each.values()}
    assert len(users) == 1
    columns: dict[str, Any] = {
        f"user.{name}": [each[name].reshape(-1).astype(np.float32) for each in found]
        for name in found[0]
    }
    columns["metric.instance/users"] = [users.copy().pop()] * len(frame)
    return frame.assign(**columns)


def constant(values: Any, count: Any, epochs: int = 10) -> NDArray[np.float64]:
    """Return sums (U, E) of users whose mean is `values` in every epoch of `count` interactions."""
    return np.repeat((np.asarray(values) * np.asarray(count))[:, None], epochs, axis=1).astype(
        float
    )


def counted(count: Any, epochs: int = 10) -> NDArray[np.float64]:
    """Return interactions (U, E) of users that have as many in each epoch."""
    return constant(np.ones(len(count)), count, epochs)
