"""The compiled ordered updates: equal to the plain ones, also where projections bind."""

import numpy as np
import pytest

from pearl.memory.mirror_descent import MirrorDescent
from pearl.memory.mirror_updates import MirrorUpdates


@pytest.mark.parametrize("regularization", [0.1, 40.0])
@pytest.mark.parametrize("dimension", [1, 3, 10])
def test_runs_of_rewards_equal_single_updates(dimension: int, regularization: float) -> None:
    rng = np.random.default_rng(dimension)
    theta = rng.standard_normal(dimension)
    theta /= np.linalg.norm(theta)
    features = rng.standard_normal((2_500, dimension)) * rng.uniform(0, 1, (2_500, 1))
    rewards = features @ theta + 0.5 * rng.standard_normal(2_500)
    plain = MirrorDescent(dimension, regularization, 0.8, 0.5)
    fast = MirrorUpdates(dimension, regularization, 0.8, 0.5)
    outside = 0
    for feature, reward in zip(features, rewards, strict=True):
        plain.update(feature, reward)
        outside += np.linalg.norm(plain.estimate) > 0.8 - 1e-12
    for part in np.array_split(np.arange(2_500), 3):
        fast.absorb(features[part], rewards[part])
    assert fast.estimate == pytest.approx(plain.estimate, abs=1e-10)
    assert fast.slope == pytest.approx(plain.slope, rel=1e-12)
    assert outside > 0
    assert fast.projected == outside
