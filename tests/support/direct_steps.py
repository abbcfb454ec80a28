"""The bandit's step without a network: features are given, the rest is the compiled kernel's."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pearl.bandits.folding import Folded
from pearl.bandits.method import BanditMethod
from pearl.bandits.state import Scratch, State, new_scratch, rule_of
from pearl.bandits.step import observe, select

Floats = NDArray[np.float64]


def network_of(g: Floats, head: Floats | None = None, users: int = 1) -> Folded:
    """Return a network with the features g (m, d) >= 0, one row an arm, all in float64."""
    d = g.shape[1]
    nothing: Any = np.zeros((users, d))
    rest: Any = (np.eye(d), np.zeros(d), np.zeros(d) if head is None else head, np.zeros(1))
    return Folded(nothing, nothing.copy(), np.ascontiguousarray(g), *rest)  # type: ignore[arg-type]


def method(**settings: Any) -> BanditMethod:
    """Return PEARL, or what the settings make of it."""
    given = {"exploration": "error_adaptive", "forgetting": "directional"} | settings
    return BanditMethod.model_validate(given)


def step(
    state: State, rules: BanditMethod, g: Floats, reward: float, tie: float = 0.0
) -> tuple[bool, bool, Scratch]:
    """Choose among the rows of g, learn the reward; mu is 1/2 for all."""
    folded = network_of(g, users=len(state.errors))
    scratch = new_scratch(folded, len(g))
    rule = rule_of(rules, damping=False)
    arm = select(folded, state, rule, 0, 0, len(g), tie, np.zeros(len(g)), scratch)
    return *observe(state, rule, 0, arm, reward, scratch), scratch
