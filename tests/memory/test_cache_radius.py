"""lambda and the radius of the cache's methods, by hand."""

from __future__ import annotations

import math
from types import SimpleNamespace

import pytest

from pearl.environments.kv_settings import KVCacheSettings
from pearl.memory.cache_method import CacheMethod
from pearl.memory.cache_radius import cache_radius, informative_rounds, radius_noise

INSTANCE = SimpleNamespace(
    tree=SimpleNamespace(segments=864),
    settings=KVCacheSettings(),
    memory=180,
    norm_bound=0.145,
    feature_bound=1.0,
    noise=1 / 12,
    regularization=864 / 144 / 0.145**2,
    request_bound=1 / 8,
)
OFUL = {"planner": "prefix_tree", "switching": "blocks", "block": "original"}
GLBM = OFUL | {"estimator": "mirror_descent", "block": "sqrt_mt"}
HORIZON = 100_000


def radius(**changes: object):
    return cache_radius(INSTANCE, CacheMethod(**(OFUL | changes)), HORIZON)


def test_the_papers_radius() -> None:
    regularization = 864 / 144 / 0.145**2
    assert radius().regularization == pytest.approx(regularization)
    growth = 864 * math.log(1 + 1000 / (regularization * 864))
    expected = math.sqrt(regularization) * 0.145 + math.sqrt(2 * math.log(1e5) + growth) / 12
    assert radius().at(1000) == pytest.approx(expected)


def test_the_catalogues_range_is_an_eighth() -> None:
    method = CacheMethod(**OFUL, reward_range="catalogue", noise_scale=0.5)
    assert radius_noise(INSTANCE, method) == pytest.approx(1 / 192)


def test_a_smaller_sigma_leaves_lambda_alone_unless_told() -> None:
    paper, small = radius(), radius(reward_range="catalogue")
    assert small.regularization == paper.regularization
    lambda_only = math.sqrt(paper.regularization) * 0.145
    assert small.at(7) - lambda_only == pytest.approx((paper.at(7) - lambda_only) / 8)
    own = radius(reward_range="catalogue", regularized_by="radius")
    assert own.regularization == pytest.approx(paper.regularization / 64)


def test_the_posteriors_radius_is_sigma() -> None:
    assert radius(radius="posterior").at(0) == radius(radius="posterior").at(9) == 1 / 12


def test_mirror_descent_in_the_units_of_v() -> None:
    rounds = math.floor(math.sqrt(180 * HORIZON)) - 180
    assert informative_rounds(INSTANCE, CacheMethod(**GLBM), HORIZON) == rounds == 4062
    for unit, regularization in (("gram", rounds / 864), ("slope", rounds / 864 / 144)):
        found = cache_radius(INSTANCE, CacheMethod(**GLBM, unit=unit), HORIZON)
        assert found.regularization == pytest.approx(regularization)
        slope = 144 * regularization
        inside = 4 * slope * 0.145**2 + 2 * math.log(1e5)
        inside += 6 * 864 * math.log(1 + 500 / (864 * slope / 144))
        assert found.at(500) == pytest.approx(math.sqrt(inside) / 12)


@pytest.mark.parametrize(
    ("memory", "original", "refined"),
    [(30, 1, 29), (60, 1, 24), (90, 1, 13), (120, 1, 1), (150, 1, 1), (180, 1, 1)],
)
def test_block_lengths_at_the_papers_sizes(memory: int, original: int, refined: int) -> None:
    instance = SimpleNamespace(tree=INSTANCE.tree, memory=memory)
    found = [
        informative_rounds(instance, CacheMethod(**(OFUL | {"block": block})), HORIZON)
        for block in ("original", "refined")
    ]
    assert found == [original, refined]


def test_no_blocks_no_length() -> None:
    method = CacheMethod(planner="prefix_tree", switching="determinant")
    with pytest.raises(ValueError, match="no blocks"):
        informative_rounds(INSTANCE, method, HORIZON)
