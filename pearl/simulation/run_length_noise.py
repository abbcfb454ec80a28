"""The noise of a seed as prefix sums, kept for the runs that follow in the same process."""

from __future__ import annotations

from collections import OrderedDict

import numpy as np
from numpy.typing import NDArray

from pearl.environments.run_length import standard_noise

Vector = NDArray[np.float64]

MOST_NUMBERS = 2**25
"""Numbers kept in all, 256 MB: the thirty seeds of a sweep at T = 1e6."""

_kept: OrderedDict[tuple[int, int], Vector] = OrderedDict()


def noise_sums(seed: int, horizon: int) -> Vector:
    """Return float64[T + 1], read-only: 0 and the sums of the noise over sigma to each round."""
    key = seed, horizon
    if key in _kept:
        _kept.move_to_end(key)
        return _kept[key]
    sums = np.concatenate([[0.0], np.cumsum(standard_noise(seed, horizon))])
    sums.setflags(write=False)
    _kept[key] = sums
    while len(_kept) > 1 and sum(map(len, _kept.values())) > MOST_NUMBERS:
        _kept.popitem(last=False)
    return sums
