"""The table of final regrets: every method at log-spaced rounds, the reference against each."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pearl.errors import PearlError
from pearl.report.cells import Cell
from pearl.report.comparisons import Comparison, compare
from pearl.report.rows import MethodRuns, Runs
from pearl.report.settings import ReportSettings
from pearl.report.statistics import Interval, interval

PER_METHOD = {"episodes": "episodes", "clip_tie_share": "clip tie share"}
"""Metric of a run -> column of the table."""


@dataclass(frozen=True)
class FinalRegret:
    """The estimates of one experiment; q-values come later, when all tables of a paper are known.

    `comparisons` and `reductions` hold the reference against each other method that ran, over the
    seeds that both ran; a reduction is the mean over pairs of 100 (1 - reference / other).
    """

    runs: Runs
    reference: str
    order: tuple[str, ...]
    checkpoints: tuple[int, ...]
    regrets: dict[tuple[str, int], Interval]
    metrics: dict[tuple[str, str], Interval]
    comparisons: dict[str, Comparison]
    reductions: dict[str, Interval]
    settings: ReportSettings

    def label(self, method: str) -> str:
        """Return what people call a method; its name where it has no runs."""
        run = self.runs.methods.get(method)
        return run.label if run else method

    @property
    def reduction_column(self) -> str:
        """The column of paired reductions."""
        return f"reduction by {self.label(self.reference)} (%)"

    @property
    def difference_column(self) -> str:
        """The column of paired differences at the last round."""
        return f"difference of {self.label(self.reference)} at t={self.checkpoints[-1]}"

    def pair_keys(self, method: str) -> tuple[str, ...]:
        """Return the keys behind a comparison: the reference's, then the other's."""
        ours, theirs = self.runs.methods[self.reference], self.runs.methods[method]
        seeds = self.runs.common_seeds(self.reference, method)
        return tuple(run.keys[i] for run in (ours, theirs) for i in run.at(seeds))


def estimate(
    all_runs: Sequence[Runs], reference: str, order: Sequence[str], settings: ReportSettings
) -> FinalRegret:
    """Estimate the table of an experiment with one product of settings.

    Raises:
        PearlError: several settings or horizons; a non-finite regret; a regret of 0 to divide by.
    """
    if len(all_runs) != 1:
        raise PearlError(
            f"{all_runs[0].experiment}: a table of final regrets has one product of settings,"
            f" the results hold {len(all_runs)}."
        )
    runs = all_runs[0]
    checkpoints = _checkpoints(runs)
    columns = [runs.rounds.index(t) for t in checkpoints]
    regrets, metrics = {}, {}
    for name, run in runs.methods.items():
        for t, column in zip(checkpoints, columns, strict=True):
            stream = f"{runs.experiment}/{name}/regret/{t}"
            regrets[name, t] = interval(run.curves[:, column], stream=stream, settings=settings)
        for metric in PER_METHOD:
            values = run.metric(metric)
            if values is not None:
                stream = f"{runs.experiment}/{name}/{metric}"
                metrics[name, metric] = interval(values, stream=stream, settings=settings)
    comparisons, reductions = {}, {}
    for name, run in runs.methods.items():
        seeds = runs.common_seeds(reference, name) if reference in runs.methods else ()
        if name == reference or not seeds:
            continue
        ours, theirs = (_final(r, seeds) for r in (runs.methods[reference], run))
        stream = f"{runs.experiment}/{reference} against {name}"
        comparisons[name] = compare(ours, theirs, stream=stream, settings=settings)
        reductions[name] = reduction(runs, reference, name, settings)
    return FinalRegret(
        runs,
        reference,
        tuple(order),
        checkpoints,
        regrets,
        metrics,
        comparisons,
        reductions,
        settings,
    )


def reduction(runs: Runs, ours: str, theirs: str, settings: ReportSettings) -> Interval:
    """Return the mean over common seeds of 100 (1 - our final regret / theirs), in percent.

    Raises:
        PearlError: a regret of 0 to divide by.
    """
    seeds = runs.common_seeds(ours, theirs)
    pairs = zip(_final(runs.methods[ours], seeds), _final(runs.methods[theirs], seeds), strict=True)
    percents = []
    for mine, other in pairs:
        if other <= 0:
            label = runs.methods[theirs].label
            raise PearlError(f"{runs.experiment}: {label} has no regret to be reduced.")
        percents.append(100 * (1 - mine / other))
    stream = f"{runs.experiment}/{ours} against {theirs}/percent"
    return interval(percents, stream=stream, settings=settings)


def cells(
    table: FinalRegret,
    in_table: Mapping[str, float | None],
    in_paper: Mapping[str, float | None],
    sizes: tuple[int, int],
) -> list[Cell]:
    """Lay out the table, a method a row; a method without runs keeps a row without numbers.

    Args:
        in_table, in_paper: q-value of each compared method within this table and within all
            tables of the paper; `sizes` are the two families' m.
    """
    made: list[Cell] = []
    for name in table.order:
        row, run = table.label(name), table.runs.methods.get(name)
        keys = run.keys if run else ()
        for t in table.checkpoints:
            made.append(Cell(row, f"regret at t={t}", table.regrets.get((name, t)), keys))
        if run is None:
            continue
        for metric, column in PER_METHOD.items():
            if (name, metric) in table.metrics:
                made.append(Cell(row, column, table.metrics[name, metric], keys))
        if name not in table.comparisons:
            continue
        pair, n = table.pair_keys(name), table.comparisons[name].difference.n
        made.append(Cell(row, table.reduction_column, table.reductions[name], pair))
        made.append(Cell(row, table.difference_column, table.comparisons[name].difference, pair))
        for family, q_values, m in zip(
            ("table", "paper"), (in_table, in_paper), sizes, strict=True
        ):
            q = q_values[name]
            if q is not None:
                value = Interval(q, None, None, "none", n)
                made.append(Cell(row, f"BH q ({family}, m={m})", value, pair))
    return made


def _final(run: MethodRuns, seeds: Sequence[int]) -> list[float]:
    return [float(run.curves[i, -1]) for i in run.at(seeds)]


def _checkpoints(runs: Runs) -> tuple[int, ...]:
    """Return the sampled rounds at or just before T/100, T/10 and T."""
    wanted = (runs.horizon // 100, runs.horizon // 10, runs.horizon)
    at = (bisect_right(runs.rounds, t) - 1 for t in wanted)
    return tuple(sorted({runs.rounds[i] for i in at if i >= 0}))
