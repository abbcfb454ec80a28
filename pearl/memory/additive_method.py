"""The methods that can face the additive instance: planners over sequences of actions."""

from __future__ import annotations

from functools import cache
from typing import ClassVar, Literal

from pydantic import Field

from pearl.memory.method import MemoryMethod, Product, read_methods

Planner = Literal["ascent", "constant_action", "trust_region"]

_PLANS: tuple[Product, ...] = (
    ("ridge", "determinant"),
    ("ridge", "blocks"),
    ("mirror_descent", "blocks"),
)


class AdditiveMethod(MemoryMethod):
    """One learner for the additive instance: which axes it combines, and their settings."""

    products: ClassVar[dict[str, tuple[Product, ...]]] = {
        "ascent": _PLANS,
        "constant_action": _PLANS,
        "trust_region": (("ridge", "every_round"),),
    }

    planner: Planner
    """ascent: projected gradient ascent over periodic sequences of M actions; constant_action:
    the one action whose endless repetition has the largest optimistic reward, exactly;
    trust_region: the action that is best for the current memory, exactly."""
    iterations: int = Field(default=60, ge=1, le=100_000)
    """Ascent: steps tried from each start, at most."""
    random_starts: int = Field(default=2, ge=0, le=1000)
    """Ascent: random sequences among its starts; two constant ones and the previous plan join."""
    discount: float = Field(default=0.999, gt=0, lt=1)
    """gamma of the return that RSM-LinUCB's ascent climbs; blocks aren't discounted."""


@cache
def load_additive_methods() -> dict[str, AdditiveMethod]:
    """Return the methods that face the additive instance, by name."""
    return read_methods("additive", AdditiveMethod)
