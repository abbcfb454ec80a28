"""The kinds of exhibits that `report: table` may name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pearl.experiments import Exhibit
from pearl.report.cells import Cell
from pearl.report.exhibits.asked import Asked, judge_fact, no_claims
from pearl.report.exhibits.configuration import (
    Configuration,
    configuration,
    configuration_beneath,
    configuration_cells,
    configuration_grids,
)
from pearl.report.exhibits.datasets_compared import (
    datasets_beneath,
    datasets_cells,
    datasets_grids,
)
from pearl.report.exhibits.heterogeneity import (
    heterogeneity_beneath,
    heterogeneity_cells,
    heterogeneity_grids,
)
from pearl.report.exhibits.methods_table import (
    method_rows,
    methods_beneath,
    methods_cells,
    methods_grids,
)
from pearl.report.exhibits.theory_table import theory_beneath, theory_cells, theory_grids
from pearl.report.layout import Layout
from pearl.report.views import Grid
from pearl.theory import checks
from pearl.words import one_of


@dataclass(frozen=True)
class Made:
    """What an exhibit was asked with, and what was made of that."""

    asked: Asked
    table: Any


@dataclass(frozen=True, kw_only=True)
class ExhibitKind(Layout):
    """What the report asks of a kind of exhibit; `make` turns what was asked into its table."""

    make: Callable[[Asked], Made]


def _kind(
    make: Callable[[Asked], Any],
    cells: Callable[[Any], list[Cell]],
    grids: Callable[[Any, Sequence[Cell]], tuple[Grid, ...]],
    beneath: Callable[[Any], tuple[str, ...]],
    *,
    facts: bool,
) -> ExhibitKind:
    """Return a kind without tests and run keys; `facts` says that claims are judged by facts."""
    return ExhibitKind(
        make=lambda asked: Made(asked, make(asked)),
        first=lambda made: made.asked.runs,
        tests=lambda _: {},
        cells=lambda made, _in_table, _in_paper, _sizes: cells(made.table),
        judge=lambda claim, made, _q: judge_fact(claim, made.asked) if facts else no_claims(claim),
        beneath=lambda made, _m_table, _m_paper: beneath(made.table),
        grids=lambda made, found: grids(made.table, found),
        caption=lambda _exhibit, made: made.asked.caption,
        origin=lambda made: made.asked.origin(),
        keys=lambda _: (),
    )


def _as_asked(asked: Asked) -> Asked:
    return asked


def _methods(_asked: Asked) -> Any:
    return method_rows()


def _theory(_asked: Asked) -> Any:
    return checks()


def _configuration(asked: Asked) -> Configuration:
    return configuration(asked)


EXHIBITS = {
    "heterogeneity": _kind(
        _as_asked, heterogeneity_cells, heterogeneity_grids, heterogeneity_beneath, facts=True
    ),
    "datasets_compared": _kind(
        _as_asked, datasets_cells, datasets_grids, datasets_beneath, facts=True
    ),
    "methods": _kind(_methods, methods_cells, methods_grids, methods_beneath, facts=False),
    "configuration": _kind(
        _configuration,
        configuration_cells,
        configuration_grids,
        configuration_beneath,
        facts=True,
    ),
    "theory": _kind(_theory, theory_cells, theory_grids, theory_beneath, facts=False),
}


def exhibit_kind(exhibit: Exhibit) -> ExhibitKind:
    """Return the kind of an exhibit; SettingError where there is none of that name."""
    where = f"table of {exhibit.id}"
    return EXHIBITS[one_of(exhibit.report.table or "", EXHIBITS, where)]
