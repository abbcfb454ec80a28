"""The paper's statements, checked numerically: what holds, what fails, what says nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pearl.report.cells import Cell
from pearl.report.views import Entry, Grid
from pearl.theory import Check

WORDS = {"yes": ("holds", "good"), "no": ("fails", "bad"), "vacuous": ("says nothing", "open")}


def theory_cells(checks: Sequence[Check]) -> list[Cell]:
    """Return the CSV file's cells: verdicts alone."""
    return [
        Cell(check.place, check.statement, None, verdict=WORDS[check.holds][0]) for check in checks
    ]


def theory_grids(checks: Sequence[Check], _cells: Sequence[Cell]) -> tuple[Grid, ...]:
    """Print each statement, its place, the verdict and what was seen."""
    rows = tuple(
        (
            check.statement,
            False,
            (
                Entry(check.place),
                Entry(WORDS[check.holds][0], tone=WORDS[check.holds][1]),
                Entry(check.seen),
            ),
        )
        for check in checks
    )
    return (Grid("", ("the statement", "place", "here it", "seen"), rows, words=True),)


def theory_beneath(checks: Sequence[Check]) -> tuple[str, ...]:
    """Return the sentence beneath the table."""
    counts = Counter(check.holds for check in checks)
    return (
        f"Of {len(checks)} statements {counts['yes']} hold in every case drawn, {counts['no']}"
        f" fail in a case that is shown, {counts['vacuous']} bound a quantity by more than it can"
        " reach. A statement that held in drawn cases isn't proved by that.",
    )
