"""Claims printed as the lines of a paper's summary."""

from __future__ import annotations

from pearl.report.cells import INSTANCE, Cell
from pearl.report.claims import (
    NOT_REPRODUCED,
    NOT_TESTABLE,
    AnyClaim,
    NumberClaim,
    OrderClaim,
    ParityClaim,
    StructuralClaim,
)
from pearl.report.findings import Finding
from pearl.report.numbers import between, plain
from pearl.report.views import ClaimView, Measure

AT_LEAST = "\N{GREATER-THAN OR EQUAL TO}"
STRUCTURAL = {
    "regret_is_never_negative": f"{AT_LEAST} 0",
    "norm_bound_holds": "\N{LESS-THAN OR EQUAL TO} S",
}


def claim_view(finding: Finding) -> ClaimView:
    """Print a claim and what was measured for it."""
    measures = tuple(_measure(finding.claim, cell) for cell in finding.cells)
    return _view(finding.claim, measures, finding.verdict, finding.scope)


def claim_not_run(claim: AnyClaim) -> ClaimView:
    """Print a claim whose experiment has no results in this report."""
    measures = (Measure("", "not run here", "", NOT_TESTABLE),)
    scope = f"the experiment {claim.experiment} has no results here"
    return _view(claim, measures, NOT_TESTABLE, scope)


def _view(claim: AnyClaim, measures: tuple[Measure, ...], verdict: str, scope: str) -> ClaimView:
    bound = " (bound)" if isinstance(claim, NumberClaim) and claim.bound else ""
    return ClaimView(
        statement=claim.statement,
        place=claim.place,
        kind=claim.kind + bound,
        experiment=claim.experiment,
        published=_published(claim),
        measures=measures,
        verdict=verdict,
        tone=tone(verdict),
        scope=scope,
        note=claim.note,
    )


def _published(claim: AnyClaim) -> str:
    if isinstance(claim, NumberClaim):
        at_least = f"{AT_LEAST} " if claim.bound else ""
        return f"{at_least}{claim.published}{_unit(claim)}"
    if isinstance(claim, OrderClaim):
        return "lower"
    if isinstance(claim, ParityClaim):
        return f"equal within {claim.margin:g}"
    return STRUCTURAL[claim.check]


def _measure(claim: AnyClaim, cell: Cell) -> Measure:
    of = ""
    if isinstance(claim, OrderClaim | ParityClaim):
        of = f"difference from {cell.row}"
    elif isinstance(claim, NumberClaim) and claim.quantity == "reduction":
        of = f"against {cell.row}"
    elif cell.row == INSTANCE and isinstance(claim, StructuralClaim):
        of = cell.column
    if cell.measured is None:
        return Measure(of, "\N{EM DASH}", "", cell.verdict)
    decimals = 1 if _unit(claim) else None
    if isinstance(claim, NumberClaim) and claim.fact is not None:
        decimals = len(claim.published.partition(".")[2])
    text = plain(cell.measured.estimate, decimals) + _unit(claim)
    return Measure(of, text, between(cell.measured, decimals), cell.verdict)


def _unit(claim: AnyClaim) -> str:
    return "%" if isinstance(claim, NumberClaim) and claim.quantity == "reduction" else ""


def tone(verdict: str) -> str:
    """Return the colour class of a verdict: good, bad or open."""
    if verdict.startswith(NOT_REPRODUCED):
        return "bad"
    return "open" if verdict.startswith(NOT_TESTABLE) else "good"
