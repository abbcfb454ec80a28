"""The radius of the ridge estimate's confidence ellipsoid."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class ConfidenceRadius:
    """beta of Algorithm 1: the radius of the ridge estimate's confidence ellipsoid.

    beta = sqrt(lambda) S + sigma sqrt(2 log(1/delta) + d log(1 + n R^2 / (lambda d))).
    """

    dimension: int
    regularization: float
    norm_bound: float
    feature_bound: float
    noise: float
    delta: float

    def at(self, rounds: int) -> float:
        """Return the radius for n = `rounds` >= 0.

        RSM-LinUCB takes the round tau at which an episode starts, literally; OFUL-memory the
        informative rounds used.
        """
        growth = rounds * self.feature_bound**2 / (self.regularization * self.dimension)
        spread = 2 * math.log(1 / self.delta) + self.dimension * math.log1p(growth)
        return math.sqrt(self.regularization) * self.norm_bound + self.noise * math.sqrt(spread)
