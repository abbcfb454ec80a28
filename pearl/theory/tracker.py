"""Lemma 1: how fast the error tracker responds to errors of at least delta."""

from __future__ import annotations

import math
from collections.abc import Sequence

from pearl.randomness import generator
from pearl.theory.check import Check

PLACE = "Lemma 1 (section 4)"


def tracked(start: float, errors: Sequence[float], beta: float) -> list[float]:
    """Return eps after each of the errors, Eq. (5)."""
    values, value = [], start
    for error in errors:
        value = beta * value + (1.0 - beta) * error
        values.append(value)
    return values


def floor(delta: float, beta: float, steps: int) -> float:
    """Return the lemma's lower bound delta (1 - beta^steps), Eq. (10)."""
    return delta * (1.0 - beta**steps)


def response(beta: float) -> int:
    """Return Delta*, the interactions within which eps reaches delta / 2, at least 1."""
    return max(1, math.ceil(math.log(0.5) / math.log(beta)))


def check_tracker() -> tuple[Check, ...]:
    """Check the bound on random errors above delta, and Delta* at the paper's beta."""
    source = generator(0, "theory/tracker")
    slack = math.inf
    for _ in range(2000):
        beta, delta, start = source.uniform(0.01, 0.99), *source.random(2)
        errors = source.uniform(delta, 1.0, size=30)
        found = tracked(start, errors.tolist(), beta)
        slack = min(slack, *(e - floor(delta, beta, n) for n, e in enumerate(found, 1)))
    first = tracked(0.0, [1.0], 0.3)[0]
    return (
        Check(
            "After n errors ≥ δ the tracker is ≥ δ (1 − βⁿ).",
            PLACE,
            "yes" if slack > -1e-12 else "no",
            f"2,000 random sequences of 30 errors: least excess over the bound {slack:.6f}",
        ),
        Check(
            "At β = 0.3 the tracker reaches δ/2 within one interaction of the user.",
            PLACE,
            "yes" if response(0.3) == 1 and first >= 0.5 else "no",
            f"after one error it is at least {first:.2f} δ",
        ),
    )
