import numpy as np
import pytest
from scipy import stats

from pearl.report.comparisons import compare
from pearl.report.numbers import difference, p_value, reward, within
from pearl.report.statistics import Interval, effect_size

MINUS = "\N{MINUS SIGN}"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.6412, ".641"),
        (0.0004, ".000"),
        (-0.0004, ".000"),
        (1.0, "1.000"),
        (-0.05, f"{MINUS}.050"),
    ],
)
def test_rewards_as_the_paper_prints_them(value: float, text: str) -> None:
    assert reward(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.025, "+.025"),
        (-0.0531, f"{MINUS}.053"),
        (0.0001, ".000"),
        (-0.0001, ".000"),
        (1.2, "+1.200"),
    ],
)
def test_differences_have_a_sign(value: float, text: str) -> None:
    assert difference(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(0.066, ".066"), (0.00099, "<.001"), (0.001, ".001"), (1.0, "1.000")]
)
def test_p_values(value: float, text: str) -> None:
    assert p_value(value) == text


def test_intervals_in_the_same_digits() -> None:
    assert within(Interval(0.6, 0.5904, 0.61, "BCa", 20), reward) == "[.590, .610]"
    assert within(Interval(0.6, 0.6, 0.6, "degenerate", 5), reward) == "(all seeds equal)"
    assert within(Interval(0.6, None, None, "none", 1), reward) == ""


def test_the_paired_t_test_at_any_number_of_seeds() -> None:
    x = np.sin(np.arange(20)) + 0.2
    many = compare(x, 0 * x, stream="t", always_t=True)
    assert many.test == "paired t test"
    assert many.p_value == pytest.approx(stats.ttest_rel(x, 0 * x).pvalue)
    assert many.difference.method == "BCa"
    few = compare([0.1, 0.3], [0.0, 0.0], stream="t", always_t=True)
    # mean .2, standard error .1: t = 2 on one degree of freedom, p = 2 (1/2 - atan(2) / pi)
    assert few.p_value == pytest.approx(1 - 2 * np.arctan(2) / np.pi)
    assert compare([0.1], [0.0], stream="t", always_t=True).p_value is None
    assert compare([0.2, 0.2], [0.1, 0.1], stream="t", always_t=True).p_value is None


def test_the_effect_size_by_hand() -> None:
    # 1, 2, 3: mean 2, standard deviation 1
    found = effect_size([1.0, 2.0, 3.0], stream="d")
    assert found is not None
    assert (found.estimate, found.low, found.method) == (pytest.approx(2.0), None, "none")
    x = np.sin(np.arange(20)) + 1
    many = effect_size(x, stream="d")
    assert many is not None
    assert many.estimate == pytest.approx(x.mean() / x.std(ddof=1))
    assert many.low is not None
    assert many.high is not None
    assert many.low < many.estimate < many.high
    assert effect_size([1.0], stream="d") is None
    assert effect_size([1.0, 1.0], stream="d") is None
