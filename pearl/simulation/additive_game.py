"""What every loop over the additive instance shares: the noise, the radius and the regret."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pearl.environments.additive import Additive
from pearl.memory.additive_method import AdditiveMethod
from pearl.memory.additive_planner import Plan
from pearl.memory.block_length import block_length
from pearl.memory.mirror_descent import MirrorDescentRadius, slope_regularization
from pearl.memory.radius import ConfidenceRadius
from pearl.simulation.trajectory import Fact, Trajectory

Vector = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Game:
    """An instance and one seed's noise (float64[T])."""

    instance: Additive
    noise: Vector

    @classmethod
    def of(cls, instance: Additive, seed: int, horizon: int) -> Game:
        """Draw the noise of `horizon` rounds."""
        return cls(instance, instance.noises(seed, horizon))

    @property
    def horizon(self) -> int:
        """T."""
        return len(self.noise)

    def radius(self, method: AdditiveMethod) -> ConfidenceRadius:
        """Return beta of a ridge estimate."""
        instance = self.instance
        return ConfidenceRadius(
            dimension=instance.dimension,
            regularization=instance.regularization,
            norm_bound=instance.norm_bound,
            feature_bound=instance.feature_bound,
            noise=instance.noise,
            delta=method.delta,
        )

    def informative(self, method: AdditiveMethod) -> int:
        """Return L of a method with blocks."""
        if method.block is None:
            raise ValueError(f"switching {method.switching} has no blocks")
        instance = self.instance
        return block_length(
            method.block,
            memory=instance.memory,
            horizon=self.horizon,
            dimension=instance.dimension,
        )

    def mirror_radius(self, method: AdditiveMethod) -> MirrorDescentRadius:
        """Return beta of mirror descent with lambda = L / d; its `regularization` is H_1's."""
        instance = self.instance
        return MirrorDescentRadius(
            dimension=instance.dimension,
            regularization=slope_regularization(
                method.unit, self.informative(method) / instance.dimension, instance.noise
            ),
            norm_bound=instance.norm_bound,
            feature_bound=instance.feature_bound,
            noise=instance.noise,
            delta=method.delta,
        )

    def trajectory(
        self, means: Vector, starts: list[int], episodes: int, extra: Mapping[str, Fact]
    ) -> Trajectory:
        """Return the finished run of the mean rewards float64[T]."""
        best = self.instance.optimal_rewards(self.horizon)
        regret = np.cumsum(best - means)
        facts: dict[str, Fact] = {
            "final_regret": float(regret[-1]),
            "optimum": float(best.sum()),
            "episodes": episodes,
            "instance/memory": self.instance.memory,
            "instance/feature_bound": self.instance.feature_bound,
            "instance/norm_bound": self.instance.norm_bound,
            "instance/theta_star_norm": float(np.linalg.norm(self.instance.theta_star)),
            "instance/regularization": self.instance.regularization,
        }
        return Trajectory(regret, np.array(starts, dtype=np.int64), {**facts, **extra})


def plan_facts(plans: list[Plan], instance: Additive) -> dict[str, Fact]:
    """Return how the plans stand to the exact constant action, and how often the clip binds.

    plans/steady_share: a plan's steady optimistic reward as a share of the largest possible one,
    mean and least; plans/capped_share: plans whose largest one is above the clip at R S.
    """
    shares = [plan.steady_score / (instance.feature_bound * plan.exact_length) for plan in plans]
    capped = [plan.exact_length > instance.norm_bound for plan in plans]
    return {
        "plans/steady_share": float(np.mean(shares)),
        "plans/least_steady_share": float(np.min(shares)),
        "plans/capped_share": float(np.mean(capped)),
    }
