"""The methods that can face any instance with finitely many memory states."""

from __future__ import annotations

from functools import cache
from typing import ClassVar, Literal

from pydantic import Field

from pearl.memory.method import MemoryMethod, Product, read_methods

Planner = Literal["howard", "block", "myopic"]


class FiniteMethod(MemoryMethod):
    """One learner for listed memory states: which axes it combines, and their settings."""

    products: ClassVar[dict[str, tuple[Product, ...]]] = {
        "howard": (("ridge", "determinant"),),
        "block": (("ridge", "blocks"), ("mirror_descent", "blocks")),
        "myopic": (("ridge", "every_round"),),
    }

    planner: Planner
    """howard: discounted Howard policy iteration, Algorithm 3; block: the best whole block, by
    backward induction; myopic: the best score of this round."""
    discount: float | None = Field(default=None, gt=0, le=1 - 1e-9)
    """gamma of the planner howard; null: 1 - 1/T, which Theorem 4.3 asks for."""
    regularization: float | None = Field(default=None, gt=0, le=1e9)
    """lambda of the ridge learners; null: d sigma^2 / S^2, the most that Theorem 4.3 allows.
    Mirror descent takes L / d."""
    max_states: int | None = Field(default=None, ge=1)
    """The most memory states that are listed; null: as many as fit a gigabyte."""


@cache
def load_finite_methods() -> dict[str, FiniteMethod]:
    """Return the methods that face instances with finitely many actions, by name."""
    return read_methods("finite", FiniteMethod)
