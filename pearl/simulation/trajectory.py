"""What one run leaves behind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Fact = float | int | str


@dataclass(frozen=True, eq=False)
class Trajectory:
    """A run's regret curve, its episodes and what else was seen; every number is finite.

    Attributes:
        regret: float64[T], cumulative pseudo-regret OPT_t - sum of mean rewards after each round.
        episode_starts: int64, the rounds (from 1) at which a new plan was made; empty for a
            method that plans anew every round.
        facts: named scalars, all finite: final_regret, episodes and what the method adds.
        diagnostics: named floats that judge the arithmetic itself, such as an inverse's drift;
            they differ between machines and so are kept apart from the results.
        curves: float64[T] by name, further curves of the run, such as the mean reward to date;
            tables and MLflow show them thinned, as the regret.
        series: float64 arrays of any length by name, such as the mean reward of each epoch;
            kept and shown whole.
        users: float64[U] or float64[U, n] by name, one row a user, such as a user's summed reward
            in each epoch; kept in single precision, and in the results of the experiments that
            ask for them.
    """

    regret: NDArray[np.float64]
    episode_starts: NDArray[np.int64]
    facts: Mapping[str, Fact] = field(default_factory=dict)
    diagnostics: Mapping[str, float] = field(default_factory=dict)
    curves: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    series: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    users: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
