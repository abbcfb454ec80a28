"""Table 1: each row's bound or order at the runs' settings, beside the regret that was measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from pearl.errors import PearlError, SettingError
from pearl.experiments import Experiment, load_environment
from pearl.report.cells import Cell
from pearl.report.claims import AnyClaim, StructuralClaim, judge_structural
from pearl.report.findings import Finding
from pearl.report.rows import Runs
from pearl.report.settings import ReportSettings
from pearl.report.statistics import Interval, interval
from pearl.theory.memory_bounds import Problem, identity_link
from pearl.theory.memory_table import Row, table_1

INSTANCE = "run_length"
"""The environment whose planner is exact, so that Theorem 4.3's premises can be told."""
MEASURED = {
    "Clerici et al. (2023)": ("oful_original",),
    "OFUL-memory (improved)": ("oful_refined",),
    "Theorem 4.3": ("rsm_linucb",),
    "GLBM-SCB": ("glbm_scb_gram", "glbm_scb_slope"),
}
"""Place or algorithm of a row -> the methods whose regret it speaks of."""
EVALUATED, ORDER = "the bound, evaluated", "order only, constants and logs 1"
THEOREM = "Theorem 4.3"
WORDS = {True: "holds", False: "fails", None: "not known"}


@dataclass(frozen=True)
class Bounds:
    """The rows of Table 1 at an experiment's settings, and the measured final regrets by method."""

    experiment: Experiment
    runs: Runs
    problem: Problem
    rows: tuple[Row, ...]
    regrets: dict[str, Interval]
    settings: ReportSettings

    def measured(self, row: Row) -> tuple[str, ...]:
        """Return the methods, among those that ran, whose regret a row speaks of."""
        named = MEASURED.get(row.place) or MEASURED.get(row.algorithm, ())
        return tuple(name for name in named if name in self.regrets)


def estimate_bounds(
    experiment: Experiment, all_runs: Sequence[Runs], settings: ReportSettings
) -> Bounds:
    """Evaluate Table 1 at the settings of an experiment's runs.

    The rewards are linear: what bounds generalized linear ones is evaluated for the identity link.

    Raises:
        PearlError: several settings, or runs that don't tell the instance.
        SettingError: another environment than the run-length instance.
    """
    if experiment.environment != INSTANCE:
        raise SettingError(
            f"{experiment.id}: bounds are evaluated on {INSTANCE}, not on {experiment.environment}."
        )
    if len(all_runs) != 1:
        raise PearlError(f"{experiment.id}: a table of bounds has one product of settings.")
    runs = all_runs[0]
    method = load_environment(INSTANCE).method(experiment.reference)
    described = runs.settings
    n_actions = round(_fact(runs, "instance/actions"))
    problem = Problem(
        dimension=n_actions,
        memory=int(described["memory"]),
        horizon=runs.horizon,
        feature_bound=float(described["feature_bound"]),
        norm_bound=float(described["norm_bound"]),
        noise=float(described["noise"]),
        regularization=_fact(runs, "instance/regularization"),
        delta=float(getattr(method, "delta")),  # noqa: B009
        discount=float(getattr(method, "discount")),  # noqa: B009
        planner="exact",
        n_actions=n_actions,
    )
    problem = replace(problem, link=identity_link(problem))
    regrets = {
        name: interval(
            run.curves[:, -1], stream=f"{experiment.id}/{name}/regret", settings=settings
        )
        for name, run in runs.methods.items()
    }
    return Bounds(experiment, runs, problem, table_1(problem), regrets, settings)


def row_title(row: Row) -> str:
    """Name a row by its algorithm and place."""
    return f"{row.algorithm}, {row.place}"


def bounds_cells(table: Bounds) -> list[Cell]:
    """Lay out values, premises and measured regrets, a row of Table 1 at a time."""
    made = []
    for row in table.rows:
        title = row_title(row)
        if row.value is not None:
            value = Interval(row.value, None, None, "none", 0)
            made.append(Cell(title, EVALUATED if row.kind == "bound" else ORDER, value))
        made += [
            Cell(title, f"premise: {premise.statement}", None, verdict=WORDS[premise.holds])
            for premise in row.premises
        ]
        for name in table.measured(row):
            run = table.runs.methods[name]
            column = f"final regret of {run.label}"
            made.append(Cell(title, column, table.regrets[name], run.keys))
    return made


def judge_bounds(claim: AnyClaim, table: Bounds) -> Finding:
    """Check that no seed's final regret is above the bound of Theorem 4.3.

    Raises:
        SettingError: a claim on anything else.
    """
    if not isinstance(claim, StructuralClaim) or claim.check != "theorem_bound_holds":
        raise SettingError(
            f"Claim {claim.id}: {claim.experiment} checks theorem_bound_holds alone."
        )
    row = next(one for one in table.rows if one.place == THEOREM)
    run = table.runs.methods.get(table.experiment.reference)
    column = "largest final regret of any seed"
    if run is None or row.value is None:
        verdict = judge_structural(None)
        return Finding(claim, (Cell(row_title(row), column, None, verdict=verdict),), verdict, "")
    worst = float(np.max(run.curves[:, -1]))
    verdict = judge_structural(worst <= row.value)
    measured = Interval(worst, None, None, "none", len(run.seeds))
    cell = Cell(row_title(row), column, measured, run.keys, verdict=verdict)
    failing = [premise.statement for premise in row.premises if premise.holds is False]
    scope = f"premises that fail here: {'; '.join(failing)}" if failing else ""
    line = (f"largest of {len(run.seeds)} seeds, the bound being {row.value:,.0f}", measured)
    return Finding(claim, (cell,), verdict, scope, (line,))


def _fact(runs: Runs, name: str) -> float:
    found = runs.of_instance(name)
    if found is None:
        raise PearlError(
            f"The results of {runs.experiment} don't tell {name}.",
            remedy="They were made by an earlier version: make them again.",
        )
    return float(found[0][0])
