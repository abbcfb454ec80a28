"""The table of "partial or global": regret, recovery and uncertainty spent by rule, s and features.

Nothing of it is published, so it has no claims and no tests: intervals tell, and paired differences
with the reference.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from pearl.experiments import Experiment
from pearl.report.cells import SHORT_KEY, Cell
from pearl.report.numbers import between, percent, plain
from pearl.report.origin import data_lines, seed_lines
from pearl.report.rows import MethodRuns, Runs
from pearl.report.settings import ReportSettings
from pearl.report.statistics import Floats, Interval, interval
from pearl.report.views import Entry, Grid

Key = tuple[str, int]
"""Kind of features and s."""
NONE = Entry("\N{EM DASH}")
DIFFERENCE = "difference of regret"
CAVEAT = (
    "Rates were tuned on other seeds, one pair a method and kind of features for all s"
    " (linear_tuning.yaml). Intervals cover seeds, each of which draws its own taste and arms."
)


@dataclass(frozen=True)
class Measure:
    """What is averaged over seeds: a name for people, and what a method's runs give of it.

    `at` is whether it needs a shift, its absence, or neither; `share` whether it is printed in
    percent; of a `median` the middle seed is told, without an interval.
    """

    name: str
    of: Callable[[MethodRuns, Runs], Floats | None]
    at: Literal["shift", "no shift", "any"] = "shift"
    share: bool = False
    median: bool = False

    def is_told(self, shifted: int, method: str) -> bool:
        """Say whether it means something where so many dimensions shift, of this method."""
        if self.name in OF_ALARMS and method.startswith(WITHOUT_ALARMS):
            return False
        return self.at == "any" or (self.at == "shift") == (shifted > 0)

    def estimate(self, sample: Floats, stream: str, settings: ReportSettings) -> Interval:
        """Return its estimate over seeds."""
        if self.median:
            return Interval(float(np.median(sample)), None, None, "none", len(sample))
        return interval(sample, stream=stream, settings=settings)


def _metric(name: str) -> Callable[[MethodRuns, Runs], Floats | None]:
    return lambda run, _: run.metric(name)


def _false_alarms(run: MethodRuns, runs: Runs) -> Floats | None:
    """Return the alarms of a run without a shift per 1,000 rounds of its second half.

    The first half holds the start, at which a tracked error begins above the threshold.
    """
    alarms = run.metric("alarms_after")
    rounds = runs.horizon - int(runs.settings["shift_round"])
    return None if alarms is None else alarms * 1000.0 / rounds


def _delay(run: MethodRuns, _: Runs) -> Floats | None:
    """Return the delay of the runs in which an alarm came at all."""
    delay, detected = run.metric("delay"), run.metric("detected")
    if delay is None or detected is None or not detected.any():
        return None
    return delay[detected > 0]


OF_ALARMS = ("false alarms", "detected", "delay")
WITHOUT_ALARMS = ("none", "always", "discount", "window", "oracle")
"""How the names of methods begin whose forgetting is no event."""
MEASURES = (
    Measure("regret", _metric("final_regret"), at="any"),
    Measure("recovery", _metric("recovery")),
    Measure("recovered", _metric("recovered"), share=True),
    Measure("spent in V", _metric("spent_in_v")),
    Measure("spent outside V", _metric("spent_outside")),
    Measure("false alarms", _false_alarms, at="no shift"),
    Measure("detected", _metric("detected"), share=True),
    Measure("delay", _delay, median=True),
)


@dataclass(frozen=True)
class PartialTable:
    """Estimates by features and s, method, and measure.

    `at` holds the runs, `values` the intervals, `differences` the other methods' regret minus the
    reference's, paired by seed. `dimensions` of V are means over seeds.
    """

    experiment: Experiment
    at: Mapping[Key, Runs]
    values: Mapping[tuple[Key, str, str], Interval]
    differences: Mapping[tuple[Key, str], Interval]
    settings: ReportSettings

    @property
    def first(self) -> Runs:
        """Runs that tell profile, source and data."""
        return next(iter(self.at.values()))

    @property
    def kinds(self) -> tuple[str, ...]:
        """Kinds of features, in the order of the experiment."""
        asked = [str(each) for each in self.experiment.grid.get("features", ())]
        found = {features for features, _ in self.at}
        return tuple(sorted(found, key=lambda f: (asked.index(f) if f in asked else 99, f)))

    def shifted(self, features: str) -> tuple[int, ...]:
        """Return the s of a kind of features, ascending."""
        return tuple(sorted(s for each, s in self.at if each == features))

    @property
    def methods(self) -> tuple[str, ...]:
        """Methods with runs, in the order of the experiment."""
        found = {name for runs in self.at.values() for name in runs.methods}
        return tuple(name for name in self.experiment.methods if name in found)

    def label(self, method: str) -> str:
        """Return what people call a method."""
        return next(r.methods[method].label for r in self.at.values() if method in r.methods)

    def dimension(self, key: Key) -> float | None:
        """Return the mean dimension of V."""
        for run in self.at[key].methods.values():
            found = run.metric("dimension_v")
            if found is not None:
                return float(found.mean())
        return None


def estimate_partial(
    experiment: Experiment, runs: Sequence[Runs], settings: ReportSettings
) -> PartialTable:
    """Return the estimates of an experiment's runs."""
    at = {(str(r.settings["features"]), int(r.settings["shifted"])): r for r in runs}
    values: dict[tuple[Key, str, str], Interval] = {}
    differences: dict[tuple[Key, str], Interval] = {}
    for key, found in at.items():
        for name, run in found.methods.items():
            for measure in MEASURES:
                sample = measure.of(run, found) if measure.is_told(key[1], name) else None
                if sample is not None:
                    stream = f"{experiment.id}/{key}/{name}/{measure.name}"
                    values[key, name, measure.name] = measure.estimate(sample, stream, settings)
            if name != experiment.reference and experiment.reference in found.methods:
                paired = _paired(found, name, experiment.reference)
                if paired is not None:
                    stream = f"{experiment.id}/{key}/{name}/{DIFFERENCE}"
                    differences[key, name] = interval(paired, stream=stream, settings=settings)
    return PartialTable(experiment, at, values, differences, settings)


