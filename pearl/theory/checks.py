"""All checks, in the paper's order."""

from __future__ import annotations

from functools import cache

from pearl.theory.check import Check
from pearl.theory.features import check_features
from pearl.theory.forgetting import check_forgetting
from pearl.theory.regret import check_regret
from pearl.theory.scaling import check_scaling
from pearl.theory.tracker import check_tracker


@cache
def checks() -> tuple[Check, ...]:
    """Check every statement; the same records each time, within seconds."""
    return (
        *check_tracker(),
        *check_regret(),
        *check_scaling(),
        *check_forgetting(),
        *check_features(),
    )
