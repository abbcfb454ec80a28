"""One experiment's part of a report: its cells with verdicts, within its families of tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pearl.experiments import Experiment
from pearl.report.cells import Cell
from pearl.report.claims import FALSE_DISCOVERY_RATE, Paper
from pearl.report.comparisons import adjust
from pearl.report.final_regret import FinalRegret, cells
from pearl.report.findings import Finding, judge


@dataclass(frozen=True)
class Section:
    """An experiment under the report's profile: estimates, laid-out cells, judged claims.

    `beneath` are the sentences that stand beneath the table.
    """

    experiment: Experiment
    table: FinalRegret
    cells: tuple[Cell, ...]
    findings: tuple[Finding, ...]
    beneath: tuple[str, ...]


def make_sections(
    paper: Paper, tables: Sequence[tuple[Experiment, FinalRegret]]
) -> tuple[Section, ...]:
    """Judge a paper's claims on all its tables at once.

    The order claims' q-values are of the table's own family; those of the family of all the
    paper's tables stand in a column beside them.
    """
    pairs = [(e.id, name) for e, table in tables for name in table.comparisons]
    p_values = [
        table.comparisons[name].p_value for _, table in tables for name in table.comparisons
    ]
    adjusted, m_paper = adjust(p_values)
    in_paper = dict(zip(pairs, adjusted, strict=True))
    made = []
    for experiment, table in tables:
        mine = {name: in_paper[experiment.id, name] for name in table.comparisons}
        made.append(_section(paper, experiment, table, mine, m_paper))
    return tuple(made)


def _section(
    paper: Paper,
    experiment: Experiment,
    table: FinalRegret,
    in_paper: dict[str, float | None],
    m_paper: int,
) -> Section:
    names = list(table.comparisons)
    adjusted, m_table = adjust([table.comparisons[name].p_value for name in names])
    in_table = dict(zip(names, adjusted, strict=True))
    findings = tuple(
        judge(claim, table, in_table) for claim in paper.claims if claim.experiment == experiment.id
    )
    laid = cells(table, in_table, in_paper, (m_table, m_paper))
    judged = {(cell.row, cell.column): cell for found in findings for cell in found.cells}
    merged = [judged.pop((cell.row, cell.column), cell) for cell in laid]
    return Section(
        experiment,
        table,
        (*merged, *judged.values()),
        findings,
        _beneath(table, m_table, m_paper),
    )


def _beneath(table: FinalRegret, m_table: int, m_paper: int) -> tuple[str, ...]:
    label = table.label(table.reference)
    absent = [name for name in table.order if name not in table.runs.methods]
    tests = sorted({c.test for c in table.comparisons.values() if c.test})
    said = []
    if table.comparisons:
        said.append(
            f"Reductions and differences compare {label} with the row's method on the same seeds;"
            " a reduction is the mean over pairs."
        )
    if tests:
        said.append(
            f"q: {', '.join(tests)}, Benjamini-Hochberg over all {m_table} comparisons of this"
            f" table (over all tables of the paper m = {m_paper}; that column is in the CSV file);"
            f" an order counts below {FALSE_DISCOVERY_RATE:g}."
        )
    if absent:
        said.append(f"Without runs here: {', '.join(absent)}.")
    return tuple(said)
