"""Claims printed as the lines of a paper's summary."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from pearl.report.cells import INSTANCE, Cell
from pearl.report.claims import (
    NOT_TESTABLE,
    AnyClaim,
    NumberClaim,
    OrderClaim,
    ParityClaim,
    StructuralClaim,
    tone,
)
from pearl.report.findings import Finding
from pearl.report.numbers import MINUS, between, difference, plain, reward, within
from pearl.report.statistics import Interval
from pearl.report.views import ClaimView, Measure

AT_LEAST, AT_MOST = "\N{GREATER-THAN OR EQUAL TO}", "\N{LESS-THAN OR EQUAL TO}"
BOUNDS = {None: "", "at_least": f"{AT_LEAST} ", "at_most": f"{AT_MOST} "}
PERCENT = ("reduction", "least reduction", "best reduction", "gap closed")
ORDERS = {
    "final_regret": "lower",
    "lowest everywhere": "lower at each",
    "slower growth": "below 0",
}
"""What is published of an order; of rewards and correlations that it is above 0."""
WHOLE = 1000
"""From here on a number has no decimals, such as a count of parameters."""
STRUCTURAL = {
    "regret_is_never_negative": f"{AT_LEAST} 0",
    "norm_bound_holds": "\N{LESS-THAN OR EQUAL TO} S",
    "theorem_bound_holds": "\N{LESS-THAN OR EQUAL TO} the bound",
    "oracle_has_no_regret": "0",
    "oracle_is_constant": "0",
}


def claim_view(finding: Finding) -> ClaimView:
    """Print a claim and what was measured for it."""
    measures = tuple(_measure(finding.claim, cell) for cell in finding.cells)
    if finding.shown:
        show = _printer(finding.claim)
        measures = tuple(
            _reward_measure(*shown, cell.verdict, show)
            for shown, cell in zip(finding.shown, finding.cells, strict=True)
        )
    return _view(finding.claim, measures, finding.verdict, finding.scope)


def claim_not_run(claim: AnyClaim, known: Collection[str]) -> ClaimView:
    """Print a claim whose experiment has no results here, or isn't among those `known`."""
    measures = (Measure("", "not run here", "", NOT_TESTABLE),)
    scope = f"the experiment {claim.experiment} has no results here"
    if claim.experiment not in known:
        scope = f"this release has no experiment {claim.experiment}"
    return _view(claim, measures, NOT_TESTABLE, scope)


def claims_not_run(experiment: str, claims: Sequence[AnyClaim]) -> ClaimView:
    """Print one line for all claims of an experiment that has no results in this report."""
    numbers = sum(isinstance(claim, NumberClaim) for claim in claims)
    orders = len(claims) - numbers
    counted = [
        f"{n} {word}{'s' if n > 1 else ''}"
        for n, word in ((numbers, "number"), (orders, "other claim"))
        if n
    ]
    named = [place for claim in claims for place in claim.place.split("; ")]
    places = ", ".join(dict.fromkeys(named))
    return ClaimView(
        statement=f"{' and '.join(counted).capitalize()} of {experiment}.",
        place=places,
        kind="",
        experiment=experiment,
        published="",
        measures=(Measure("", "not run here", "", NOT_TESTABLE),),
        verdict=NOT_TESTABLE,
        tone=tone(NOT_TESTABLE),
        scope=f"pearl run {experiment}",
        note="",
    )


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
        printed = claim.published.replace("-", MINUS)
        return f"{BOUNDS[claim.bound]}{printed}{_unit(claim)}"
    if isinstance(claim, OrderClaim):
        return ORDERS.get(claim.quantity, "above 0")
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


def _printer(claim: AnyClaim) -> Callable[[float], str]:
    """Return how the numbers of a claim on rewards, or over a sweep of regrets, are printed."""
    if _unit(claim) and isinstance(claim, NumberClaim) and claim.contrast is None:
        return lambda value: f"{plain(value, 1)}%"
    if isinstance(claim, StructuralClaim):
        return plain
    if isinstance(claim, OrderClaim) and claim.quantity in ORDERS:
        return plain
    if not isinstance(claim, NumberClaim) or claim.contrast is None:
        return difference
    if claim.quantity == "gap closed":
        return lambda value: f"{plain(value, 1)}%"
    if claim.value >= WHOLE:
        return lambda value: plain(value, 0)
    return reward if claim.contrast.is_value else difference


def _reward_measure(
    title: str, measured: Interval | None, verdict: str, show: Callable[[float], str]
) -> Measure:
    if measured is None:
        return Measure(title, "\N{EM DASH}", "", verdict, tone(verdict))
    return Measure(title, show(measured.estimate), within(measured, show), verdict, tone(verdict))


def _unit(claim: AnyClaim) -> str:
    return "%" if isinstance(claim, NumberClaim) and claim.quantity in PERCENT else ""
