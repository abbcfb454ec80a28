"""What PEARL costs, as far as it is the same on every machine: parameters, injections, caps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pearl.report.cells import Cell
from pearl.report.contrasts import Point
from pearl.report.numbers import percent, within
from pearl.report.origin import CAVEAT, data_lines, seed_lines
from pearl.report.rewards.reading import Sample
from pearl.report.rewards.table import RewardTable, setting_words
from pearl.report.rows import Runs
from pearl.report.statistics import Interval, interval
from pearl.report.views import Entry, ExperimentView, Grid

ID = "pearl/cost"
STEM = "pearl-cost"
PEARL = "pearl"
PUBLISHED = {
    "parameters": ("~100K", "abstract and Section 1"),
    "injection rate": ("~40%", "Section 3.4"),
    "cap rate": ("", "not stated; the cap follows every injection"),
}
SERIES = {"injection rate": "epoch/injection_rate", "cap rate": "epoch/cap_rate"}
TIMES = (
    "Times differ between machines and stand in no report: the command pearl cost measures the"
    " selection and the eigendecomposition here, beside the published milliseconds and under 1 ms."
)
UNJUDGED = "The paper's figures are approximate and carry no verdict."


@dataclass(frozen=True)
class Cost:
    """Cells of tables/pearl-cost.csv, and the section of the page that prints them."""

    runs: Runs
    cells: tuple[Cell, ...]
    view: ExperimentView


def cost(tables: Sequence[RewardTable]) -> Cost | None:
    """Collect PEARL's costs from the first table that carries them; None where none does."""
    for table in tables:
        rewards = table.rewards
        if rewards.first.settings.get("kind") == "controlled":
            continue
        flips = rewards.levels("flip")
        found = [(f, _cells(table, f)) for f in flips]
        cells = [cell for _, made in found for cell in made]
        if any(cell.column in SERIES for cell in cells):
            return Cost(rewards.first, tuple(cells), _view(table, cells))
    return None


def _cells(table: RewardTable, flip: float) -> list[Cell]:
    rewards, row = table.rewards, setting_words("flip", flip)
    point = Point(PEARL).under(flip=flip)
    run = rewards.method_of(point)
    if run is None:
        return []
    made = []
    parameters = run.metric("parameters")
    if parameters is not None:
        sample = Sample(run.seeds, parameters, run.keys)
        made.append(_cell(table, row, "parameters", sample))
    for column, series in SERIES.items():
        found = rewards.sample(Point(PEARL, point.settings, "mean", series))
        if found is not None:
            made.append(_cell(table, row, column, found))
    return made


def _cell(table: RewardTable, row: str, column: str, sample: Sample) -> Cell:
    stream = f"{ID}/{row}/{column}"
    measured = interval(sample.values, stream=stream, settings=table.settings)
    return Cell(row, column, measured, sample.keys, published=PUBLISHED[column][0])


def _view(table: RewardTable, cells: Sequence[Cell]) -> ExperimentView:
    rows = list(dict.fromkeys(cell.row for cell in cells))
    at = {(cell.row, cell.column): cell for cell in cells}
    lines = tuple(
        (row, False, tuple(_entry(at.get((row, column)), column) for column in PUBLISHED))
        for row in rows
    )
    first = table.rewards.first
    runs = [
        run for each in table.rewards.base for name, run in each.methods.items() if name == PEARL
    ]
    return ExperimentView(
        id=ID,
        title="What PEARL costs",
        place="Abstract, Section 3.4",
        question="How large is the policy, and how often does it inject and cap?",
        stem=STEM,
        figure=None,
        caption=f"Told from the runs of {table.experiment.id}. Data: {first.data_label}.",
        sample=first.on_sample_data,
        grids=(Grid("", ("flipped users", *PUBLISHED), lines),),
        outcome="",
        beneath=(
            "The injection rate is the share of interactions at which uncertainty is injected, the"
            " cap rate that at which the cap then lowers an eigenvalue, over all epochs.",
            UNJUDGED,
            TIMES,
            CAVEAT_HERE,
        ),
        provenance=tuple(
            (name, value)
            for name, value in (
                *data_lines(first),
                ("runs", f"PEARL's of {table.experiment.id}"),
                *seed_lines(runs),
            )
            if value
        ),
        keys=(),
        missed=(),
        explanation=None,
    )


CAVEAT_HERE = CAVEAT.partition(",")[0] + "."


def _entry(cell: Cell | None, column: str) -> Entry:
    if cell is None or cell.measured is None:
        return Entry("\N{EM DASH}", published=PUBLISHED[column][0])
    value = cell.measured.estimate
    show = _count if column == "parameters" else percent
    return Entry(show(value), _interval(cell.measured, column), PUBLISHED[column][0])


def _count(value: float) -> str:
    return f"{value:,.0f}"


def _interval(measured: Interval, column: str) -> str:
    if column == "parameters" or np.isclose(measured.estimate, 0):
        return ""
    return within(measured, percent)
