"""What a paper claims, as data fixed before any run, and the rule by which each claim is judged."""

from __future__ import annotations

import math
from importlib import resources
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from pearl.errors import SettingError
from pearl.report.contrasts import Contrast, parse_contrast
from pearl.report.statistics import Interval
from pearl.words import validated
from pearl.yaml_files import read_mapping

REPRODUCED = "reproduced"
NOT_REPRODUCED = "not reproduced"
NOT_TESTABLE = "not testable here"
ON_SAMPLE_DATA = " on sample data"
FALSE_DISCOVERY_RATE = 0.05
PARITY_LEVEL = 0.05
"""Of each of the two one-sided tests."""


class Baseline(BaseModel):
    """A baseline as the paper names it, and the methods here that stand for it (none yet: []).

    `other` are methods of another reading of the paper's text: shown, and no verdict hangs on them.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    name: str
    methods: tuple[str, ...] = ()
    other: tuple[str, ...] = ()


def _parsed(found: Any) -> Any:
    if isinstance(found, str):
        return parse_contrast(found)
    return tuple(map(_parsed, found)) if isinstance(found, list | tuple) else found


class Claim(BaseModel):
    """What every claim carries.

    `at` names the horizon and settings for which the paper states it; on the publisher's data a
    run under others doesn't test the claim. `over` names a swept setting and `values` those for
    which it is stated: it has to hold at each of them.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    id: str
    experiment: str
    statement: str
    place: str
    at: dict[str, float] = {}
    over: str = ""
    values: tuple[float, ...] = ()
    note: str = ""


class NumberClaim(Claim):
    """A printed number; `bound` makes it one-sided.

    "at_least" is for a measure in which 0 means no difference and more is better, "at_most" for an
    error.
    Measured is the runs' `fact`, or `quantity`: the reduction of the reference method's final
    regret relative to each baseline, in percent, or to the best of them ("best reduction"), or to
    each at every swept value ("least reduction"); or the `contrast` of average rewards, or its
    standardised effect size, or the percentage of the gap from Random to the Oracle that its point
    closes, seed by seed ("gap closed"). `published` keeps the digits as printed. `printed` tells
    that it is one of a printed table's numbers, which the page shows in the table alone.
    """

    kind: Literal["number"]
    published: str
    half_width: float | None = None
    bound: Literal["at_least", "at_most"] | None = None
    fact: str | None = None
    quantity: (
        Literal["reduction", "least reduction", "best reduction", "effect size", "gap closed"]
        | None
    ) = None
    baselines: tuple[Baseline, ...] = ()
    contrast: Contrast | None = None
    printed: bool = False

    parse = field_validator("contrast", mode="before")(_parsed)

    @field_validator("published")
    @classmethod
    def _is_a_number(cls, printed: str) -> str:
        float(printed.replace(",", ""))
        return printed

    @property
    def value(self) -> float:
        """The published number."""
        return float(self.published.replace(",", ""))

    @property
    def tolerance(self) -> float:
        """The published 95% half-width; half the last printed digit where none is printed."""
        if self.half_width is not None:
            return self.half_width
        decimals = self.published.partition(".")[2]
        return 0.5 * 10.0 ** -len(decimals)


class OrderClaim(Claim):
    """The reference method's final regret is lower than each baseline's.

    "lowest everywhere": at each of the swept `values`. "slower growth": in a least-squares parabola
    through the reference's final regrets at all values of the sweep `over`, seed by seed, the
    coefficient of the square is below 0.

    Of average rewards: each of the `contrasts` is above 0. Of correlations: each of the `facts` is
    above 0, or below it where a minus stands before its name.
    """

    kind: Literal["order"]
    quantity: Literal["final_regret", "lowest everywhere", "slower growth", "reward", "correlation"]
    baselines: tuple[Baseline, ...] = ()
    contrasts: tuple[Contrast, ...] = ()
    facts: tuple[str, ...] = ()

    parse = field_validator("contrasts", mode="before")(_parsed)


class ParityClaim(Claim):
    """The reference method's final regret equals each baseline's within `margin`.

    Of average rewards: each of the `contrasts` is 0 within `margin`.

    The rule "two one-sided tests at .005" is read so: .005 is the margin, for average rewards in
    [0, 1], and no level of the tests, which is .05 each. A regret has another scale, so there is no
    margin for all: each claim states its own, in the unit of what it compares.
    """

    kind: Literal["parity"]
    quantity: Literal["final_regret", "reward"]
    baselines: tuple[Baseline, ...] = ()
    contrasts: tuple[Contrast, ...] = ()
    margin: float = Field(gt=0)

    parse = field_validator("contrasts", mode="before")(_parsed)


class StructuralClaim(Claim):
    """A property that holds on any data, checked on every run (structural.py of each family)."""

    kind: Literal["structural"]
    check: Literal[
        "regret_is_never_negative",
        "norm_bound_holds",
        "theorem_bound_holds",
        "oracle_has_no_regret",
        "oracle_is_constant",
    ]


AnyClaim = Annotated[
    NumberClaim | OrderClaim | ParityClaim | StructuralClaim, Field(discriminator="kind")
]


