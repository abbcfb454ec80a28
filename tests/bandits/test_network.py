"""Initial weights: shapes, ranges, and draws that belong to their part alone."""

from __future__ import annotations

import numpy as np
import pytest

from pearl.bandits.network import TrainingSettings, initial_weights, new_adam
from pearl.errors import SettingError
from pearl.words import validated

SETTINGS = TrainingSettings()


def test_shapes_and_count() -> None:
    weights = initial_weights(SETTINGS, 1395, 8, 384, 42)
    assert [array.shape for array in weights] == [
        *((1395, 32), (424, 128), (128,)),
        *((128, 128), (128,), (128,), (1,)),
    ]
    assert all(array.dtype == np.float32 and array.flags.c_contiguous for array in weights)
    assert weights.parameters == 1395 * 32 + 424 * 128 + 128 + 128 * 128 + 128 + 128 + 1
    adam = new_adam(weights)
    assert [array.shape for array in adam.m] == [array.shape for array in weights]
    assert not any(array.any() for array in (*adam.m, *adam.v, adam.steps))
    assert not np.shares_memory(adam.m.w1, adam.v.w1)


def test_layers_start_as_torch_starts_them() -> None:
    weights = initial_weights(SETTINGS, 500, 8, 384, 0)
    for array, inputs in [
        *((weights.w1, 424), (weights.b1, 424)),
        *((weights.w2, 128), (weights.b2, 128), (weights.head, 128)),
    ]:
        bound = 1.0 / np.sqrt(inputs)
        assert np.abs(array).max() <= bound
        assert np.abs(array).max() > 0.9 * bound
        assert abs(array.mean()) < 4 * bound / np.sqrt(3 * array.size)
    assert weights.users.std() == pytest.approx(0.1, rel=0.03)
    assert abs(weights.users.mean()) < 0.003


def test_a_draw_belongs_to_its_part() -> None:
    base = initial_weights(SETTINGS, 20, 8, 384, 7)
    more_users = initial_weights(SETTINGS, 30, 8, 384, 7)
    assert np.array_equal(base.users, more_users.users[:20])
    for name in ("w1", "b1", "w2", "b2", "head", "bias"):
        assert np.array_equal(getattr(base, name), getattr(more_users, name))
    arms_alone = initial_weights(SETTINGS.model_copy(update={"embedding": 0}), 20, 0, 384, 7)
    assert arms_alone.users.shape == (20, 0)
    for name in ("w2", "b2", "head", "bias"):
        assert np.array_equal(getattr(base, name), getattr(arms_alone, name))
    # the arms' rows are the same draws, within the bound that fewer inputs have
    np.testing.assert_allclose(
        base.w1[40:] * np.sqrt(424), arms_alone.w1 * np.sqrt(384), rtol=1e-6, atol=1e-7
    )


def test_seeds_differ_and_repeat() -> None:
    first, again, other = (initial_weights(SETTINGS, 9, 8, 16, seed) for seed in (0, 0, 1))
    for a, b, c in zip(first, again, other, strict=True):
        assert np.array_equal(a, b)
        assert not np.array_equal(a, c)


def test_copies_change_apart() -> None:
    weights = initial_weights(SETTINGS, 3, 2, 4, 0)
    copy = weights.copy()
    copy.w1[:] = 0.0
    assert weights.w1.any()


@pytest.mark.parametrize(
    "values", [{"dropout": 1.0}, {"hidden": 0}, {"learning_rate": 0.0}, {"momentum": 0.9}]
)
def test_refuses_what_it_cannot_train(values: dict[str, float]) -> None:
    with pytest.raises(SettingError, match=next(iter(values))):
        validated(TrainingSettings, values, "training settings")
