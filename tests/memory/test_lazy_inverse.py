from __future__ import annotations

import numpy as np
import pytest

from pearl.memory.lazy_inverse import LazyInverse
from pearl.memory.ridge import Ridge


@pytest.mark.parametrize("d", [1, 5, 33, 70])
def test_follows_the_gram_matrix(d: int) -> None:
    rng = np.random.default_rng(d)
    ridge = Ridge(d, 2.0, 1.0)
    lazy = LazyInverse(ridge, 4)
    np.testing.assert_allclose(lazy.base, np.eye(d) / 2, rtol=1e-14)
    for rounds in (4, 1, 3):
        resident = (rng.random((rounds, d)) < 0.5).astype(float)
        current = lazy.base.copy()
        for k, w in enumerate(resident):
            x = w / np.sqrt(d)
            u = current @ x
            lazy.updates[k] = u / np.sqrt(1 + x @ u)
            current -= np.outer(lazy.updates[k], lazy.updates[k])
        lazy.flush(rounds)
        ridge.absorb(resident, np.zeros(rounds, dtype=np.int64))
        np.testing.assert_allclose(lazy.base, np.linalg.inv(ridge.gram()), rtol=0, atol=1e-12)
        assert np.array_equal(lazy.base, lazy.base.T)
    lazy.refresh()
    assert 0 <= lazy.drift < 1e-12
    np.testing.assert_allclose(lazy.base, np.linalg.inv(ridge.gram()), rtol=0, atol=1e-13)


def test_drift_is_seen() -> None:
    ridge = Ridge(3, 1.0, 1.0)
    lazy = LazyInverse(ridge, 2)
    lazy.updates[0] = [0.1, 0.0, 0.0]
    lazy.flush(1)
    lazy.measure()
    assert lazy.drift == pytest.approx(0.01)
