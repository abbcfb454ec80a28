"""Plans for the additive instance: a sequence of actions that is repeated until the next plan."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pearl.memory.additive_method import AdditiveMethod
from pearl.memory.farthest_point import EVEN, farthest_point, widest_direction
from pearl.memory.periodic_ascent import Landscape, Weights
from pearl.randomness import generator

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Belief:
    """A confidence ellipsoid: {theta : |theta - estimate| <= radius in the norm of spread^-1}."""

    estimate: Vector
    """d."""
    spread: Matrix
    """V^-1 or H^-1 (d x d)."""
    radius: float
    """beta."""

    def scores(self, features: Matrix) -> Vector:
        """Return x'theta + beta |x| in the norm of `spread` for features as rows (n x d)."""
        widths = np.einsum("nd,de,ne->n", features, self.spread, features)
        return np.asarray(features @ self.estimate + self.radius * np.sqrt(widths))


@dataclass(frozen=True, eq=False)
class Plan:
    """What is played until the next plan, and what the exact planner says to it."""

    cycle: Matrix
    """n x d, repeated; n = 1 or M."""
    exact_length: float
    """|theta~|: R times it is the largest optimistic reward that any round can have."""
    steady_score: float
    """Its optimistic reward once it fills the memory, by the weights of the later passes."""


class Planner:
    """Makes one run's plans in turn; the previous one is among the next ascent's starts.

    Args:
        method: planner ascent or constant_action.
        scale: R / (M + 1).
        weights: what each round of a plan counts.
        seed: the run's; random starts are drawn from the policy's own stream.
    """

    def __init__(self, method: AdditiveMethod, scale: float, weights: Weights, seed: int) -> None:
        self.method = method
        self.scale = scale
        self.weights = weights
        self.seed = seed
        self.made = 0
        self._previous: Matrix | None = None

    def plan(self, history: Matrix, belief: Belief) -> Plan:
        """Return the next plan, for the last M actions as rows, oldest first."""
        farthest = farthest_point(belief.estimate, belief.spread, belief.radius)
        length = float(np.linalg.norm(farthest))
        if self.method.planner == "constant_action":
            cycle = (farthest / length)[np.newaxis]
        else:
            cycle = self._climbed(history, belief)
            self._previous = cycle
        self.made += 1
        held = np.eye(cycle.shape[1]) + len(history) / len(cycle) * (cycle.T @ cycle)
        scores = belief.scores(self.scale * cycle @ held)
        weights = self.weights.steady if len(cycle) > 1 else np.ones(1)
        return Plan(cycle, length, float(weights @ scores / weights.sum()))

    def _climbed(self, history: Matrix, belief: Belief) -> Matrix:
        landscape = Landscape(
            history, self.scale, belief.estimate, belief.spread, belief.radius, self.weights
        )
        starts = self._starts(len(history), belief)
        return landscape.climb(starts, self.method.iterations)[0]

    def _starts(self, memory: int, belief: Belief) -> NDArray[np.float64]:
        """Return the previous plan, the estimate's and the least known direction, random ones."""
        random = generator(self.seed, "policy/sequences", self.made)
        shape = (self.method.random_starts, memory, len(belief.estimate))
        drawn = random.standard_normal(shape)
        drawn /= np.linalg.norm(drawn, axis=-1, keepdims=True)
        constant = [np.tile(action, (memory, 1)) for action in _directions(belief)]
        previous = [] if self._previous is None else [self._previous]
        return np.stack([*previous, *constant, *drawn])


def _directions(belief: Belief) -> tuple[Vector, Vector]:
    """Return the estimate's direction and the one of most uncertainty, both of length 1."""
    unknown = widest_direction(belief.spread)
    length = float(np.linalg.norm(belief.estimate))
    if unknown @ belief.estimate < -EVEN * length:
        unknown = -unknown
    estimated = belief.estimate / length if length > 0 else np.eye(len(unknown))[0]
    return estimated, unknown
