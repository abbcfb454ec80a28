"""Means and the like, summed exactly, so that they are the same number on every machine."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum, sqrt

import numpy as np
from numpy.typing import NDArray

Numbers = Sequence[int | float] | NDArray[np.int64] | NDArray[np.float64]


def mean(values: Numbers) -> float:
    """Return the mean; 0 of nothing."""
    return fsum(values) / len(values) if len(values) else 0.0


def sd(values: Numbers) -> float:
    """Return the standard deviation over n - 1; 0 of fewer than two values."""
    if len(values) < 2:
        return 0.0
    centre = mean(values)
    return sqrt(fsum((value - centre) ** 2 for value in values) / (len(values) - 1))


def correlation(one: Numbers, other: Numbers) -> float:
    """Return Pearson's correlation; 0 where one of the two is constant."""
    a, b = mean(one), mean(other)
    both = fsum((x - a) * (y - b) for x, y in zip(one, other, strict=True))
    spread = fsum((x - a) ** 2 for x in one) * fsum((y - b) ** 2 for y in other)
    return both / sqrt(spread) if spread > 0 else 0.0


def quantile(values: Numbers, level: float) -> float:
    """Return a quantile, linear between the ordered values."""
    return float(np.quantile(np.asarray(values, dtype=np.float64), level)) if len(values) else 0.0


def least_squares(columns: Sequence[Numbers], outcome: Numbers) -> tuple[list[float], float]:
    """Regress an outcome on a constant and columns; return the coefficients and R squared.

    A column that adds nothing to those before it gets the coefficient 0.
    """
    centred = [_centred(column) for column in (*columns, outcome)]
    size = len(columns)
    table = [[fsum(map(float.__mul__, a, b)) for b in centred] for a in centred[:size]]
    for pivot in range(size):
        if table[pivot][pivot] <= 1e-9:
            table[pivot] = [0.0] * (size + 1)
            continue
        table[pivot] = [value / table[pivot][pivot] for value in table[pivot]]
        for row in range(size):
            if row != pivot:
                factor = table[row][pivot]
                table[row] = [a - factor * b for a, b in zip(table[row], table[pivot], strict=True)]
    slopes = [row[size] for row in table]
    total = fsum(value**2 for value in centred[-1])
    fitted = (fsum(map(float.__mul__, column, centred[-1])) for column in centred[:size])
    explained = fsum(slope * part for slope, part in zip(slopes, fitted, strict=True))
    return slopes, explained / total if total > 0 else 0.0


def _centred(values: Numbers) -> list[float]:
    centre = mean(values)
    return [value - centre for value in values]
