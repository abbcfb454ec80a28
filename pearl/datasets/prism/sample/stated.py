"""The survey's eight stated preferences, 0-100, with the published correlations and ceilings."""

from __future__ import annotations

import numpy as np

from pearl.datasets.prism.sample.draws import UNIT, Integers, by_quantiles, normals, places

# Tenths at 0, 2, 10, 25, 50, 75, 90 and 100%: the published quartiles, with tails that give the
# published means and sds.
_AT = (0, 20, 100, 250, 500, 750, 900, 1000)
QUANTILES = {
    "values": (0, 66, 184, 350, 530, 750, 929, 1000),
    "creativity": (0, 136, 441, 570, 710, 860, 1000, 1000),
    "fluency": (20, 370, 742, 790, 920, 1000, 1000, 1000),
    "factuality": (0, 401, 743, 820, 970, 1000, 1000, 1000),
    "diversity": (0, 227, 536, 650, 780, 920, 1000, 1000),
    "safety": (0, 108, 419, 691, 941, 1000, 1000, 1000),
    "personalisation": (0, 70, 335, 550, 720, 860, 1000, 1000),
    "helpfulness": (0, 470, 755, 835, 965, 1000, 1000, 1000),
}
PREFERENCES = tuple(QUANTILES)

# Thousandths of the Cholesky factor of the correlations that normals need so that, cut off at
# 100, the preferences correlate as published.
_FACTOR = np.array(
    [
        [1000, 0, 0, 0, 0, 0, 0, 0],
        [414, 910, 0, 0, 0, 0, 0, 0],
        [161, 289, 944, 0, 0, 0, 0, 0],
        [131, 213, 600, 760, 0, 0, 0, 0],
        [252, 277, 280, 221, 856, 0, 0, 0],
        [329, 98, 337, 200, 14, 854, 0, 0],
        [436, 346, 110, 23, 87, -31, 818, 0],
        [155, 253, 634, 311, 47, 80, 34, 635],
    ]
)


def leanings(users: int) -> Integers:
    """Draw (users, 8) correlated normals in thousandths, which preferences and tastes follow."""
    drawn: Integers = normals("stated", (users, len(PREFERENCES))) @ _FACTOR.T
    return drawn // UNIT


def stated_preferences(leaning: Integers) -> Integers:
    """Turn leanings into (users, 8) preferences of 0-100."""
    columns = [
        (by_quantiles(places(leaning[:, at], f"stated/{name}"), table) + 5) // 10
        for at, (name, table) in enumerate(
            (name, dict(zip(_AT, tenths, strict=True))) for name, tenths in QUANTILES.items()
        )
    ]
    return np.stack(columns, axis=1)