class Printed(BaseModel):
    """Numbers of a printed table, each a claim of its own: digits as printed, empty where none.

    `facts` are those that stand for no average, such as a correlation, by name.

    A row names what all its numbers share after the bar of a contrast ("flip=0.25"), a column the
    terms ("pearl", "pearl - greedy"); `half_widths`, laid out like `rows`, are the printed ones.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    experiment: str
    place: str
    at: dict[str, float] = {}
    columns: tuple[str, ...] = ()
    rows: dict[str, tuple[str, ...]] = {}
    facts: dict[str, str] = {}
    half_widths: dict[str, tuple[float, ...]] = {}
    quantity: Literal["effect size"] | None = None

    def claims(self) -> tuple[NumberClaim, ...]:
        """Return one claim a printed number."""
        made = [
            NumberClaim(
                kind="number",
                id=f"{self.experiment} {name}",
                experiment=self.experiment,
                statement=f"{self.place}: {name}.",
                place=self.place,
                at=self.at,
                published=number,
                fact=name,
                printed=True,
            )
            for name, number in self.facts.items()
        ]
        for row, numbers in self.rows.items():
            widths = self.half_widths.get(row, (None,) * len(numbers))
            for terms, number, width in zip(self.columns, numbers, widths, strict=True):
                if number:
                    text = f"{terms} | {row}" if row else terms
                    words = " ".join(filter(None, (self.experiment, text, self.quantity)))
                    made.append(
                        NumberClaim(
                            kind="number",
                            id=words,
                            experiment=self.experiment,
                            statement=f"{self.place}: {text}.",
                            place=self.place,
                            at=self.at,
                            published=number,
                            half_width=width,
                            quantity=self.quantity,
                            contrast=parse_contrast(text),
                            printed=True,
                        )
                    )
        return tuple(made)


class Disagreement(BaseModel):
    """Published statements that disagree among themselves, or with the text or our measurement."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    about: str
    statements: str


class Paper(BaseModel):
    """A paper and its claims, from published/<paper>.yaml.

    `printed` are the tables' numbers; they join the claims when the file is read. `p_values` are
    printed p-values by experiment and contrast, shown beside ours and judged by nothing. `labels`
    are what the paper calls methods that don't exist here yet. `baselines` are those that the paper
    compares its own method with, by environment.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    paper: str
    title: str
    claims: tuple[AnyClaim, ...]
    printed: tuple[Printed, ...] = ()
    p_values: dict[str, dict[str, str]] = {}
    disagreements: tuple[Disagreement, ...] = ()
    labels: dict[str, str] = {}
    baselines: dict[str, tuple[Baseline, ...]] = {}

    def of(self, experiment: str) -> tuple[AnyClaim, ...]:
        """Return an experiment's claims."""
        return tuple(claim for claim in self.claims if claim.experiment == experiment)


def load_paper(paper: str) -> Paper:
    """Read published/<paper>.yaml.

    Raises:
        SettingError: no such paper, or its file isn't what it may be.
    """
    file = resources.files("pearl.report") / "published" / f"{paper}.yaml"
    if not file.is_file():
        raise SettingError(f"No published claims for a paper {paper!r}.")
    read = validated(Paper, read_mapping(file), f"published/{paper}.yaml")
    numbers = tuple(claim for table in read.printed for claim in table.claims())
    return read.model_copy(update={"claims": (*read.claims, *numbers)})


def judge_number(claim: NumberClaim, measured: Interval | None, *, testable: bool) -> str:
    """Judge |measured - published| <= sqrt(h_m^2 + h_p^2), h the 95% half-widths.

    At most asks that the measured value itself exceed the published by no more than h_p. At least
    asks two things: the measured value itself keeps it, with h_p alone as tolerance, and
    the measured interval lies above 0, so that the order which it implies holds too. A wide
    interval never helps; without one (a single seed) a bound isn't testable.
    """
    if not testable or measured is None:
        return NOT_TESTABLE
    excess = measured.estimate - claim.value
    if claim.bound == "at_most":
        return REPRODUCED if excess <= claim.tolerance else NOT_REPRODUCED
    if claim.bound == "at_least":
        if measured.low is None:
            return NOT_TESTABLE
        holds = excess >= -claim.tolerance and measured.low > 0
    else:
        holds = abs(excess) <= math.hypot(measured.half_width or 0.0, claim.tolerance)
    return REPRODUCED if holds else NOT_REPRODUCED


def judge_lower(difference: float | None, q_value: float | None, *, sample: bool) -> str:
    """Judge an order: the difference reference - baseline is negative and its BH q is below .05."""
    if difference is None or q_value is None:
        return NOT_TESTABLE
    return _said(difference < 0 and q_value < FALSE_DISCOVERY_RATE, sample)


def judge_above(difference: float | None, q_value: float | None, *, sample: bool) -> str:
    """Judge an order of rewards: the difference is positive and its BH q is below .05."""
    return judge_lower(None if difference is None else -difference, q_value, sample=sample)


def judge_parity(p_value: float | None, *, sample: bool) -> str:
    """Judge a parity by the p-value of the two one-sided tests within the claim's margin."""
    if p_value is None:
        return NOT_TESTABLE
    return _said(p_value < PARITY_LEVEL, sample)


def judge_structural(holds: bool | None) -> str:
    """Judge a property that holds on any data; None where no run carries what it is checked on."""
    if holds is None:
        return NOT_TESTABLE
    return REPRODUCED if holds else NOT_REPRODUCED


def overall(verdicts: list[str]) -> str:
    """Return a claim's verdict from its cells': one that fails, then one untested, decides."""
    for word in (NOT_REPRODUCED, NOT_REPRODUCED + ON_SAMPLE_DATA, NOT_TESTABLE):
        if word in verdicts:
            return word
    return verdicts[0] if verdicts else NOT_TESTABLE


def tone(verdict: str) -> str:
    """Return the colour class of a verdict: good, bad or open."""
    if verdict.startswith(NOT_REPRODUCED):
        return "bad"
    return "open" if verdict.startswith(NOT_TESTABLE) else "good"


def _said(holds: bool, sample: bool) -> str:
    return (REPRODUCED if holds else NOT_REPRODUCED) + (ON_SAMPLE_DATA if sample else "")
