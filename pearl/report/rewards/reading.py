"""The runs of an experiment on rewards, addressed by the points of its tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from pearl.errors import PearlError
from pearl.report.contrasts import Contrast, Point
from pearl.report.rows import MethodRuns, Runs

TO_DATE = "epoch/reward_to_date"
ALONE = "epoch/reward"
METRIC = "metric/"
"""Begins the name of a series that is a run's metric, one number: metric/ece."""


@dataclass(frozen=True)
class Sample:
    """One number a seed, with the seeds ascending and the keys of the runs behind them."""

    seeds: tuple[int, ...]
    values: np.ndarray
    keys: tuple[str, ...]


@dataclass(frozen=True)
class Rewards:
    """Runs by their settings, and how a point finds its numbers.

    `measure` is the series of points that name none. `paper_epochs` is the length of the paper's
    runs: where fewer epochs were run, its epochs are scaled down (`epoch`).
    `labels` name methods that have no runs.
    """

    all_runs: tuple[Runs, ...]
    measure: str
    paper_epochs: int
    labels: Mapping[str, str] = field(default_factory=dict)

    @property
    def base(self) -> tuple[Runs, ...]:
        """The runs of no variant."""
        return tuple(runs for runs in self.all_runs if not runs.variant)

    @property
    def first(self) -> Runs:
        """Runs that tell experiment, profile, source and data, which all have in common."""
        return self.all_runs[0]

    @property
    def epochs(self) -> int:
        """How many epochs were run."""
        return self.first.horizon

    @property
    def swept(self) -> tuple[str, ...]:
        """Names of the settings in which the base runs differ, sorted."""
        names = {name for runs in self.base for name in runs.settings}
        return tuple(
            sorted(n for n in names if len({str(runs.settings.get(n)) for runs in self.base}) > 1)
        )

    def levels(self, setting: str) -> tuple[float, ...]:
        """Return the values that a numeric setting takes in the base runs, ascending."""
        found = {float(r.settings[setting]) for r in self.base if setting in r.settings}
        return tuple(sorted(found))

    def epoch(self, printed: int) -> int:
        """Return the epoch here that stands for one of the paper's.

        It is the same where the runs are as long as the paper's; else it lies at the same part of
        the run, at least 1.
        """
        if self.epochs >= self.paper_epochs:
            return min(printed, self.epochs)
        return max(1, (2 * printed * self.epochs + self.paper_epochs) // (2 * self.paper_epochs))

    def label(self, method: str) -> str:
        """Return what people call a method; its name where it has no runs."""
        for runs in self.all_runs:
            if method in runs.methods:
                return runs.methods[method].label
        return self.labels.get(method, method)

    def runs_of(self, point: Point) -> Runs | None:
        """Return the runs under a point's settings, None where there are none.

        Raises:
            PearlError: its settings don't tell the runs apart.
        """
        fitting = [
            runs
            for runs in self.all_runs
            if runs.variant == point.variant
            and all(runs.settings.get(name) == value for name, value in point.settings)
        ]
        if len(fitting) > 1:
            raise PearlError(
                f"{self.first.experiment}: {point} fits {len(fitting)} settings of the results."
            )
        return fitting[0] if fitting else None

    def method_of(self, point: Point) -> MethodRuns | None:
        """Return the runs of a point's method under its settings, None where there are none."""
        runs = self.runs_of(point)
        return runs.methods.get(point.method) if runs else None

    def sample(self, point: Point) -> Sample | None:
        """Return a point's numbers; None where no run carries them."""
        run = self.method_of(point)
        series = _series(run, point.series or self.measure) if run else None
        if run is None or series is None or series.shape[1] == 0:
            return None
        return Sample(run.seeds, self._at(point, series), run.keys)

    def contrasted(self, contrast: Contrast) -> Sample | None:
        """Return a contrast's numbers over the seeds that all its points have, None without any."""
        samples = [self.sample(point) for point in contrast.points]
        present = [one for one in samples if one is not None]
        if len(present) < len(samples):
            return None
        seeds = tuple(s for s in present[0].seeds if all(s in one.seeds for one in present))
        if not seeds:
            return None
        total = np.zeros(len(seeds))
        keys: list[str] = []
        for number, one in enumerate(present):
            places = [one.seeds.index(seed) for seed in seeds]
            total += (1 if number < len(contrast.plus) else -1) * one.values[places]
            keys.extend(one.keys[place] for place in places)
        return Sample(seeds, total, tuple(keys))

    def _at(self, point: Point, series: np.ndarray) -> np.ndarray:
        if point.at == "mean":
            return np.asarray(series.mean(axis=1))
        if point.at == "first":
            return np.asarray(series[:, 0])
        if point.at == "last":
            return np.asarray(series[:, -1])
        place = self.epoch(point.at) - 1
        if place >= series.shape[1]:
            raise PearlError(f"{self.first.experiment}: {point} lies beyond the runs' epochs.")
        return np.asarray(series[:, place])


def _series(run: MethodRuns, name: str) -> np.ndarray | None:
    if not name.startswith(METRIC):
        return run.series.get(name)
    found = run.metric(name.removeprefix(METRIC))
    return None if found is None else found[:, None]


def rewards_of(
    all_runs: Sequence[Runs],
    paper_epochs: int,
    measure: str = TO_DATE,
    labels: Mapping[str, str] | None = None,
) -> Rewards:
    """Return the runs of an experiment, base before variants.

    Raises:
        PearlError: its runs are of different lengths.
    """
    horizons = {runs.horizon for runs in all_runs}
    if len(horizons) > 1:
        raise PearlError(
            f"{all_runs[0].experiment}: a table of rewards has runs of one length, the results"
            f" hold {', '.join(map(str, sorted(horizons)))} epochs."
        )
    ordered = sorted(all_runs, key=lambda runs: runs.variant != "")
    return Rewards(tuple(ordered), measure, paper_epochs, labels or {})
