"""Four shapes of the direction of theta*."""

from typing import get_args

import numpy as np
import pytest

from pearl.environments.memory_directions import Direction, unit_direction

NORMAL = [0.05329, 0.05599, 0.27145, 0.04446, 0.22705, 0.15327, 0.55272, 0.40143, 0.29829, 0.53637]


def test_normal_is_the_reference_draw() -> None:
    assert unit_direction("normal", 10) == pytest.approx(NORMAL, abs=5e-6)


@pytest.mark.parametrize("shape", get_args(Direction))
@pytest.mark.parametrize("dimension", [1, 2, 10, 40])
def test_every_shape_is_a_nonnegative_unit_vector(shape: Direction, dimension: int) -> None:
    u = unit_direction(shape, dimension)
    assert u.shape == (dimension,)
    assert u.min() >= 0
    assert np.linalg.norm(u) == pytest.approx(1, abs=1e-15)


def test_ratios_of_the_shapes() -> None:
    linear, spike, geometric = (unit_direction(s, 4) for s in ("linear", "spike", "geometric"))
    assert linear[:-1] / linear[-1] == pytest.approx([0.25, 0.5, 0.75])
    assert geometric[1:] / geometric[:-1] == pytest.approx([2, 2, 2])
    assert spike.tolist() == [0, 0, 0, 1]
