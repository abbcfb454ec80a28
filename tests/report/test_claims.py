import pytest
from pydantic import ValidationError

from pearl.experiments import load_experiments
from pearl.report.claims import (
    NumberClaim,
    ParityClaim,
    judge_lower,
    judge_number,
    judge_parity,
    judge_structural,
    load_paper,
    overall,
)
from pearl.report.statistics import Interval

FIGURES_1 = ("memory/figure1b", "memory/figure1c", "memory/figure1d")
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
        (number("20", bound="at_least"), measured(19.4, 1), True, "not reproduced"),
        # a wide interval doesn't help a bound, and one that reaches 0 leaves the order open
        (number("20", bound="at_least"), measured(5, 30), True, "not reproduced"),
        (number("20", bound="at_least"), measured(35, 34), True, "reproduced"),
        (number("20", bound="at_least"), measured(35, 35), True, "not reproduced"),
        (number("20", bound="at_least"), measured(35, 0), True, "reproduced"),
        (number("20", bound="at_least"), measured(35), True, "not testable here"),
        (number("20", bound="at_least"), measured(35, 1), False, "not testable here"),
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


def test_a_parity_states_its_margin() -> None:
    words = {**WORDS, "kind": "parity", "quantity": "final_regret", "baselines": ()}
    assert ParityClaim(**words, margin=2).margin == 2
    with pytest.raises(ValidationError, match="margin"):
        ParityClaim(**words)
    with pytest.raises(ValidationError, match="margin"):
        ParityClaim(**words, margin=0)


def test_structural_properties() -> None:
    assert judge_structural(True) == "reproduced"
    assert judge_structural(False) == "not reproduced"
    assert judge_structural(None) == "not testable here"


def test_a_claim_fails_with_any_of_its_cells() -> None:
    assert overall(["reproduced", "not reproduced"]) == "not reproduced"
    assert overall(["reproduced", "not testable here"]) == "not testable here"
    assert overall(["reproduced", "reproduced"]) == "reproduced"
    sample = " on sample data"
    for order in (1, -1):
        both = ["reproduced" + sample, "not reproduced" + sample][::order]
        assert overall(both) == "not reproduced" + sample
        assert overall(["not testable here", *both]) == "not reproduced" + sample
    assert overall(["reproduced" + sample] * 2) == "reproduced" + sample
    assert overall([]) == "not testable here"


def test_claims_belong_to_experiments_and_their_methods() -> None:
    experiments = load_experiments()
    paper = load_paper("memory")
    assert len({claim.id for claim in paper.claims}) == len(paper.claims)
    absent = {claim.experiment for claim in paper.claims} - set(experiments)
    assert absent <= {"memory/figure1f", "memory/figure2"}
    for claim in paper.claims:
        if claim.experiment in absent:
            continue
        methods = experiments[claim.experiment].methods
        for baseline in getattr(claim, "baselines", ()):
            assert set(baseline.methods) <= set(methods)


def test_claims_over_values_are_of_values_that_the_paper_profile_runs() -> None:
    experiments = load_experiments()
    over = [claim for claim in load_paper("memory").claims if claim.over]
    assert len(over) == 11
    for claim in over:
        if claim.experiment not in experiments:
            continue
        experiment = experiments[claim.experiment].under("paper")
        varied = [one[claim.over] for one in experiment.variants.values() if claim.over in one]
        base = [experiment.settings[claim.over]] if claim.over in experiment.settings else []
        assert set(claim.values) <= {*experiment.grid.get(claim.over, ()), *varied, *base}
        stated = {name: value for name, value in claim.at.items() if name != "horizon"}
        assert stated == {name: experiment.settings.get(name) for name in stated}
        assert claim.at["horizon"] == experiment.horizon


