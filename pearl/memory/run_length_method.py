"""The methods that can face the run-length instance."""

from __future__ import annotations

from functools import cache
from typing import ClassVar, Literal

from pydantic import Field

from pearl.memory.method import MemoryMethod, Product, read_methods

Planner = Literal["run_length", "myopic"]


class RunLengthMethod(MemoryMethod):
    """One learner for the run-length instance: which axes it combines, and their settings."""

    products: ClassVar[dict[str, tuple[Product, ...]]] = {
        "run_length": (
            ("ridge", "determinant"),
            ("ridge", "blocks"),
            ("mirror_descent", "blocks"),
        ),
        "myopic": (("ridge", "every_round"),),
    }

    planner: Planner
    """run_length: the exact plan on (last action, how often it was repeated): of J_k with switching
    determinant, of a whole block with switching blocks; myopic: the best score of this round."""
    discount: float = Field(default=0.9999, gt=0, le=1 - 1e-9)
    """gamma of J_k, with switching determinant; the others don't discount."""
    delta: float = Field(default=0.05, gt=0, lt=1)
    """Failure probability in the confidence radius."""


@cache
def load_run_length_methods() -> dict[str, RunLengthMethod]:
    """Return the methods that face the run-length instance, by name."""
    return read_methods("run_length", RunLengthMethod)
