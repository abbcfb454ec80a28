"""A table's cells, and the CSV file that holds them: one line a cell, the same bytes everywhere."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pearl.files import write_text
from pearl.report.rows import Runs
from pearl.report.statistics import Interval

COLUMNS = (
    "experiment",
    "profile",
    "row",
    "column",
    "measured",
    "ci_low",
    "ci_high",
    "ci_method",
    "n_seeds",
    "published",
    "delta",
    "verdict",
    "data_source",
    "run_keys",
)
SHORT_KEY = 12
INSTANCE = "instance"
"""The row of what was measured of the instance, which no method changes."""


@dataclass(frozen=True)
class Cell:
    """One number of a table: measured, beside what was published where something was.

    `measured` is None where no run measures it. `published` is a number with the digits as
    printed, empty where the paper states an order or nothing; `delta` = measured - published.
    `keys` are the full keys of the runs that it stands on.
    """

    row: str
    column: str
    measured: Interval | None
    keys: tuple[str, ...] = ()
    published: str = ""
    delta: float | None = None
    verdict: str = ""


def number(value: float | None) -> str:
    """Write a number with six significant digits; nothing for None."""
    if value is None:
        return ""
    return format(value + 0.0, ".6g")  # + 0.0: no "-0"


def write_csv(
    target: Path, runs: Runs, cells: Iterable[Cell], *, experiment: str | None = None
) -> None:
    """Write a table's cells in their order, whole or not at all.

    Args:
        target: the file.
        runs: tell experiment, profile and source.
        cells: in the order of lines.
        experiment: what the table is of, where it is not the runs' experiment.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for cell in cells:
        measured = cell.measured
        writer.writerow(
            (
                experiment or runs.experiment,
                runs.profile,
                cell.row,
                cell.column,
                number(measured.estimate) if measured else "",
                number(measured.low) if measured else "",
                number(measured.high) if measured else "",
                measured.method if measured else "none",
                measured.n if measured else 0,
                cell.published,
                number(cell.delta),
                cell.verdict,
                runs.source,
                ";".join(dict.fromkeys(key[:SHORT_KEY] for key in cell.keys)),
            )
        )
    write_text(target, text.getvalue())