def test_each_claim_over_values_asks_what_the_paper_sweeps() -> None:
    hundreds, tens = tuple(range(100, 1001, 100)), tuple(range(10, 101, 10))
    expected = {"memory": hundreds, "feature_bound": tens, "norm_bound": tens}
    for claim in load_paper("memory").claims:
        if not claim.over or getattr(claim, "quantity", None) == "slower growth":
            continue
        kv = claim.experiment == "memory/figure1f"
        assert claim.values == ((30, 60, 90, 120, 150, 180) if kv else expected[claim.over])


def test_a_baselines_other_reading_is_no_part_of_any_claim() -> None:
    paper = load_paper("memory")
    for claim in paper.claims:
        judged = {name for one in getattr(claim, "baselines", ()) for name in one.methods}
        assert not any("sqrt_mt" in name for name in judged)
    for baselines in paper.baselines.values():
        assert [b.name for b in baselines if b.other] == ["OFUL (refined)"]


def test_the_papers_numbers_stand_as_it_prints_them() -> None:
    numbers = [claim for claim in load_paper("memory").claims if claim.kind == "number"]
    told = {claim.id: (claim.published, claim.bound, claim.half_width) for claim in numbers}
    assert told == {
        "run_length_reduction_at_base": ("61", "at_least", None),
        "run_length_reduction_over_memory": ("61", "at_least", None),
        "run_length_reduction_over_feature_bound": ("61", "at_least", None),
        "run_length_reduction_over_norm_bound": ("61", "at_least", None),
        "additive_reduction": ("52.7", None, None),
        "reduction_at_least_20_percent": ("20", "at_least", None),
        "construction_requests": ("4,978", None, None),
        "calibration_requests": ("2,230", None, None),
        "evaluation_requests": ("4,823", None, None),
        "actions": ("855", None, None),
        "segments": ("864", None, None),
        "norm_bound": ("0.1452", None, None),
        "regularization": ("284.72", None, None),
    }
    facts = {claim.id: claim.fact for claim in numbers if claim.fact is not None}
    assert facts == {name: f"instance/{name}" for name in facts}
    assert len(facts) == 7


def test_the_papers_orders_and_properties() -> None:
    claims = {claim.id: claim for claim in load_paper("memory").claims}
    orders = {name: claim for name, claim in claims.items() if claim.kind == "order"}
    base = {"horizon": 1_000_000, "memory": 100, "feature_bound": 1, "norm_bound": 1}
    over = {swept: {name: value for name, value in base.items() if name != swept} for swept in base}
    kv = {"horizon": 100_000}
    told = {name: (c.experiment, c.quantity, c.over, c.at) for name, c in orders.items()}
    swept = ("memory", "feature_bound", "norm_bound")
    assert told == {
        "run_length_lowest_over_time": ("memory/figure1a", "final_regret", "", base),
        **{
            f"run_length_lowest_over_{name}": (figure, "lowest everywhere", name, over[name])
            for name, figure in zip(swept, FIGURES_1, strict=True)
        },
        **{
            f"additive_lowest_over_{name}": (
                "memory/figure2",
                "lowest everywhere",
                name,
                over[name],
            )
            for name in swept
        },
        "lower_regret_over_time": ("memory/figure1e", "final_regret", "", {**kv, "memory": 180}),
        "lowest_regret_over_memory": ("memory/figure1f", "lowest everywhere", "memory", kv),
        "slower_growth_over_memory": ("memory/figure1f", "slower growth", "memory", kv),
    }
    structural = [(c.check, c.experiment) for c in claims.values() if c.kind == "structural"]
    never = [where for check, where in structural if check == "regret_is_never_negative"]
    within = [where for check, where in structural if check == "norm_bound_holds"]
    every = [f"memory/figure1{letter}" for letter in "abcdef"]
    assert sorted(never) == [*every, "memory/figure2"]
    assert sorted(within) == [every[0], every[3], every[4], "memory/figure2"]
    assert ("theorem_bound_holds", "memory/table1") in structural


def test_what_is_no_number_is_refused() -> None:
    with pytest.raises(ValidationError):
        number("about 20")
    with pytest.raises(ValidationError):
        number("20", surprise=1)
