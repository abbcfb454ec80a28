"""What the report asks of every kind of table, whether runs stand behind it or not."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pearl.experiments import Exhibit, Experiment
from pearl.report.cells import Cell
from pearl.report.claims import AnyClaim
from pearl.report.comparisons import Comparison
from pearl.report.findings import Finding
from pearl.report.rows import Runs
from pearl.report.views import Grid

Q = Mapping[str, float | None]
Pairs = tuple[tuple[str, str], ...]
Keys = tuple[tuple[str, tuple[str, ...]], ...]
Shown = Experiment | Exhibit


@dataclass(frozen=True, kw_only=True)
class Layout:
    """How a kind of table is judged and printed; T is what it is made to.

    Attributes:
        first: T -> runs that tell profile, source and data; an exhibit's have no methods.
        tests: T -> the family of comparisons, by name.
        cells: T, q-values within table and paper, the families' sizes -> the CSV file's cells.
        judge: claim, T, q-values within the table -> Finding.
        beneath: T, the families' sizes -> sentences beneath the table.
        grids: T, judged cells -> the page's tables.
        caption: experiment or exhibit, T -> what figure and table show.
        origin: T -> where the numbers come from.
        keys: T -> run keys by method.
    """

    first: Callable[[Any], Runs]
    tests: Callable[[Any], Mapping[str, Comparison]]
    cells: Callable[[Any, Q, Q, tuple[int, int]], list[Cell]]
    judge: Callable[[AnyClaim, Any, Q], Finding]
    beneath: Callable[[Any, int, int], tuple[str, ...]]
    grids: Callable[[Any, Sequence[Cell]], tuple[Grid, ...]]
    caption: Callable[[Any, Any], str]
    origin: Callable[[Any], Pairs]
    keys: Callable[[Any], Keys]