def partial_cells(table: PartialTable) -> list[Cell]:
    """Return the CSV file's cells: a row a method and kind of features."""
    cells = []
    for features in table.kinds:
        for name in table.methods:
            row = f"{table.label(name)}, {features}"
            for s in table.shifted(features):
                key = (features, s)
                run = table.at[key].methods.get(name)
                keys = run.keys if run else ()
                for measure in MEASURES:
                    value = table.values.get((key, name, measure.name))
                    if value is not None:
                        cells.append(Cell(row, f"{measure.name}, s={s}", value, keys))
                value = table.differences.get((key, name))
                if value is not None:
                    cells.append(Cell(row, f"{DIFFERENCE}, s={s}", value, keys))
    return cells


def partial_grids(table: PartialTable) -> tuple[Grid, ...]:
    """Print the tables of each kind of features: regret, difference, recovery, what it cost."""
    made = []
    for features in table.kinds:
        every = table.shifted(features)
        some = tuple(s for s in every if s > 0)
        reference = table.label(table.experiment.reference)
        made.append(_grid(table, features, every, "regret", f"{features}: regret of the whole run"))
        made.append(
            _grid(table, features, every, DIFFERENCE, f"{features}: regret above {reference}")
        )
        made.append(_grid(table, features, some, "recovery", f"{features}: rounds to recovery"))
        made.append(_grid(table, features, some, "recovered", f"{features}: runs that recovered"))
        made.append(_spent(table, features, some))
        made.append(_alarms(table, features, some))
    return tuple(one for one in made if one.rows)


def partial_caption(experiment: Experiment, table: PartialTable) -> str:
    """Say what figure and table show."""
    first = table.first
    counts = {len(run.seeds) for run in first.methods.values()}
    told = first.settings
    return (
        f"{experiment.title}. d = {told['dimensions']}, T = {first.horizon:,}, shift after round"
        f" {told['shift_round']:,}; means over {max(counts)} seeds. Recovery: rounds until the mean"
        f" regret of {told['window']} rounds is within {percent(float(told['tolerance']))} of an"
        " oracle's that starts anew at the shift; a run that doesn't recover counts with the rounds"
        " that remain."
    )


def partial_beneath(table: PartialTable) -> tuple[str, ...]:
    """Return the sentences beneath the tables."""
    said = []
    for features in table.kinds:
        found = [(s, table.dimension((features, s))) for s in table.shifted(features) if s > 0]
        if features == "neural":
            told = ", ".join(f"{plain(v, 1)} at s = {s}" for s, v in found if v is not None)
            said.append(
                f"V takes on average {told} of the network's"
                f" {table.first.settings['hidden']} features"
                f" ({percent(float(table.first.settings['energy']))} of the differences' squared"
                " length)."
            )
    return (
        *said,
        "Regret is the sum over all rounds; differences are paired by seed.",
        *((_of_alarms(table),) if any(what in OF_ALARMS for _, _, what in table.values) else ()),
        CAVEAT,
    )


