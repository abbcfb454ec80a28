"""Adam's decays: powers in a few squarings, and the step and spread that they always gave."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pearl.bandits import adam


class Counted(float):
    """A number that counts how often numbers made of it are multiplied."""

    products = 0

    def __mul__(self, other: float) -> Counted:
        Counted.products += 1
        return Counted(float(self) * float(other))

    __rmul__ = __mul__


@pytest.mark.parametrize("base", [0.9, 0.999])
def test_powers(base: float) -> None:
    steps = [*range(1, 60), 356, 1000, 36_737, 40_000, 3_000_000, 2**53]
    ours = np.array([adam._power(base, n) for n in steps])
    np.testing.assert_allclose(1.0 - ours, 1.0 - np.power(base, steps), rtol=1e-12)
    np.testing.assert_allclose(ours[:60], np.power(base, steps[:60]), rtol=1e-12)
    assert adam._power(base, 0) == 1.0


@pytest.mark.parametrize(("steps", "most"), [(10, 8), (3_000_000, 44), (2**53, 108)])
def test_the_cost_grows_with_the_logarithm_of_the_steps(steps: int, most: int) -> None:
    Counted.products = 0
    value = adam._power.py_func(Counted(0.999), steps)  # type: ignore[attr-defined]
    assert float(value) == adam._power(0.999, steps)
    assert 0 < Counted.products <= most


def test_what_a_step_uses_is_what_multiplying_step_by_step_gives() -> None:
    """Rounded to float32, no step differs: results recorded before the squarings still hold."""
    decay1, decay2 = 1.0, 1.0
    for n in range(1, 40_001):
        decay1 *= 0.9
        decay2 *= 0.999
        ours1, ours2 = adam._power(0.9, n), adam._power(0.999, n)
        for rate in (1e-3, 3e-3, 1e-2):
            assert np.float32(rate / (1.0 - ours1)) == np.float32(rate / (1.0 - decay1)), n
        spread = np.float32(1.0 / math.sqrt(1.0 - decay2))
        assert np.float32(1.0 / math.sqrt(1.0 - ours2)) == spread, n
    assert 1.0 - decay2 == 1.0  # and so it stays
