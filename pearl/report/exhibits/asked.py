"""What an exhibit's part of the report is made of, and what all exhibits share."""

from __future__ import annotations

from dataclasses import dataclass

from pearl.errors import SettingError
from pearl.experiments import Exhibit, Params, Profile
from pearl.project import Project
from pearl.report.cells import INSTANCE, Cell
from pearl.report.claims import AnyClaim, NumberClaim, judge_number
from pearl.report.findings import Finding
from pearl.report.layout import Pairs
from pearl.report.origin import data_lines
from pearl.report.rows import Runs
from pearl.report.statistics import Interval
from pearl.runs.measured import Measured
from pearl.runs.spec import NO_DATA


@dataclass(frozen=True)
class Asked:
    """An exhibit under a profile, and what was measured for it where it measures anything."""

    exhibit: Exhibit
    project: Project
    params: Params
    profile: Profile
    measured: Measured | None

    @property
    def data(self) -> Measured:
        """What was measured; SettingError for an exhibit that measures nothing."""
        if self.measured is None:
            raise SettingError(f"{self.exhibit.id} measures nothing.")
        return self.measured

    @property
    def runs(self) -> Runs:
        """Runs without methods, which tell profile, source and data."""
        found = self.measured
        return Runs(
            experiment=self.exhibit.id,
            profile=self.profile,
            source=found.source if found else NO_DATA,
            provenance=found.provenance if found else None,
            settings={},
            horizon=0,
            rounds=(),
            facts={},
            methods={},
        )

    @property
    def caption(self) -> str:
        """What the table is, and of which data."""
        said = f"{self.exhibit.title}. Beside {self.exhibit.place} of the paper."
        return f"{said} Data: {self.runs.data_label}." if self.measured else said

    def origin(self) -> Pairs:
        """Return where it comes from, as names and values; the empty ones are left out."""
        lines = [("made of", self.exhibit.made_of), ("profile", self.profile)]
        if self.measured:
            lines += data_lines(self.runs)
        return tuple((name, value) for name, value in lines if value)


def fact(value: float) -> Interval:
    """Return a value counted in the data at hand: of all of it, so without an interval."""
    return Interval(value, None, None, "none", 1)


def judge_fact(claim: AnyClaim, asked: Asked) -> Finding:
    """Judge a claim on a value of the data's summary; on sample data nothing is judged.

    Raises:
        SettingError: a claim on anything else.
    """
    if not isinstance(claim, NumberClaim) or claim.fact is None:
        raise SettingError(f"Claim {claim.id}: {claim.experiment} has facts alone.")
    value = asked.data.summary(claim.fact)
    whole = Interval(value, value, value, "degenerate", 1)
    verdict = judge_number(claim, whole, testable=not asked.runs.on_sample_data)
    cell = Cell(
        INSTANCE,
        claim.fact,
        fact(value),
        published=claim.published.replace(",", ""),
        delta=value - claim.value,
        verdict=verdict,
    )
    return Finding(claim, (cell,), verdict, "")


def no_claims(claim: AnyClaim) -> Finding:
    """Refuse a claim on an exhibit that measures nothing."""
    raise SettingError(f"Claim {claim.id}: {claim.experiment} measures nothing to judge it by.")
