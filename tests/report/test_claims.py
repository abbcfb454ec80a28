import pytest
from pydantic import ValidationError

from pearl.experiments import load_experiments
from pearl.report.claims import (
    NumberClaim,
    judge_lower,
    judge_number,
    judge_parity,
    load_paper,
    overall,
)
from pearl.report.statistics import Interval

WORDS = {"id": "x", "experiment": "memory/figure1e", "statement": "s", "place": "p"}


def number(published: str, **more: object) -> NumberClaim:
    return NumberClaim(**WORDS, kind="number", published=published, fact="x", **more)


def measured(value: float, half: float | None = None) -> Interval:
    if half is None:
        return Interval(value, None, None, "none", 1)
    return Interval(value, value - half, value + half, "Student t", 3)


@pytest.mark.parametrize(
    ("published", "tolerance"),
    [("855", 0.5), ("4,978", 0.5), ("0.1452", 5e-5), ("284.72", 0.005), ("20", 0.5)],
)
def test_half_the_last_printed_digit(published: str, tolerance: float) -> None:
    assert number(published).tolerance == pytest.approx(tolerance)


@pytest.mark.parametrize(
    ("claim", "interval", "testable", "verdict"),
    [
        (number("855"), measured(855, 0), True, "reproduced"),
        (number("855"), measured(856, 0), True, "not reproduced"),
        (number("284.72"), measured(286.30, 0), True, "not reproduced"),
        # 3, 4, 5: |5 - 10| = sqrt(3^2 + 4^2)
        (number("10", half_width=4), measured(5, 3), True, "reproduced"),
        (number("10", half_width=4), measured(4.9, 3), True, "not reproduced"),
        (number("10"), measured(10), True, "reproduced"),
        (number("10"), measured(10, 0), False, "not testable here"),
        (number("10"), None, True, "not testable here"),
        (number("20", bound="at_least"), measured(35, 1), True, "reproduced"),
        (number("20", bound="at_least"), measured(19.6, 1), True, "reproduced"),
        # a wide interval doesn't help a bound
        (number("20", bound="at_least"), measured(5, 30), True, "not reproduced"),
        (number("20", bound="at_most"), measured(5, 30), True, "reproduced"),
        (number("20", bound="at_most"), measured(21, 30), True, "not reproduced"),
    ],
)
def test_numbers(
    claim: NumberClaim, interval: Interval | None, testable: bool, verdict: str
) -> None:
    assert judge_number(claim, interval, testable=testable) == verdict


@pytest.mark.parametrize(
    ("difference", "q", "sample", "verdict"),
    [
        (-1.0, 0.01, False, "reproduced"),
        (-1.0, 0.05, False, "not reproduced"),
        (1.0, 0.001, False, "not reproduced"),
        (-1.0, None, False, "not testable here"),
        (None, 0.01, False, "not testable here"),
        (-1.0, 0.01, True, "reproduced on sample data"),
        (1.0, 0.01, True, "not reproduced on sample data"),
    ],
)
def test_orders(difference: float | None, q: float | None, sample: bool, verdict: str) -> None:
    assert judge_lower(difference, q, sample=sample) == verdict


def test_parities() -> None:
    assert judge_parity(0.04, sample=False) == "reproduced"
    assert judge_parity(0.06, sample=True) == "not reproduced on sample data"
    assert judge_parity(None, sample=True) == "not testable here"


def test_a_claim_fails_with_any_of_its_cells() -> None:
    assert overall(["reproduced", "not reproduced"]) == "not reproduced"
    assert overall(["reproduced", "not testable here"]) == "not testable here"
    assert overall(["reproduced", "reproduced"]) == "reproduced"
    assert overall([]) == "not testable here"


def test_claims_belong_to_experiments_and_their_methods() -> None:
    experiments = load_experiments()
    paper = load_paper("memory")
    assert len({claim.id for claim in paper.claims}) == len(paper.claims)
    for claim in paper.claims:
        methods = experiments[claim.experiment].methods
        for baseline in getattr(claim, "baselines", ()):
            assert set(baseline.methods) <= set(methods)


def test_what_is_no_number_is_refused() -> None:
    with pytest.raises(ValidationError):
        number("about 20")
    with pytest.raises(ValidationError):
        number("20", surprise=1)
