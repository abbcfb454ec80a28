"""A method for bandits with memory is data: an estimator, a planner and a switching rule.

Each instance has a model of its own, with the planners that can plan on it and their settings, and
a file of named methods in `methods/`.
"""

from __future__ import annotations

from importlib.resources import files
from typing import ClassVar, Literal, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, model_validator

from pearl.words import validated
from pearl.yaml_files import read_mapping

Estimator = Literal["ridge", "mirror_descent", "none"]
Switching = Literal["determinant", "blocks", "every_round", "never"]
Block = Literal["original", "refined", "sqrt_mt"]
Unit = Literal["gram", "slope"]

Product = tuple[Estimator, Switching]


class MemoryMethod(BaseModel):
    """The axes that every learner for a bandit with memory has.

    A product of axes that isn't implemented is refused when the method is made.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    products: ClassVar[dict[str, tuple[Product, ...]]] = {}
    """Planner -> the estimators and switching rules that it goes with."""

    label: str = ""
    """What tables and figures call the method; decides nothing."""
    family: Literal["memory"] = "memory"
    estimator: Estimator = "ridge"
    """ridge: V = lambda I + sum x x', theta = V^-1 b; mirror_descent: GLBM-SCB's ordered updates;
    none: nothing is estimated."""
    planner: str
    """What makes a plan of the estimate; each instance has its own."""
    switching: Switching
    """When a new plan is made: at determinant doubling, at the end of a block of fixed length,
    every round, or never after the first."""
    block: Block | None = None
    """The rule of a block's informative length L, with switching "blocks" alone: block_length."""
    unit: Unit = "gram"
    """Which matrix mirror descent's lambda = L / d is added to: the Gram matrix V = sum x x', or
    the slope matrix H = V / sigma^2. The paper doesn't say."""
    delta: float = Field(default=0.05, gt=0, lt=1)
    """Failure probability in the confidence radius."""

    @model_validator(mode="after")
    def _is_a_known_product(self) -> Self:
        known = self.products.get(self.planner)
        if known is None:
            raise ValueError(
                f"unknown planner {self.planner!r}; known are {', '.join(self.products)}"
            )
        if (self.estimator, self.switching) not in known:
            pairs = " or ".join(
                f"estimator {estimator} and switching {switching}" for estimator, switching in known
            )
            raise ValueError(
                f"planner {self.planner} goes with {pairs},"
                f" not with {self.estimator} and {self.switching}"
            )
        if (self.block is None) == (self.switching == "blocks"):
            raise ValueError(
                "block (original, refined or sqrt_mt) goes with switching blocks, and only with it"
            )
        return self


Method = TypeVar("Method", bound=MemoryMethod)


def read_methods(stem: str, model: type[Method]) -> dict[str, Method]:
    """Return the methods of methods/<stem>.yaml, in the file's order; SettingError on a fault."""
    file = files("pearl.memory") / "methods" / f"{stem}.yaml"
    return {
        name: validated(model, fields, f"{file}, {name}")
        for name, fields in read_mapping(file).items()
    }