def partial_origin(table: PartialTable) -> tuple[tuple[str, str], ...]:
    """Return where the numbers come from."""
    first = table.first
    told = ", ".join(
        f"{name} = {value}"
        for name, value in first.settings.items()
        if name not in ("kind", "features", "shifted")
    )
    methods = sorted({each.method for each in table.values.values()})
    return (
        *data_lines(first),
        ("settings", f"{told}, horizon = {first.horizon}"),
        ("profile", first.profile),
        ("intervals", ", ".join(methods)),
        *seed_lines(first.methods.values()),
    )


def partial_keys(table: PartialTable) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return run keys by method."""
    return tuple(
        (
            table.label(name),
            tuple(
                key[:SHORT_KEY]
                for runs in table.at.values()
                if name in runs.methods
                for key in runs.methods[name].keys
            ),
        )
        for name in table.methods
    )


def _grid(
    table: PartialTable, features: str, shifted: Sequence[int], what: str, title: str
) -> Grid:
    share = any(measure.share for measure in MEASURES if measure.name == what)

    def found(name: str, s: int) -> Interval | None:
        if what == DIFFERENCE:
            return table.differences.get(((features, s), name))
        return table.values.get(((features, s), name, what))

    rows = tuple(
        (
            table.label(name),
            name == table.experiment.reference,
            tuple(_entry(found(name, s), share) for s in shifted),
        )
        for name in table.methods
        if any(found(name, s) is not None for s in shifted)
    )
    return Grid(title, ("method", *(f"s = {s}" for s in shifted)), rows)


def _spent(table: PartialTable, features: str, shifted: Sequence[int]) -> Grid:
    def entry(name: str, s: int) -> Entry:
        parts = [table.values.get(((features, s), name, f"spent {p} V")) for p in ("in", "outside")]
        if parts[0] is None or parts[1] is None:
            return NONE
        return Entry(f"{plain(parts[0].estimate)} / {plain(parts[1].estimate)}")

    rows = tuple(
        (
            table.label(name),
            name == table.experiment.reference,
            tuple(entry(name, s) for s in shifted),
        )
        for name in table.methods
        if not name.startswith("none")
    )
    title = f"{features}: uncertainty spent until recovery, trace in V / outside"
    return Grid(title, ("method", *(f"s = {s}" for s in shifted)), rows if shifted else ())


def _alarms(table: PartialTable, features: str, shifted: Sequence[int]) -> Grid:
    def delay(name: str, s: int) -> Entry:
        share = table.values.get(((features, s), name, "detected"))
        middle = table.values.get(((features, s), name, "delay"))
        if share is None:
            return NONE
        count = f"{middle.n if middle else 0} of {share.n}"
        return Entry(plain(middle.estimate) if middle else NONE.text, f"({count})")

    rows = tuple(
        (
            table.label(name),
            name == table.experiment.reference,
            (
                _entry(table.values.get(((features, 0), name, "false alarms")), share=False),
                *(delay(name, s) for s in shifted),
            ),
        )
        for name in table.methods
        if not name.startswith(WITHOUT_ALARMS)
    )
    head = ("method", "false alarms, s = 0", *(f"delay, s = {s}" for s in shifted))
    return Grid(f"{features}: alarms, and rounds from the shift to the first", head, rows)


def _of_alarms(table: PartialTable) -> str:
    first = table.first
    shift = int(first.settings["shift_round"])
    return (
        f"False alarms: per 1,000 rounds at s = 0, in rounds {shift + 1:,} to {first.horizon:,},"
        " where nothing has shifted and the start lies behind. Delay: the median of rounds from the"
        " shift to the first alarm after it, a false one too, over the runs that had one; how many"
        " had stands in brackets."
    )


def _entry(value: Interval | None, share: bool) -> Entry:
    if value is None:
        return NONE
    if share:
        return Entry(percent(value.estimate))
    return Entry(plain(value.estimate), between(value))


def _paired(runs: Runs, method: str, reference: str) -> Floats | None:
    seeds = runs.common_seeds(method, reference)
    one, other = runs.methods[method], runs.methods[reference]
    first, second = one.metric("final_regret"), other.metric("final_regret")
    if not seeds or first is None or second is None:
        return None
    return np.asarray(first[one.at(seeds)] - second[other.at(seeds)])
