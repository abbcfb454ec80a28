"""What reproduced and what did not, in plain sentences made from the verdicts."""

from __future__ import annotations

from collections.abc import Sequence

from pearl.report.claims import NOT_REPRODUCED, NOT_TESTABLE, NumberClaim
from pearl.report.findings import Finding
from pearl.report.views import ClaimView, Measure

ON_SAMPLE = "on sample data"


def is_printed(finding: Finding) -> bool:
    """Say whether it is one of a printed table's numbers."""
    return isinstance(finding.claim, NumberClaim) and finding.claim.printed


def outcome(findings: Sequence[Finding], *, sample: bool) -> str:
    """Tell what came of an experiment's claims; "" where there are none."""
    printed = [one for one in findings if is_printed(one)]
    rest = [one for one in findings if not is_printed(one)]
    said = [_numbers(printed, sample=sample)] if printed else []
    if rest:
        words = f" {ON_SAMPLE}" if sample else ""
        for heading, those in (
            (f"Came out as published{words}", [f for f in rest if _kind(f) == "good"]),
            (f"Did not come out as published{words}", [f for f in rest if _kind(f) == "bad"]),
            ("Not testable here", [f for f in rest if _kind(f) == "open"]),
        ):
            if those:
                told = "; ".join(_statement(one) for one in those)
                said.append(f"{heading}: {told}.")
    return " ".join(said)


def printed_views(experiment: str, findings: Sequence[Finding]) -> list[ClaimView]:
    """Return one line of the paper's summary for all numbers that a place of the paper prints."""
    by_place: dict[str, list[Finding]] = {}
    for one in findings:
        if is_printed(one):
            by_place.setdefault(one.claim.place, []).append(one)
    return [_printed_view(experiment, place, those) for place, those in by_place.items()]


def _printed_view(experiment: str, place: str, printed: Sequence[Finding]) -> ClaimView:
    good, bad, untested = (_count(printed, kind) for kind in ("good", "bad", "open"))
    tested = good + bad
    verdict = f"{good} of {tested} reproduced" if tested else NOT_TESTABLE
    if tested and untested:
        verdict += f", {untested} {NOT_TESTABLE}"
    many = f"The {len(printed)} numbers" if len(printed) > 1 else "The number"
    return ClaimView(
        statement=f"{many} that {place} prints.",
        place=place,
        kind="number",
        experiment=experiment,
        published="in the table",
        measures=(Measure("", f"beside each, in the table{_seeds(printed)}", "", verdict),),
        verdict=verdict,
        tone="bad" if bad else ("good" if good else "open"),
        scope=printed[0].scope,
        note="",
    )


def _seeds(printed: Sequence[Finding]) -> str:
    counts = {cell.measured.n for one in printed for cell in one.cells if cell.measured}
    if not counts:
        return ""
    least, most = min(counts), max(counts)
    return f"; {least} seeds" if least == most else f"; {least} to {most} seeds"


def _numbers(printed: Sequence[Finding], *, sample: bool) -> str:
    good, bad, untested = (_count(printed, kind) for kind in ("good", "bad", "open"))
    n = len(printed)
    if untested == n:
        why = f" {ON_SAMPLE}" if sample else " under these settings"
        many = f"The {n} printed numbers are" if n > 1 else "The printed number is"
        return f"{many} not testable{why}."
    rest = f"; {untested} {_are(untested)} not testable here." if untested else "."
    if n == 1:
        return f"The printed number is {'' if good else 'not '}reproduced."
    if good and bad:
        return f"Of the {n} printed numbers {good} {_are(good)} reproduced and {bad} not{rest}"
    if untested:
        state = "reproduced" if good else "not reproduced"
        return f"Of the {n} printed numbers {good or bad} {_are(good or bad)} {state}{rest}"
    return f"{'All' if good else 'None of the'} {n} printed numbers are reproduced."


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _count(findings: Sequence[Finding], kind: str) -> int:
    return sum(_kind(one) == kind for one in findings)


def _kind(finding: Finding) -> str:
    if finding.verdict.startswith(NOT_REPRODUCED):
        return "bad"
    return "open" if finding.verdict.startswith(NOT_TESTABLE) else "good"


def _statement(finding: Finding) -> str:
    told = finding.claim.statement.rstrip(".")
    failed = [cell for cell in finding.cells if cell.verdict.startswith(NOT_REPRODUCED)]
    if failed and len(failed) < len(finding.cells):
        told += f" (fails in {len(failed)} of {len(finding.cells)} comparisons)"
    return told
