"""Properties that hold on any data, checked on every run of a table."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pearl.report.cells import INSTANCE, Cell
from pearl.report.claims import judge_structural
from pearl.report.final_regret import FinalRegret
from pearl.report.statistics import interval

ROUNDING = 1e-9
NORMS = {
    "instance/theta_star_norm": "norm of theta*",
    "instance/norm_bound": "S, the bound of that norm",
}
"""Metric of a run -> column of the cell that shows it."""


def regret_is_never_negative(table: FinalRegret) -> tuple[Cell, ...]:
    """Check that pseudo-regret is never negative, beyond rounding, in any run at any sampled t."""
    runs = table.runs.methods.values()
    lowest = min(float(np.min(run.curves)) for run in runs)
    scale = max(float(np.max(np.abs(run.curves))) for run in runs)
    found = interval([lowest], stream="lowest regret", settings=table.settings)
    cell = Cell(
        "all methods",
        "lowest regret at any sampled t",
        replace(found, n=max(len(run.seeds) for run in runs)),
        tuple(key for run in runs for key in run.keys),
        verdict=judge_structural(lowest >= -ROUNDING * scale),
    )
    return (cell,)


def norm_bound_holds(table: FinalRegret) -> tuple[Cell, ...]:
    """Check |theta*| <= S, which the confidence guarantee requires, at every seed.

    Returns:
        A cell of either value; both carry the verdict.
    """
    found = [table.runs.of_instance(name) for name in NORMS]
    norm, bound = (one[0] if one else None for one in found)
    holds = None if norm is None or bound is None else bool(np.all(norm <= bound))
    return tuple(
        Cell(
            INSTANCE,
            column,
            interval(one[0], stream=f"fact/{name}", settings=table.settings) if one else None,
            one[1] if one else (),
            verdict=judge_structural(holds),
        )
        for (name, column), one in zip(NORMS.items(), found, strict=True)
    )


CHECKS = {
    "regret_is_never_negative": regret_is_never_negative,
    "norm_bound_holds": norm_bound_holds,
}
"""What a structural claim may name."""
