import numpy as np
import pytest
from scipy import stats

from pearl.errors import PearlError, SettingError
from pearl.report.comparisons import adjust, compare, parity
from pearl.report.settings import ReportSettings
from pearl.report.statistics import interval

FEW = ReportSettings(resamples=999)


def test_student_t_below_ten_seeds_by_hand() -> None:
    # mean 2, s = 1, n = 3: 2 +- 4.302653 / sqrt(3)
    made = interval([1, 2, 3], stream="x")
    assert made.method == "Student t"
    assert made.estimate == 2
    assert made.high - 2 == pytest.approx(4.302653 / 3**0.5, abs=1e-6)
    assert made.half_width == pytest.approx(2 - made.low)


def test_bca_from_ten_seeds_on() -> None:
    x = np.arange(10.0) ** 2
    made = interval(x, stream="x")
    plain = stats.bootstrap((x,), np.mean, method="percentile", rng=0).confidence_interval
    assert made.method == "BCa"
    assert made.low < made.estimate < made.high
    # the bias correction of a right-skewed sample moves the interval up
    assert made.low > plain.low
    assert made.high > plain.high
    assert interval(x[:9], stream="x").method == "Student t"


def test_the_bootstrap_belongs_to_its_stream() -> None:
    x = np.arange(12.0) ** 1.5
    assert interval(x, stream="a") == interval(x, stream="a")
    assert interval(x, stream="a").low != interval(x, stream="b").low


def test_iqm_is_the_quarter_trimmed_mean_and_seeds_are_resampled() -> None:
    x = [0.0] * 5 + [1.0, 2, 3, 4, 5, 6, 7, 8, 9, 10] + [1e6] * 5
    made = interval(x, stream="x", statistic="iqm")
    assert made.estimate == pytest.approx(5.5)
    assert made.low < 5.5 < made.high


def test_trimmed_t_by_hand() -> None:
    # n = 4, one cut at either end: winsorized 2, 2, 3, 3 -> SS = 1, se = sqrt(1 / (2 * 1))
    made = interval([0, 2, 3, 100], stream="x", statistic="iqm")
    assert made.estimate == 2.5
    assert made.half_width == pytest.approx(stats.t.ppf(0.975, 1) * 0.5**0.5)


def test_an_outlier_that_the_iqm_ignores_gets_a_named_percentile_interval() -> None:
    made = interval([1.0] * 19 + [5.0], stream="x", statistic="iqm")
    assert (made.method, made.low, made.high) == ("percentile", 1.0, 1.0)


@pytest.mark.parametrize("n", [2, 3, 15])
def test_constant_data_is_degenerate(n: int) -> None:
    made = interval([0.1 + 0.2] * n, stream="x")
    assert (made.method, made.low, made.high) == ("degenerate", made.estimate, made.estimate)
    compared = compare([3.0] * n, [1.0] * n, stream="x")
    assert compared.p_value is None
    assert compared.difference.method == "degenerate"
    assert compared.difference.low == 2


def test_one_seed_has_no_interval_and_no_test() -> None:
    made = interval([4.0], stream="x")
    assert (made.estimate, made.low, made.high, made.method) == (4.0, None, None, "none")
    assert made.half_width is None
    assert compare([4.0], [3.0], stream="x").p_value is None
    assert parity([4.0], [4.0], margin=1) is None


@pytest.mark.parametrize("bad", [[1, float("nan")], [float("inf"), 1], [], [[1, 2]]])
def test_what_is_no_finite_list_is_refused(bad: list[float]) -> None:
    with pytest.raises(PearlError):
        interval(bad, stream="x")


@pytest.mark.parametrize(("n", "least", "most"), [(3, 0.92, 0.98), (15, 0.88, 0.98)])
def test_coverage(n: int, least: float, most: float) -> None:
    draws = np.random.default_rng(1).normal(size=(400, n))
    made = [interval(x, stream="x", settings=FEW) for x in draws]
    covered = np.mean([one.low <= 0 <= one.high for one in made])
    assert least < covered < most


def test_confidence_is_a_setting() -> None:
    narrow = interval([1, 2, 3], stream="x", settings=ReportSettings(confidence=0.8))
    assert narrow.half_width < interval([1, 2, 3], stream="x").half_width


def test_pairs_are_compared_not_samples() -> None:
    base = np.array([10.0, 200, 3000])
    above = base + np.array([1, 1.1, 0.9])
    compared = compare(above, base, stream="x")
    assert compared.p_value == pytest.approx(stats.ttest_rel(above, base).pvalue)
    assert compared.p_value < 0.01
    assert stats.ttest_ind(base + 1, base).pvalue > 0.9


def test_sign_flips_from_ten_pairs_on() -> None:
    difference = np.arange(1.0, 11.0)
    compared = compare(difference, np.zeros(10), stream="x")
    # all differences positive: two of 2^10 sign patterns are as extreme
    assert compared.test == "paired permutation test"
    assert compared.p_value == pytest.approx(2 / 2**10)


def test_unequal_pairs_are_refused() -> None:
    with pytest.raises(PearlError, match="same seeds"):
        compare([1.0, 2.0], [1.0], stream="x")


def test_benjamini_hochberg_by_hand() -> None:
    q, m = adjust([0.01, None, 0.04, 0.03])
    assert m == 3
    assert q == [pytest.approx(0.03), None, pytest.approx(0.04), pytest.approx(0.04)]
    assert adjust([None]) == ([None], 0)


def test_parity_is_two_one_sided_tests() -> None:
    jitter = np.array([-1, 0, 1, -0.5, 0.5]) * 1e-4
    base = np.arange(5.0)
    assert parity(base + jitter, base, margin=0.005) < 0.001
    assert parity(base + jitter + 0.006, base, margin=0.005) > 0.5
    # outside on either side, and a margin that is wide enough
    assert parity(base + jitter - 0.006, base, margin=0.005) > 0.5
    assert parity(base + jitter + 0.006, base, margin=0.007) < 0.001


def test_differences_that_are_all_the_same_leave_no_parity_to_test() -> None:
    base = np.arange(5.0)
    assert parity(base, base, margin=0.005) is None
    assert parity(base + 1, base, margin=0.005) is None


@pytest.mark.parametrize(
    ("name", "inside", "outside"),
    [("confidence", (0.5, 0.999), (0.499, 0.9991)), ("resamples", (999, 20_000), (998, 0))],
)
def test_ranges_of_the_settings(
    name: str, inside: tuple[float, ...], outside: tuple[float, ...]
) -> None:
    for value in inside:
        assert getattr(ReportSettings.of({name: value}), name) == value
    for value in outside:
        with pytest.raises(SettingError, match=f"params.yaml, report: {name}") as caught:
            ReportSettings.of({name: value})
        assert "than or equal to" in caught.value.problem
