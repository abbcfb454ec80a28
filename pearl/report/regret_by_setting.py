"""The table of final regrets over swept settings: every method at every value, the reference
against each other method and against the best of the paper's baselines.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pearl.experiments import Experiment
from pearl.report.cells import Cell
from pearl.report.claims import Baseline, OrderClaim, Paper
from pearl.report.comparisons import Comparison, compare
from pearl.report.final_regret import reduction
from pearl.report.rows import Runs
from pearl.report.settings import ReportSettings
from pearl.report.statistics import Floats, Interval, interval
from pearl.report.swept import Point, Sweep, points_of, sweeps_of

BEST = "best baseline"
Pair = tuple[str, str]
"""Title of a point, name of a method."""


@dataclass(frozen=True)
class RegretBySetting:
    """The estimates of one experiment's sweeps.

    `regrets` and `episodes` are by point and method; `comparisons` and `reductions` hold the
    reference against each other method over the seeds that both ran; `growth` is, by setting, the
    test of a claim that regret grows slower and slower. `baselines` are the paper's own.
    """

    experiment: Experiment
    sweeps: tuple[Sweep, ...]
    baselines: tuple[Baseline, ...]
    regrets: dict[Pair, Interval]
    episodes: dict[Pair, Interval]
    comparisons: dict[Pair, Comparison]
    reductions: dict[Pair, Interval]
    growth: dict[str, Comparison]
    settings: ReportSettings

    @property
    def points(self) -> tuple[Point, ...]:
        """The points of all sweeps, each once."""
        return points_of(self.sweeps)

    @property
    def all_runs(self) -> tuple[Runs, ...]:
        """The runs of all points."""
        return tuple(point.runs for point in self.points)

    @property
    def first(self) -> Runs:
        """Runs that tell experiment, profile, source and data, which all have in common."""
        return self.points[0].runs

    @property
    def reference(self) -> str:
        """The method that the others are compared with."""
        return self.experiment.reference

    @property
    def order(self) -> tuple[str, ...]:
        """The methods as tables and figures show them."""
        return self.experiment.methods

    def label(self, method: str) -> str:
        """Return what people call a method; its name where it has no runs."""
        found = (runs.methods[method].label for runs in self.all_runs if method in runs.methods)
        return next(found, method)

    def sweep(self, setting: str) -> Sweep | None:
        """Return the sweep of a setting; None where it isn't swept."""
        return next((sweep for sweep in self.sweeps if sweep.setting == setting), None)

    @property
    def tests(self) -> dict[str, Comparison]:
        """The table's family: each point's comparisons, then those of growth."""
        pairs = {family_name(*pair): found for pair, found in self.comparisons.items()}
        return pairs | {growth_name(setting): found for setting, found in self.growth.items()}

    def rivals(self, *, other_reading: bool = False) -> tuple[str, ...]:
        """Return the methods that stand for the paper's baselines.

        `other_reading` puts the methods of the other reading in the place of those that have one.
        """
        found = [b.other if other_reading and b.other else b.methods for b in self.baselines]
        return tuple(name for methods in found for name in methods)

    def best(self, point: Point, rivals: Sequence[str]) -> str | None:
        """Return the rival of lowest mean final regret at a point; None where none was compared."""
        ran = [name for name in rivals if (point.title, name) in self.comparisons]
        return min(ran, key=lambda name: self.regrets[point.title, name].estimate, default=None)

    def pair_keys(self, point: Point, method: str) -> tuple[str, ...]:
        """Return the keys behind a comparison: the reference's, then the other's."""
        seeds = point.runs.common_seeds(self.reference, method)
        pair = (point.runs.methods[self.reference], point.runs.methods[method])
        return tuple(run.keys[i] for run in pair for i in run.at(seeds))


def estimate_by_setting(
    experiment: Experiment, paper: Paper, all_runs: Sequence[Runs], settings: ReportSettings
) -> RegretBySetting:
    """Estimate the table of an experiment that sweeps settings.

    Where the paper names no baselines of the environment, every method that isn't the reference's
    own variant counts as one.

    Raises:
        PearlError: sweeps that can't be told apart; a non-finite regret; a regret of 0 to divide.
    """
    sweeps, reference = sweeps_of(experiment, all_runs), experiment.reference
    regrets, episodes, comparisons, reductions = {}, {}, {}, {}
    for point in points_of(sweeps):
        runs, stream = point.runs, f"{experiment.id}/{point.title}"
        for name, run in runs.methods.items():
            pair = (point.title, name)
            final = run.curves[:, -1]
            regrets[pair] = interval(final, stream=f"{stream}/{name}/regret", settings=settings)
            plans = run.metric("episodes")
            if plans is not None:
                at = f"{stream}/{name}/episodes"
                episodes[pair] = interval(plans, stream=at, settings=settings)
            seeds = runs.common_seeds(reference, name) if reference in runs.methods else ()
            if name == reference or not seeds:
                continue
            ours = runs.methods[reference]
            comparisons[pair] = compare(
                ours.curves[ours.at(seeds), -1],
                run.curves[run.at(seeds), -1],
                stream=f"{stream}/{reference} against {name}",
                settings=settings,
            )
            reductions[pair] = reduction(runs, reference, name, settings)
    growth = {}
    for claim in paper.of(experiment.id):
        sweep = next((s for s in sweeps if s.setting == claim.over), None)
        if isinstance(claim, OrderClaim) and claim.quantity == "slower growth" and sweep:
            found = _curvatures(sweep, reference)
            if found is not None:
                at = f"{experiment.id}/growth over {sweep.setting}"
                zero = np.zeros_like(found)
                growth[sweep.setting] = compare(found, zero, stream=at, settings=settings)
    baselines = paper.baselines.get(experiment.environment) or _all_others(experiment)
    return RegretBySetting(
        experiment,
        sweeps,
        baselines,
        regrets,
        episodes,
        comparisons,
        reductions,
        growth,
        settings,
    )


