"""Properties that hold on any data, checked on every run of a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from pearl.report.cells import INSTANCE, Cell
from pearl.report.claims import judge_structural
from pearl.report.rows import Runs
from pearl.report.settings import ReportSettings
from pearl.report.statistics import Interval, interval

ROUNDING = 1e-9
EQUAL = 1e-12
"""By so much rounding may lift the norm of S u, u of unit norm, above S."""
NORMS = {
    "instance/theta_star_norm": "norm of theta*",
    "instance/norm_bound": "S, the bound of that norm",
}
"""Metric of a run -> column of the cell that shows it."""


def regret_is_never_negative(
    all_runs: Sequence[Runs], settings: ReportSettings
) -> tuple[Cell, ...]:
    """Check that pseudo-regret is never negative in any run at any sampled t.

    Rounding may take 1e-9 of the largest regret under the same settings.
    """
    lowest, holds = np.inf, True
    for runs in all_runs:
        curves = [run.curves for run in runs.methods.values()]
        low = min(float(np.min(curve)) for curve in curves)
        scale = max(float(np.max(np.abs(curve))) for curve in curves)
        lowest, holds = min(lowest, low), holds and low >= -ROUNDING * scale
    every = [run for runs in all_runs for run in runs.methods.values()]
    found = interval([lowest], stream="lowest regret", settings=settings)
    cell = Cell(
        "all methods",
        "lowest regret at any sampled t",
        replace(found, n=max(len(run.seeds) for run in every)),
        tuple(key for run in every for key in run.keys),
        verdict=judge_structural(holds),
    )
    return (cell,)


def norm_bound_holds(all_runs: Sequence[Runs], settings: ReportSettings) -> tuple[Cell, ...]:
    """Check |theta*| <= S, which the confidence guarantee requires, at every seed and setting.

    Returns:
        A cell of either value, under the setting at which the norm is the largest part of S; both
        carry the verdict over all settings.
    """
    norms, bounds = ([runs.of_instance(name) for runs in all_runs] for name in NORMS)
    pairs = [(norm, bound) for norm, bound in zip(norms, bounds, strict=True) if norm and bound]
    shown, holds = (norms[0], bounds[0]), None
    if len(pairs) == len(norms):
        holds = all(bool(np.all(norm[0] <= bound[0] * (1 + EQUAL))) for norm, bound in pairs)
        shown = max(pairs, key=lambda pair: float(np.max(pair[0][0] / pair[1][0])))

    def measured(name: str, values: np.ndarray) -> Interval:
        return interval(values, stream=f"fact/{name}", settings=settings)

    return tuple(
        Cell(
            INSTANCE,
            column,
            measured(name, one[0]) if one else None,
            one[1] if one else (),
            verdict=judge_structural(holds),
        )
        for (name, column), one in zip(NORMS.items(), shown, strict=True)
    )


CHECKS = {
    "regret_is_never_negative": regret_is_never_negative,
    "norm_bound_holds": norm_bound_holds,
}
"""What a structural claim may name."""
