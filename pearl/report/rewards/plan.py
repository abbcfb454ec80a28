"""What a table of rewards holds, before anything is estimated: its values, differences, grids."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pearl.report.contrasts import Contrast
from pearl.report.statistics import Statistic

Style = Literal["reward", "difference", "p", "q", "d", "text", "count"]


@dataclass(frozen=True)
class Value:
    """A cell that holds the average of one point."""

    row: str
    column: str
    contrast: Contrast


@dataclass(frozen=True)
class Difference:
    """A row's paired difference, with p, q and effect size beside it.

    A `tested` one belongs to the table's family of comparisons, declared before the runs.
    """

    row: str
    column: str
    contrast: Contrast
    tested: bool = True
    effect: bool = False


@dataclass(frozen=True)
class Column:
    """A column of the page's table: its heading and how its numbers are printed."""

    heading: str
    style: Style


@dataclass(frozen=True)
class Line:
    """A row of the page's table: each place names a cell by row and column, or is None.

    The column of a p- or q-value is the beginning of its name. `leads` marks the reference.
    """

    label: str
    places: tuple[tuple[str, str] | None, ...]
    leads: bool = False


@dataclass(frozen=True)
class GridPlan:
    """A table of the page: title ("" for none), the first column's heading, columns, lines."""

    title: str
    corner: str
    columns: tuple[Column, ...]
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class Plan:
    """All cells of a table and how the page lays them out.

    `family` says in words which comparisons the table's family of tests holds; `remarks` stand
    beneath the table; `statistic` is what all its cells and tests take of the seeds.
    """

    values: tuple[Value, ...]
    differences: tuple[Difference, ...]
    grids: tuple[GridPlan, ...]
    family: str = ""
    remarks: tuple[str, ...] = ()
    statistic: Statistic = "mean"


P = "p ("
Q = "BH q (table"
EFFECT = "effect size d"


def difference_places(row: str, column: str) -> tuple[tuple[str, str], ...]:
    """Return the places of a difference, its p and its q, whose columns go on with more words."""
    return (row, column), (row, P), (row, Q)


DIFFERENCE_COLUMNS = (
    Column("difference", "difference"),
    Column("p", "p"),
    Column("q", "q"),
)
