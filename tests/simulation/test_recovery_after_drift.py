"""Rolling windows of the groups' own last interactions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pearl.simulation.recovery import recovery


def test_windows_by_hand() -> None:
    reward = np.arange(30, dtype=np.float64)
    even = np.arange(30) % 2 == 0
    shown = recovery(reward, {"all": np.ones(30, bool), "flipped": even, "stable": ~even})
    # A tenth of 30 is 3: the stable group's third interaction is round 6.
    assert shown["t"].tolist() == list(range(6, 31))
    assert shown["all"][0] == pytest.approx((3 + 4 + 5) / 3)
    assert shown["flipped"][0] == pytest.approx((0 + 2 + 4) / 3)
    assert shown["stable"][0] == pytest.approx((1 + 3 + 5) / 3)
    assert shown["flipped"][-1] == pytest.approx((24 + 26 + 28) / 3)


@settings(max_examples=50)
@given(st.integers(1, 700), st.floats(0.01, 0.99), st.integers(0, 100))
def test_windows_equal_a_literal_loop(rounds: int, share: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    reward, members = rng.random(rounds), rng.random(rounds) < share
    members[0] = True
    shown = recovery(reward, {"all": np.ones(rounds, bool), "group": members})
    window = max(1, min(500, rounds // 10))
    assert len(shown["t"]) <= 120
    assert shown["t"][-1] == rounds
    assert (np.diff(shown["t"]) > 0).all()
    for t, mean in zip(shown["t"].astype(int), shown["group"], strict=True):
        assert mean == pytest.approx(reward[:t][members[:t]][-window:].mean())


def test_a_window_is_never_longer_than_500() -> None:
    shown = recovery(np.ones(36_560), {"all": np.ones(36_560, bool)})
    assert shown["t"][0] == 500
    assert len(shown["t"]) == 120
