"""Paired comparisons at common seeds, and what many of them together may say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from pearl.errors import PearlError
from pearl.randomness import generator
from pearl.report.settings import DEFAULT, ReportSettings
from pearl.report.statistics import (
    FEWEST_FOR_BCA,
    Floats,
    Interval,
    Statistic,
    finite,
    interval,
    is_constant,
    trimmed_p_value,
)


@dataclass(frozen=True)
class Comparison:
    """The mean paired difference first - second over common seeds.

    `p_value` (two-sided) is None where no test is possible: one seed, or differences that are all
    the same. `test` names the test, "" where there is none.
    """

    difference: Interval
    p_value: float | None
    test: str


def compare(
    first: ArrayLike,
    second: ArrayLike,
    *,
    stream: str,
    settings: ReportSettings = DEFAULT,
    always_t: bool = False,
    statistic: Statistic = "mean",
) -> Comparison:
    """Compare two methods seed by seed: paired t test below 10 seeds, sign-flip test from 10 on.

    Of interquartile means Yuen's t test for trimmed means at any number of seeds.

    Args:
        first, second: one number a seed, shape (n,), the same seeds in the same order.
        stream: names the random stream of the bootstrap and of the sign flips.
        settings: confidence level and number of resamples.
        always_t: the paired t test at any number of seeds, as PEARL's paper has it.
        statistic: what is taken of the paired differences.
    """
    difference = _differences(first, second, stream)
    estimate = interval(difference, stream=stream, statistic=statistic, settings=settings)
    n = len(difference)
    if n == 1 or is_constant(difference):
        return Comparison(estimate, None, "")
    if statistic == "iqm":
        return Comparison(estimate, trimmed_p_value(difference), "trimmed t test")
    if always_t or n < FEWEST_FOR_BCA:
        p_value = float(stats.ttest_1samp(difference, 0.0).pvalue)
        return Comparison(estimate, p_value, "paired t test")
    drawn = stats.permutation_test(
        (difference,),
        lambda x, axis: np.mean(x, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=settings.resamples,
        rng=generator(0, f"report/permutation/{stream}"),
    )
    return Comparison(estimate, float(drawn.pvalue), "paired permutation test")


def parity(
    first: ArrayLike, second: ArrayLike, *, margin: float, stream: str = "parity"
) -> float | None:
    """Return the p-value of two one-sided paired t tests of |mean difference| < `margin`.

    It is the larger of the two. None where no test is possible: one seed, or differences that are
    all the same.

    Args:
        first, second: one number a seed, shape (n,), the same seeds in the same order.
        margin: in the unit of the numbers compared, > 0.
        stream: names the comparison in errors.
    """
    if margin <= 0:
        raise ValueError(f"margin must be > 0, got {margin}")
    difference = _differences(first, second, stream)
    if len(difference) == 1 or is_constant(difference):
        return None
    above = stats.ttest_1samp(difference, -margin, alternative="greater").pvalue
    below = stats.ttest_1samp(difference, margin, alternative="less").pvalue
    return float(max(above, below))


def adjust(p_values: Sequence[float | None]) -> tuple[list[float | None], int]:
    """Return Benjamini-Hochberg q-values of one family and m, the number of tests in it.

    A comparison without a p-value stays without a q-value and doesn't count.
    """
    tested = [p for p in p_values if p is not None]
    if not tested:
        return [None] * len(p_values), 0
    adjusted = iter(stats.false_discovery_control(tested, method="bh").tolist())
    return [None if p is None else next(adjusted) for p in p_values], len(tested)


def _differences(first: ArrayLike, second: ArrayLike, name: str) -> Floats:
    a, b = finite(first, name), finite(second, name)
    if a.shape != b.shape:
        raise PearlError(f"{name}: pairs need the same seeds, got {len(a)} and {len(b)}.")
    return a - b
