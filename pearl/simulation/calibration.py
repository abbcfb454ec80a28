"""How well predicted means meet observed rewards: ECE and reliability (Section 22)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
BINS = 10


@dataclass(frozen=True, eq=False)
class Calibration:
    """Ten equal bins of predicted means on [0, 1]; an empty bin holds 0 and counts nothing.

    Attributes:
        predicted: float64[10], mean prediction.
        observed: float64[10], mean reward.
        count: float64[10], predictions.
        ece: sum over bins of (count / n) |predicted - observed|.
        ece_floor: what ECE is expected to be for a model without bias: rewards normal with mean
            mu and the measured sd of the residuals. A bin of n predictions then errs by
            sd sqrt(2 / (pi n)) on average.
    """

    predicted: Array
    observed: Array
    count: Array
    ece: float
    ece_floor: float


def calibration(mean: Array, reward: Array) -> Calibration:
    """Compare predictions with rewards.

    Args:
        mean: float64[n], the chosen arms' predicted means mu in [0, 1], before their updates;
            n >= 1. A prediction of 1 belongs to the last bin.
        reward: float64[n], observed.
    """
    place = np.minimum((mean * BINS).astype(np.int64), BINS - 1)
    count = np.bincount(place, minlength=BINS).astype(np.float64)
    some = np.maximum(count, 1)
    predicted = np.bincount(place, weights=mean, minlength=BINS) / some
    observed = np.bincount(place, weights=reward, minlength=BINS) / some
    residual = reward - mean
    bias = math.fsum(residual) / len(mean)
    spread = math.sqrt(math.fsum((residual - bias) ** 2) / len(mean))
    noise = spread * np.sqrt(2 / (math.pi * some))
    return Calibration(
        predicted,
        observed,
        count,
        ece=math.fsum(count * np.abs(predicted - observed)) / len(mean),
        ece_floor=math.fsum(count * noise) / len(mean),
    )


def last_tenth(rounds: int) -> slice:
    """Return the last 10% of `rounds` interactions, at least one."""
    return slice(rounds - max(1, rounds // 10), rounds)
