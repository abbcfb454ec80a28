"""The estimators with full matrices, for the round-by-round learners."""

from __future__ import annotations

import math
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pearl.environments.run_length import RunLength
from pearl.memory.mirror_descent import MirrorDescent
from pearl.memory.radius import ConfidenceRadius
from pearl.memory.run_length_method import RunLengthMethod
from pearl.simulation.run_length_events import descent_radius

Vector = NDArray[np.float64]


class Estimator(Protocol):
    """What is known of theta*, and how surely."""

    rounds: int
    """Informative rounds used."""

    def update(self, feature: Vector, reward: float) -> None:
        """Take in a round."""

    def score(self, feature: Vector, round_: int) -> float:
        """Return the optimistic reward, not clipped; `round_` is what beta takes for n."""


class Ridge:
    """V = lambda I + sum x x' and b = sum y x."""

    def __init__(self, instance: RunLength, delta: float) -> None:
        self.radius = ConfidenceRadius(
            dimension=instance.dimension,
            regularization=instance.regularization,
            norm_bound=instance.norm_bound,
            feature_bound=instance.feature_bound,
            noise=instance.noise,
            delta=delta,
        )
        self.gram = instance.regularization * np.eye(instance.dimension)
        self.response = np.zeros(instance.dimension)
        self.rounds = 0

    def update(self, feature: Vector, reward: float) -> None:
        """Add a round to V and b."""
        self.gram += np.outer(feature, feature)
        self.response += reward * feature
        self.rounds += bool(feature.any())

    def score(self, feature: Vector, round_: int) -> float:
        """Return x'theta + beta |x| in the norm of V^-1."""
        estimate = feature @ np.linalg.solve(self.gram, self.response)
        width = math.sqrt(float(feature @ np.linalg.solve(self.gram, feature)))
        return float(estimate + self.radius.at(round_) * width)

    def log_determinant(self) -> float:
        """Return log det V."""
        return float(np.linalg.slogdet(self.gram)[1])


class Descent(MirrorDescent):
    """Mirror descent with GLBM-SCB's radius."""

    def __init__(self, instance: RunLength, method: RunLengthMethod, length: int) -> None:
        self.radius = descent_radius(instance, method, length)
        super().__init__(
            instance.dimension, self.radius.regularization, instance.norm_bound, instance.noise
        )

    def score(self, feature: Vector, round_: int) -> float:
        """Return x'theta + beta |x| in the norm of H^-1."""
        return float(feature @ self.estimate) + self.radius.at(round_) * self.width(feature)


def paying_scores(instance: RunLength, estimator: Estimator, round_: int) -> Vector:
    """Return float64[d]: the score of every action where it follows M times itself."""
    arms = range(instance.dimension)
    features = [instance.feature([arm] * instance.memory, arm) for arm in arms]
    return np.array([estimator.score(feature, round_) for feature in features])
