"""Interval estimates over seeds: which one, by which method, and when there is none."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from pearl.errors import PearlError
from pearl.randomness import generator
from pearl.report.settings import DEFAULT, ReportSettings

Statistic = Literal["mean", "iqm"]
Floats = NDArray[np.float64]

FEWEST_FOR_BCA = 10  # below it BCa covers too little: 73% instead of 95% at n = 3
TRIM = 0.25


@dataclass(frozen=True)
class Interval:
    """An estimate with its confidence interval over `n` seeds.

    `method` is "BCa", "percentile", "Student t", "degenerate" (every seed gave the same value:
    low = high = estimate) or "none" (one seed; low and high are None).
    """

    estimate: float
    low: float | None
    high: float | None
    method: str
    n: int

    @property
    def half_width(self) -> float | None:
        """Half the interval's length, None where there is no interval."""
        if self.low is None or self.high is None:
            return None
        return (self.high - self.low) / 2


def interval(
    values: ArrayLike,
    *,
    stream: str,
    statistic: Statistic = "mean",
    settings: ReportSettings = DEFAULT,
) -> Interval:
    """Estimate the mean or the interquartile mean of seeds, with its confidence interval.

    BCa (seeds resampled) from 10 seeds on, Student t below. Where BCa is undefined (a jackknife
    that doesn't vary) the percentile interval of the same resamples stands in and is named.

    Args:
        values: one finite number a seed, shape (n,), n >= 1.
        stream: names the bootstrap's random stream, so that a table's cells don't share draws.
        statistic: "mean", or "iqm" = the 25% trimmed mean.
        settings: confidence level and number of resamples.

    Raises:
        PearlError: no value, or one that isn't finite.
    """
    x = finite(values, stream)
    n = len(x)
    estimate = float(_iqm(x) if statistic == "iqm" else np.mean(x))
    if n == 1:
        return Interval(estimate, None, None, "none", n)
    if is_constant(x):
        value = float(x[0])
        return Interval(value, value, value, "degenerate", n)
    if n < FEWEST_FOR_BCA:
        reach = _t_reach(x, TRIM if statistic == "iqm" else 0.0, settings.confidence)
        return Interval(estimate, estimate - reach, estimate + reach, "Student t", n)
    return _bootstrap(x, _iqm if statistic == "iqm" else _mean, estimate, stream, settings)


def effect_size(
    differences: ArrayLike, *, stream: str, settings: ReportSettings = DEFAULT
) -> Interval | None:
    """Estimate the standardised mean of paired differences, d = mean / standard deviation.

    BCa from 10 seeds on; below there is no interval. None for one seed or equal differences.
    """
    x = finite(differences, stream)
    if len(x) == 1 or is_constant(x):
        return None
    d = float(_effect(x))
    if len(x) < FEWEST_FOR_BCA:
        return Interval(d, None, None, "none", len(x))
    return _bootstrap(x, _effect, d, stream, settings)


def finite(values: ArrayLike, name: str) -> Floats:
    """Return `values` as float64[n], n >= 1; refuse NaN and infinities."""
    x = np.asarray(values, dtype=np.float64)
    if x.ndim != 1 or len(x) == 0:
        raise PearlError(f"{name}: one number a seed is needed, got an array of shape {x.shape}.")
    if not np.isfinite(x).all():
        raise PearlError(
            f"{name}: {int((~np.isfinite(x)).sum())} of {len(x)} seeds have no finite value.",
            remedy="A diverged run can't be averaged; find it with `pearl runs list`.",
        )
    return x


def is_constant(x: Floats) -> bool:
    """Say whether the values agree up to rounding."""
    return bool(np.ptp(x) <= 8 * np.finfo(np.float64).eps * np.max(np.abs(x)))


def _mean(x: Floats, axis: int = -1) -> Floats:
    return np.asarray(np.mean(x, axis=axis))


def _iqm(x: Floats, axis: int = -1) -> Floats:
    return np.asarray(stats.trim_mean(x, TRIM, axis=axis))


def _effect(x: Floats, axis: int = -1) -> Floats:
    return np.asarray(np.mean(x, axis=axis) / np.std(x, axis=axis, ddof=1))


def _t_reach(x: Floats, trim: float, confidence: float) -> float:
    """Return the half-width for a trimmed mean; trim = 0 is Student's."""
    error, kept = _trimmed_error(x, trim)
    return float(stats.t.ppf((1 + confidence) / 2, kept - 1) * error)


def trimmed_p_value(x: Floats) -> float | None:
    """Return the two-sided p-value of the interquartile mean against 0 (Yuen's one-sample test).

    None where what is kept of the seeds, or all of them, doesn't vary.
    """
    error, kept = _trimmed_error(x, TRIM)
    if kept < 2 or error == 0:
        return None
    return float(2 * stats.t.sf(abs(float(_iqm(x))) / error, kept - 1))


def _trimmed_error(x: Floats, trim: float) -> tuple[float, int]:
    """Return a trimmed mean's standard error (Tukey and McLaughlin) and how many seeds it keeps.

    trim = 0 is Student's.
    """
    n = len(x)
    cut = int(trim * n)
    kept = n - 2 * cut
    winsorized = np.sort(x)
    winsorized[:cut] = winsorized[cut]
    winsorized[n - cut :] = winsorized[n - cut - 1]
    squares = float(np.sum((winsorized - winsorized.mean()) ** 2))
    return float(np.sqrt(squares / (kept * (kept - 1)))), kept


def _bootstrap(
    x: Floats,
    statistic: Callable[..., Floats],
    at: float,
    stream: str,
    settings: ReportSettings,
) -> Interval:
    methods: tuple[Literal["BCa", "percentile"], ...] = ("BCa", "percentile")
    for method in methods:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore", stats.DegenerateDataWarning)
            drawn = stats.bootstrap(
                (x,),
                statistic,
                n_resamples=settings.resamples,
                confidence_level=settings.confidence,
                method=method,
                rng=generator(0, f"report/bootstrap/{stream}"),
            ).confidence_interval
        if np.isfinite(drawn.low) and np.isfinite(drawn.high):
            return Interval(at, float(drawn.low), float(drawn.high), method, len(x))
    raise PearlError(f"{stream}: the bootstrap gave no finite interval.")
