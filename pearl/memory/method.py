"""A method for bandits with memory is data: an estimator, a planner and a switching rule."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from pearl.words import validated
from pearl.yaml_files import read_mapping

Estimator = Literal["ridge", "none"]
Planner = Literal["prefix_tree", "myopic", "random_union"]
Switching = Literal["determinant", "every_round", "never"]
Bonus = Literal["directions", "ellipsoid"]
Tie = Literal["first", "unclipped", "estimate"]
Redraw = Literal["each_plan", "once"]

_PRODUCTS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "prefix_tree": ("ridge", "determinant", ("directions",)),
    "myopic": ("ridge", "every_round", ("directions", "ellipsoid")),
    "random_union": ("none", "never", ("directions", "ellipsoid")),
}


class MemoryMethod(BaseModel):
    """One learner for the cache: which axes it combines, and their settings.

    A product of axes that isn't implemented is refused when the method is made.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    label: str = ""
    """What tables and figures call the method; decides nothing."""
    family: Literal["memory"] = "memory"
    estimator: Estimator = "ridge"
    """ridge: V = lambda I + sum x x', theta = V^-1 b; none: nothing is estimated."""
    planner: Planner
    """prefix_tree: the best union of M + 1 paths, refreshed cyclically; myopic: the best
    refresh for the current cache; random_union: M + 1 actions drawn once, refreshed cyclically."""
    switching: Switching
    """When a new plan is made: at determinant doubling, every round, or never after the first."""
    bonus: Bonus = "directions"
    """ellipsoid: beta |x| in the norm of V^-1; directions: its Gaussian replacement, Eq. (18)."""
    directions: int = Field(default=24, ge=1, le=4096)
    """N of Eq. (18). The paper asks for O(log(T / delta_plan)); 24 is pearl's choice."""
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
    def _is_a_known_product(self) -> Self:
        estimator, switching, bonuses = _PRODUCTS[self.planner]
        if (self.estimator, self.switching) != (estimator, switching):
            raise ValueError(
                f"planner {self.planner} goes with estimator {estimator} and switching {switching},"
                f" not with {self.estimator} and {self.switching}"
            )
        if self.bonus not in bonuses:
            raise ValueError(f"planner {self.planner} can't use the bonus {self.bonus}")
        if self.redraw == "once" and (self.planner, self.bonus) != ("myopic", "directions"):
            raise ValueError(
                "redraw once goes with planner myopic and bonus directions,"
                f" not with {self.planner} and {self.bonus}"
            )
        return self

    @property
    def clips(self) -> bool:
        """Whether scores are clipped to [0, B] before they are compared."""
        return self.tie != "unclipped"


@cache
def load_methods() -> dict[str, MemoryMethod]:
    """Return the named methods of methods.yaml, in the file's order; SettingError on a fault."""
    file = files("pearl.memory") / "methods.yaml"
    return {
        name: validated(MemoryMethod, fields, f"{file}, {name}")
        for name, fields in read_mapping(file).items()
    }
