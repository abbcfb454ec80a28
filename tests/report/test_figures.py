import numpy as np
import pytest

from pearl.report.figures import mean_and_sd
from pearl.report.rows import MethodRuns


def runs(curves: list[list[float]]) -> MethodRuns:
    seeds = tuple(range(len(curves)))
    return MethodRuns("a", "A", seeds, tuple(map(str, seeds)), {}, np.array(curves))


def test_the_band_is_one_sample_standard_deviation() -> None:
    # 1, 2, 3 and 4, 4, 10 over three seeds: s = 1 and sqrt(12), divided by n - 1
    mean, spread = mean_and_sd(runs([[1, 4], [2, 4], [3, 10]]))
    assert mean.tolist() == [0, 2, 6]
    assert spread.tolist() == [0, 1, pytest.approx(12**0.5)]


def test_one_seed_has_no_band() -> None:
    mean, spread = mean_and_sd(runs([[1, 4]]))
    assert mean.tolist() == [0, 1, 4]
    assert spread.tolist() == [0, 0, 0]