def cells_by_setting(
    table: RegretBySetting,
    in_table: Mapping[str, float | None],
    in_paper: Mapping[str, float | None],
    sizes: tuple[int, int],
) -> list[Cell]:
    """Lay out the table, a method and a value at a time; then the best baseline at each value.

    Args:
        table: the estimates.
        in_table, in_paper: q-value of each test within this table and within all tables of the
            paper; `sizes` are the two families' m.
    """
    made: list[Cell] = []
    families = tuple(zip(("table", "paper"), (in_table, in_paper), sizes, strict=True))
    for point in table.points:
        title = point.title
        for name in table.order:
            row, pair, run = table.label(name), (title, name), point.runs.methods.get(name)
            keys = run.keys if run else ()
            made.append(Cell(row, f"final regret at {title}", table.regrets.get(pair), keys))
            if pair in table.episodes:
                made.append(Cell(row, f"episodes at {title}", table.episodes[pair], keys))
            if pair not in table.comparisons:
                continue
            difference = table.comparisons[pair].difference
            keys = table.pair_keys(point, name)
            made.append(Cell(row, reduction_column(table, title), table.reductions[pair], keys))
            made.append(Cell(row, difference_column(table, title), difference, keys))
            for family, q_values, m in families:
                q = q_values[family_name(*pair)]
                if q is not None:
                    value = Interval(q, None, None, "none", difference.n)
                    made.append(Cell(row, f"BH q ({family}, m={m}) at {title}", value, keys))
        made.extend(best_cells(table, point, table.rivals()))
    return made


def best_cells(
    table: RegretBySetting, point: Point, rivals: Sequence[str], *, verdict: str = ""
) -> list[Cell]:
    """Return the reduction and the difference against the best of some rivals at a point."""
    best = table.best(point, rivals)
    if best is None:
        return []
    pair, keys = (point.title, best), table.pair_keys(point, best)
    return [
        Cell(
            BEST,
            reduction_column(table, point.title),
            table.reductions[pair],
            keys,
            verdict=verdict,
        ),
        Cell(
            BEST,
            difference_column(table, point.title),
            table.comparisons[pair].difference,
            keys,
            verdict=verdict,
        ),
    ]


def reduction_column(table: RegretBySetting, title: str) -> str:
    """The column of paired reductions at a point."""
    return f"reduction by {table.label(table.reference)} (%) at {title}"


def difference_column(table: RegretBySetting, title: str) -> str:
    """The column of paired differences at a point."""
    return f"difference of {table.label(table.reference)} at {title}"


def family_name(title: str, method: str) -> str:
    """Name a comparison within the table's family."""
    return f"{title}: {method}"


def growth_name(setting: str) -> str:
    """Name a test of growth within the table's family."""
    return f"growth over {setting}"


def _curvatures(sweep: Sweep, method: str) -> Floats | None:
    """Return, a seed, the coefficient of the square in a parabola through its final regrets.

    None where fewer than three values or no common seeds were run.
    """
    ran = [(v, p.runs.methods.get(method)) for v, p in zip(sweep.values, sweep.points, strict=True)]
    present = [(value, run) for value, run in ran if run is not None]
    if len(present) < 3 or not sweep.is_numeric:
        return None
    seeds = [s for s in present[0][1].seeds if all(s in run.seeds for _, run in present)]
    if not seeds:
        return None
    final = np.array([run.curves[run.at(seeds), -1] for _, run in present])
    return np.asarray(np.polyfit([float(value) for value, _ in present], final, 2)[0])


def _all_others(experiment: Experiment) -> tuple[Baseline, ...]:
    own = experiment.reference.partition("_")[0]
    others = tuple(n for n in experiment.methods if n.partition("_")[0] not in (own, "random"))
    return (Baseline(name="all other methods", methods=others),)
