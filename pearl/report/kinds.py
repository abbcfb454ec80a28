"""The kinds of tables that an experiment may name, and all that the report asks of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pearl.errors import SettingError
from pearl.experiments import Experiment
from pearl.report.bounds import Bounds, bounds_cells, estimate_bounds, judge_bounds
from pearl.report.bounds_view import (
    bounds_beneath,
    bounds_caption,
    bounds_grids,
    bounds_keys,
    bounds_origin,
)
from pearl.report.cells import SHORT_KEY, Cell
from pearl.report.claims import AnyClaim, Paper
from pearl.report.comparisons import Comparison
from pearl.report.final_regret import FinalRegret, cells, estimate
from pearl.report.final_regret_view import regret_beneath, regret_caption, regret_grids
from pearl.report.findings import Finding, judge
from pearl.report.layout import Keys, Layout, Q
from pearl.report.origin import caveat, origin
from pearl.report.regret_by_setting import (
    RegretBySetting,
    cells_by_setting,
    estimate_by_setting,
)
from pearl.report.regret_by_setting_view import (
    beneath_by_setting,
    caption_by_setting,
    grids_by_setting,
    keys_by_setting,
    origin_by_setting,
)
from pearl.report.rewards import view
from pearl.report.rewards.by_condition import by_condition
from pearl.report.rewards.by_flip import epoch_tests, reward_by_flip
from pearl.report.rewards.by_method import against, cascade, controlled
from pearl.report.rewards.by_setting import by_setting, settings_that_matter
from pearl.report.rewards.calibration import calibration
from pearl.report.rewards.iqm import iqm_by_flip
from pearl.report.rewards.judging import judge_reward
from pearl.report.rewards.over_epochs import checkpoints, drift_checkpoints, recovery_ends
from pearl.report.rewards.partial_global import (
    PartialTable,
    estimate_partial,
    partial_beneath,
    partial_caption,
    partial_cells,
    partial_grids,
    partial_keys,
    partial_origin,
)
from pearl.report.rewards.plan import Plan
from pearl.report.rewards.reading import ALONE, TO_DATE, Rewards, rewards_of
from pearl.report.rewards.table import RewardTable, estimate_plan, reward_cells
from pearl.report.rewards.uncertainty import uncertainty
from pearl.report.rows import Runs
from pearl.report.settings import ReportSettings
from pearl.report.swept_findings import judge_by_setting
from pearl.report.tie_rules import beneath_ties, cells_of_ties, grids_of_ties
from pearl.report.users.correlations import Correlations, estimate_correlations
from pearl.report.users.correlations_view import (
    correlation_beneath,
    correlation_caption,
    correlation_cells,
    correlation_grids,
    correlation_keys,
    correlation_origin,
    epoch_cells,
    epoch_grids,
    judge_correlation,
)
from pearl.report.users.layouts import divergence, diversity, extremity
from pearl.report.users.recovery import at_parting, parts_from_rival, recovery_flipped
from pearl.report.users.strata import by_divergence, by_diversity, by_extremity
from pearl.report.views import Grid
from pearl.words import one_of


@dataclass(frozen=True, kw_only=True)
class Kind(Layout):
    """What the report asks of a kind of table that runs stand behind.

    Attributes:
        estimate: experiment under its profile, paper, runs, settings, the paper's horizon -> T.
    """

    estimate: Callable[[Experiment, Paper, Sequence[Runs], ReportSettings, int], Any]


def _estimate_regret(
    experiment: Experiment,
    _paper: Paper,
    runs: Sequence[Runs],
    settings: ReportSettings,
    _paper_horizon: int,
) -> FinalRegret:
    return estimate(runs, experiment.reference, experiment.methods, settings)


def _regret_beneath(table: FinalRegret, m_table: int, m_paper: int) -> tuple[str, ...]:
    return (*regret_beneath(table, m_table, m_paper), caveat(table.runs))


def _regret_tests(table: FinalRegret) -> dict[str, Comparison]:
    return table.comparisons


def _regret_runs(table: FinalRegret) -> Runs:
    return table.runs


def _regret_keys(table: FinalRegret) -> Keys:
    runs = table.runs.methods.values()
    return tuple((run.label, tuple(key[:SHORT_KEY] for key in run.keys)) for run in runs)


FINAL_REGRET = Kind(
    estimate=_estimate_regret,
    first=_regret_runs,
    tests=_regret_tests,
    cells=cells,
    judge=judge,
    beneath=_regret_beneath,
    grids=regret_grids,
    caption=regret_caption,
    origin=origin,
    keys=_regret_keys,
)


def _estimate_by_setting(
    experiment: Experiment,
    paper: Paper,
    runs: Sequence[Runs],
    settings: ReportSettings,
    _paper_horizon: int,
) -> RegretBySetting:
    return estimate_by_setting(experiment, paper, runs, settings)


REGRET_BY_SETTING = Kind(
    estimate=_estimate_by_setting,
    first=lambda table: table.first,
    tests=lambda table: table.tests,
    cells=cells_by_setting,
    judge=judge_by_setting,
    beneath=beneath_by_setting,
    grids=grids_by_setting,
    caption=caption_by_setting,
    origin=origin_by_setting,
    keys=keys_by_setting,
)


TIE_RULES = replace(
    REGRET_BY_SETTING, cells=cells_of_ties, beneath=beneath_ties, grids=grids_of_ties
)


def _estimate_bounds(
    experiment: Experiment,
    _paper: Paper,
    runs: Sequence[Runs],
    settings: ReportSettings,
    _paper_horizon: int,
) -> Bounds:
    return estimate_bounds(experiment, runs, settings)


BOUNDS = Kind(
    estimate=_estimate_bounds,
    first=lambda table: table.runs,
    tests=lambda _: {},
    cells=lambda table, _in_table, _in_paper, _sizes: bounds_cells(table),
    judge=lambda claim, table, _q: judge_bounds(claim, table),
    beneath=lambda table, _m_table, _m_paper: bounds_beneath(table),
    grids=lambda table, _cells: bounds_grids(table),
    caption=bounds_caption,
    origin=bounds_origin,
    keys=bounds_keys,
)


def _of_rewards(
    layout: Callable[[Experiment, Rewards], Plan],
    measure: str = TO_DATE,
    remarks: Callable[[RewardTable], tuple[str, ...]] | None = None,
    prepare: Callable[[Experiment, Rewards], Rewards] | None = None,
) -> Kind:
    """Return the kind of a layout.

    `remarks` tell from the estimates what stands beneath; `prepare` adds series to the runs.
    """

    def make(
        experiment: Experiment,
        paper: Paper,
        runs: Sequence[Runs],
        settings: ReportSettings,
        paper_horizon: int,
    ) -> RewardTable:
        rewards = rewards_of(runs, paper_horizon, measure, paper.labels)
        if prepare is not None:
            rewards = prepare(experiment, rewards)
        return estimate_plan(experiment, paper, rewards, layout(experiment, rewards), settings)

    def beneath(table: RewardTable, m_table: int, m_paper: int) -> tuple[str, ...]:
        told = remarks(table) if remarks else ()
        return (*told, *view.beneath(table, m_table, m_paper))

    return Kind(
        estimate=make,
        first=lambda table: table.rewards.first,
        tests=lambda table: table.tests(),
        cells=reward_cells,
        judge=judge_reward,
        beneath=beneath,
        grids=view.grids,
        caption=view.caption,
        origin=view.origin,
        keys=view.keys,
    )


def _estimate_partial(
    experiment: Experiment,
    _paper: Paper,
    runs: Sequence[Runs],
    settings: ReportSettings,
    _paper_horizon: int,
) -> PartialTable:
    return estimate_partial(experiment, runs, settings)


def _no_claims(claim: AnyClaim, _table: PartialTable, _q: Q) -> Finding:
    raise SettingError(f"Claim {claim.id}: nothing is published of {claim.experiment}.")


PARTIAL_GLOBAL = Kind(
    estimate=_estimate_partial,
    first=lambda table: table.first,
    tests=lambda _: {},
    cells=lambda table, _in_table, _in_paper, _sizes: partial_cells(table),
    judge=_no_claims,
    beneath=lambda table, _m_table, _m_paper: partial_beneath(table),
    grids=lambda table, _cells: partial_grids(table),
    caption=partial_caption,
    origin=partial_origin,
    keys=partial_keys,
)


def _of_correlations(
    cells: Callable[[Correlations, Q, Q, tuple[int, int]], list[Cell]],
    grids: Callable[[Correlations, Sequence[Cell]], tuple[Grid, ...]],
    *,
    test: bool,
) -> Kind:
    """Return a kind of user-level correlations; those over all epochs are tested if `test`."""

    def make(
        experiment: Experiment,
        paper: Paper,
        runs: Sequence[Runs],
        settings: ReportSettings,
        paper_horizon: int,
    ) -> Correlations:
        rewards = rewards_of(runs, paper_horizon, labels=paper.labels)
        return estimate_correlations(experiment, paper, rewards, settings, test=test)

    return Kind(
        estimate=make,
        first=lambda table: table.rewards.first,
        tests=lambda table: table.tests,
        cells=cells,
        judge=judge_correlation,
        beneath=correlation_beneath,
        grids=grids,
        caption=correlation_caption,
        origin=correlation_origin,
        keys=correlation_keys,
    )


TABLES = {
    "final_regret": FINAL_REGRET,
    "regret_by_setting": REGRET_BY_SETTING,
    "tie_rules": TIE_RULES,
    "bounds": BOUNDS,
    "reward_by_flip": _of_rewards(reward_by_flip),
    "cascade": _of_rewards(cascade),
    "against": _of_rewards(against),
    "by_condition": _of_rewards(by_condition),
    "controlled": _of_rewards(controlled, ALONE),
    "checkpoints": _of_rewards(checkpoints),
    "drift_checkpoints": _of_rewards(drift_checkpoints),
    "epoch_tests": _of_rewards(epoch_tests),
    "iqm_by_flip": _of_rewards(iqm_by_flip),
    "settings": _of_rewards(by_setting, remarks=settings_that_matter),
    "recovery_ends": _of_rewards(recovery_ends),
    "partial_global": PARTIAL_GLOBAL,
    "calibration": _of_rewards(calibration),
    "uncertainty": _of_rewards(uncertainty),
    "recovery_flipped": _of_rewards(recovery_flipped, remarks=parts_from_rival, prepare=at_parting),
    "diversity": _of_rewards(diversity, prepare=by_diversity),
    "divergence": _of_rewards(divergence, prepare=by_divergence),
    "extremity": _of_rewards(extremity, prepare=by_extremity),
    "correlations": _of_correlations(correlation_cells, correlation_grids, test=True),
    "correlations_by_epoch": _of_correlations(epoch_cells, epoch_grids, test=False),
}
"""What `report: table` of an experiment may name."""

BESIDE_FIGURE = {
    "learning_curves": "checkpoints",
    "recovery": "recovery_ends",
    "recovery_flipped": "recovery_flipped",
}
"""The table beside a figure whose experiment names none."""


def is_shown(experiment: Experiment) -> bool:
    """Say whether the report shows an experiment."""
    return experiment.report.table is not None or experiment.report.figure in BESIDE_FIGURE


def kind_of(experiment: Experiment) -> Kind:
    """Return the kind of an experiment's table; SettingError where there is none of that name."""
    name = experiment.report.table or BESIDE_FIGURE.get(experiment.report.figure or "")
    if name is None:
        raise SettingError(f"{experiment.id} names no table.")
    return TABLES[one_of(name, TABLES, f"table of {experiment.id}")]
