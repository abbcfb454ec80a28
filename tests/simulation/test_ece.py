"""ECE, its floor and the reliability bins, by hand and by draws."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pearl.simulation.calibration import calibration, last_tenth


def test_ece_by_hand() -> None:
    mean = np.array([0.12, 0.18, 0.55, 1.0])
    reward = np.array([0.30, 0.10, 0.75, 0.80])
    found = calibration(mean, reward)
    assert found.count.tolist() == [0, 2, 0, 0, 0, 1, 0, 0, 0, 1]
    assert found.predicted[[1, 5, 9]] == pytest.approx([0.15, 0.55, 1.0])
    assert found.observed[[1, 5, 9]] == pytest.approx([0.20, 0.75, 0.8])
    # 2/4 * .05 + 1/4 * .20 + 1/4 * .20
    assert found.ece == pytest.approx(0.125)
    # Residuals .18, -.08, .20, -.20: mean .025, sd sqrt(.0263 - .000625).
    sd = math.sqrt((0.0324 + 0.0064 + 0.04 + 0.04) / 4 - 0.025**2)
    floor = sd * math.sqrt(2 / math.pi) * (2 / math.sqrt(2) + 1 + 1) / 4
    assert found.ece_floor == pytest.approx(floor)


def test_empty_bins_hold_zero() -> None:
    found = calibration(np.full(7, 0.42), np.full(7, 0.40))
    assert found.ece == pytest.approx(0.02)
    assert found.predicted.sum() == pytest.approx(0.42)
    assert found.observed.sum() == pytest.approx(0.40)
    assert found.ece_floor == pytest.approx(0, abs=1e-9)


def test_the_floor_is_what_an_unbiased_model_shows() -> None:
    rng = np.random.default_rng(0)
    mean = rng.beta(4, 3, size=600)
    drawn = [calibration(mean, mean + 0.25 * rng.standard_normal(600)) for _ in range(300)]
    ece = np.mean([one.ece for one in drawn])
    floor = np.mean([one.ece_floor for one in drawn])
    assert ece == pytest.approx(floor, rel=0.06)


def test_a_constant_bias_is_all_of_ece() -> None:
    mean = np.linspace(0.05, 0.85, 400)
    assert calibration(mean, mean + 0.1).ece == pytest.approx(0.1)


@pytest.mark.parametrize(("rounds", "first"), [(36_560, 32_904), (150, 135), (5, 4)])
def test_the_last_tenth(rounds: int, first: int) -> None:
    assert last_tenth(rounds) == slice(first, rounds)
