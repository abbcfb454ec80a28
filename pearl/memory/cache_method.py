"""The methods that can face the KV cache: planners on the prefix tree and their settings."""

from __future__ import annotations

from functools import cache
from typing import ClassVar, Literal, Self

from pydantic import Field, model_validator

from pearl.memory.method import MemoryMethod, Product, read_methods

Planner = Literal["prefix_tree", "myopic", "random_union"]
Bonus = Literal["directions", "ellipsoid", "posterior", "optimistic"]
Radius = Literal["confidence", "posterior"]
RewardRange = Literal["unit", "catalogue"]
Regularized = Literal["bound", "radius"]
Tie = Literal["first", "unclipped", "estimate"]
Redraw = Literal["each_plan", "once"]

_BONUSES = {
    "prefix_tree": ("directions", "posterior", "optimistic", "ellipsoid"),
    "myopic": ("directions", "ellipsoid", "posterior"),
    "random_union": ("directions", "ellipsoid"),
}
_NOT_CLIPPED = ("posterior", "optimistic")


class CacheMethod(MemoryMethod):
    """One learner for the cache: which axes it combines, and their settings."""

    products: ClassVar[dict[str, tuple[Product, ...]]] = {
        "prefix_tree": (
            ("ridge", "determinant"),
            ("ridge", "blocks"),
            ("mirror_descent", "blocks"),
        ),
        "myopic": (("ridge", "every_round"),),
        "random_union": (("none", "never"),),
    }

    planner: Planner
    """prefix_tree: the best union of M + 1 paths, refreshed cyclically; myopic: the best
    refresh for the current cache; random_union: M + 1 actions drawn once, refreshed cyclically."""
    bonus: Bonus = "directions"
    """What is added to x'theta, with r the radius.

    - ellipsoid: r |x| in the norm of V^-1. The tree's planner then grows its union path by path
      (greedy_union), with switching "determinant" alone.
    - directions: its Gaussian replacement of Eq. (18), (r / c) max_j |x'L g_j|.
    - posterior: (r / c) max_j x'L g_j, signed; one direction and c = 1 make a posterior sample.
    - optimistic: the same with each entry of L g_j below zero set to zero.
    """
    directions: int = Field(default=24, ge=1, le=4096)
    """N of Eq. (18). The paper asks for O(log(T / delta_plan)); 24 is pearl's choice."""
    radius: Radius = "confidence"
    """confidence: beta, the confidence ellipsoid's; posterior: sigma in its place, so that the
    width is the standard deviation of x'theta under the prior theta ~ N(0, (S^2 / d) I) and noise
    N(0, sigma^2). What the guarantees say holds for confidence alone."""
    reward_range: RewardRange = "unit"
    """What one request's reward is known to lie in, which decides the sigma of the radius. unit:
    [0, 1], as in the paper; catalogue: [0, the tokens of the deepest path over Z]."""
    noise_scale: float = Field(default=1.0, gt=0, le=1)
    """The sigma of the radius is multiplied by this. Below 1 no bound on the noise backs it."""
    regularized_by: Regularized = "bound"
    """Which sigma lambda = d sigma^2 / S^2 takes. bound: the paper's, of rewards in [0, 1], so that
    a smaller radius leaves the estimator and its schedule alone; radius: the radius's own."""
    redraw: Redraw = "each_plan"
    """each_plan: new directions for every plan, as the paper draws them: every episode or, for
    myopic, every round; once: the first round's directions for the whole run (myopic only)."""
    constant: float = Field(default=1.5, gt=0, le=1e6)
    """c of Eq. (18)."""
    tie: Tie = "first"
    """How scores are compared. first: clipped to [0, B], ties to the lowest index; unclipped:
    not clipped; estimate: clipped, ties to the largest x'theta, then to the lowest index."""
    delta: float = Field(default=1e-5, gt=0, lt=1)
    """Failure probability in the confidence radius."""

    @model_validator(mode="after")
    def _has_a_bonus_of_its_planner(self) -> Self:
        if self.bonus not in _BONUSES[self.planner]:
            raise ValueError(f"planner {self.planner} can't use the bonus {self.bonus}")
        if self.redraw == "once" and (self.planner, self.bonus) != ("myopic", "directions"):
            raise ValueError(
                "redraw once goes with planner myopic and bonus directions,"
                f" not with {self.planner} and {self.bonus}"
            )
        grows = (self.planner, self.bonus) == ("prefix_tree", "ellipsoid")
        if grows and self.switching != "determinant":
            raise ValueError("planner prefix_tree with bonus ellipsoid switches by determinant")
        if (grows or self.bonus in _NOT_CLIPPED) and self.clips:
            raise ValueError(f"bonus {self.bonus} goes with tie unclipped, not with {self.tie}")
        if self.estimator == "mirror_descent" and self.block != "sqrt_mt":
            raise ValueError(f"estimator mirror_descent has blocks sqrt_mt, not {self.block}")
        return self

    @property
    def clips(self) -> bool:
        """Whether scores are clipped to [0, B] before they are compared."""
        return self.tie != "unclipped"


@cache
def load_cache_methods() -> dict[str, CacheMethod]:
    """Return the methods that face the KV cache, by name."""
    return read_methods("kv_cache", CacheMethod)
