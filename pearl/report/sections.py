"""One experiment's part of a report: its cells with verdicts, within its families of tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pearl.report.cells import Cell
from pearl.report.claims import Paper
from pearl.report.comparisons import adjust
from pearl.report.findings import Finding
from pearl.report.layout import Layout, Shown
from pearl.report.layouts import layout_of
from pearl.report.rows import Runs


@dataclass(frozen=True)
class Section:
    """An experiment under the report's profile, or an exhibit: laid-out cells, judged claims.

    `table` is what the kind's `estimate` or `make` returned; `notes` and `beneath` are the
    sentences that stand beneath the table, the former of every kind.
    """

    experiment: Shown
    kind: Layout
    table: Any
    cells: tuple[Cell, ...]
    findings: tuple[Finding, ...]
    notes: tuple[str, ...]
    beneath: tuple[str, ...]

    @property
    def runs(self) -> Runs:
        """Runs that tell the section's profile, source and data."""
        return self.kind.first(self.table)


def make_sections(
    paper: Paper,
    tables: Sequence[tuple[Shown, Any]],
    notes: Mapping[str, tuple[str, ...]] | None = None,
) -> tuple[Section, ...]:
    """Judge a paper's claims on all its tables at once.

    The order claims' q-values are of the table's own family; those of the family of all the
    paper's tables stand in a column beside them. `notes` are further sentences beneath a table, by
    the id of the experiment.
    """
    tests = [(e, name, one) for e, t in tables for name, one in layout_of(e).tests(t).items()]
    adjusted, m_paper = adjust([one.p_value for _, _, one in tests])
    in_paper = {(e.id, name): q for (e, name, _), q in zip(tests, adjusted, strict=True)}
    made = []
    for experiment, table in tables:
        names = layout_of(experiment).tests(table)
        mine = {name: in_paper[experiment.id, name] for name in names}
        told = (notes or {}).get(experiment.id, ())
        made.append(_section(paper, experiment, table, mine, m_paper, told))
    return tuple(made)


def _section(
    paper: Paper,
    experiment: Shown,
    table: Any,
    in_paper: dict[str, float | None],
    m_paper: int,
    notes: tuple[str, ...],
) -> Section:
    kind = layout_of(experiment)
    tests = kind.tests(table)
    adjusted, m_table = adjust([one.p_value for one in tests.values()])
    in_table = dict(zip(tests, adjusted, strict=True))
    findings = tuple(kind.judge(claim, table, in_table) for claim in paper.of(experiment.id))
    laid = kind.cells(table, in_table, in_paper, (m_table, m_paper))
    judged = {(cell.row, cell.column): cell for found in findings for cell in found.cells}
    merged = [judged.pop((cell.row, cell.column), cell) for cell in laid]
    return Section(
        experiment,
        kind,
        table,
        (*merged, *judged.values()),
        findings,
        notes,
        kind.beneath(table, m_table, m_paper),
    )
