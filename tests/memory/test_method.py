from __future__ import annotations

import pytest
from pydantic import ValidationError

from pearl.memory.cache_method import CacheMethod, load_cache_methods

TABLE = {
    # planner, switching, bonus, redraw, tie
    "rsm_linucb": ("prefix_tree", "determinant", "directions", "each_plan", "first"),
    "rsm_linucb_unclipped": ("prefix_tree", "determinant", "directions", "each_plan", "unclipped"),
    "rsm_linucb_estimate": ("prefix_tree", "determinant", "directions", "each_plan", "estimate"),
    "myopic_linucb": ("myopic", "every_round", "ellipsoid", "each_plan", "unclipped"),
    "myopic_linucb_directions": ("myopic", "every_round", "directions", "each_plan", "first"),
    "myopic_linucb_directions_unclipped": (
        "myopic",
        "every_round",
        "directions",
        "each_plan",
        "unclipped",
    ),
    "myopic_linucb_directions_estimate": (
        "myopic",
        "every_round",
        "directions",
        "each_plan",
        "estimate",
    ),
    "myopic_linucb_directions_once": ("myopic", "every_round", "directions", "once", "first"),
    "random_union": ("random_union", "never", "directions", "each_plan", "first"),
}


BLOCKS = {
    # estimator, block, unit
    "oful_original": ("ridge", "original", "gram"),
    "oful_refined": ("ridge", "refined", "gram"),
    "oful_sqrt_mt": ("ridge", "sqrt_mt", "gram"),
    "glbm_scb_gram": ("mirror_descent", "sqrt_mt", "gram"),
    "glbm_scb_slope": ("mirror_descent", "sqrt_mt", "slope"),
}
RADII = {
    "kept": ("posterior", "catalogue", 1.0, "bound"),
    "catalogue": ("posterior", "catalogue", 1.0, "radius"),
    "twentieth": ("posterior", "unit", 0.05, "radius"),
}
OWN_PLANS = {
    "rsm_linucb_posterior": ("posterior", 1, 1.0, "kept"),
    "rsm_linucb_posterior_catalogue": ("posterior", 1, 1.0, "catalogue"),
    "rsm_linucb_optimistic_catalogue": ("optimistic", 1, 4.0, "catalogue"),
    "rsm_linucb_grown": ("ellipsoid", 24, 1.5, "kept"),
    "rsm_linucb_grown_catalogue": ("ellipsoid", 24, 1.5, "catalogue"),
    "rsm_linucb_grown_twentieth": ("ellipsoid", 24, 1.5, "twentieth"),
}


def radius(method: CacheMethod) -> tuple[object, ...]:
    return method.radius, method.reward_range, method.noise_scale, method.regularized_by


def test_every_name_is_told_here() -> None:
    methods = load_cache_methods()
    own = {f"myopic_linucb_{radii}" for radii in RADII}
    blocks = {f"{name}{end}" for name in BLOCKS for end in ("", "_unclipped")}
    same = {f"{name}_{radii}" for name in BLOCKS for radii in ("catalogue", "kept")}
    same -= {"glbm_scb_gram_kept"}  # its lambda, L / d in V's units, holds no sigma
    assert set(methods) == set(TABLE) | set(OWN_PLANS) | own | blocks | same
    assert len({method.label for method in methods.values()}) == len(methods)
    for method in methods.values():
        assert CacheMethod.model_validate(method.model_dump()) == method
        assert method.delta == 1e-5


@pytest.mark.parametrize("name", BLOCKS)
@pytest.mark.parametrize("end", ["", "_unclipped", "_catalogue", "_kept"])
def test_the_methods_with_blocks(name: str, end: str) -> None:
    if (name, end) == ("glbm_scb_gram", "_kept"):
        pytest.skip("equal to glbm_scb_gram_catalogue")
    method = load_cache_methods()[name + end]
    assert (method.planner, method.switching, method.bonus) == (
        "prefix_tree",
        "blocks",
        "directions",
    )
    assert (method.estimator, method.block, method.unit) == BLOCKS[name]
    assert (method.directions, method.constant) == (24, 1.5)
    assert method.clips == (end == "")
    assert radius(method) == RADII.get(end[1:], ("confidence", "unit", 1.0, "bound"))


@pytest.mark.parametrize("name", OWN_PLANS)
def test_plans_that_arent_the_papers(name: str) -> None:
    method = load_cache_methods()[name]
    bonus, directions, constant, radii = OWN_PLANS[name]
    assert (method.planner, method.switching, method.tie) == (
        "prefix_tree",
        "determinant",
        "unclipped",
    )
    assert (method.bonus, method.directions, method.constant) == (bonus, directions, constant)
    assert radius(method) == RADII[radii]


@pytest.mark.parametrize("radii", RADII)
def test_myopic_under_the_same_radii(radii: str) -> None:
    method, paper = (
        load_cache_methods()[name] for name in (f"myopic_linucb_{radii}", "myopic_linucb")
    )
    assert radius(method) == RADII[radii]
    fields = ("radius", "reward_range", "noise_scale", "regularized_by", "label")
    assert method.model_dump(exclude=set(fields)) == paper.model_dump(exclude=set(fields))


def test_the_papers_methods() -> None:
    methods = load_cache_methods()
    for name in TABLE:
        method = methods[name]
        axes = (method.planner, method.switching, method.bonus, method.redraw, method.tie)
        assert axes == TABLE[name]
        assert method.estimator == ("none" if name == "random_union" else "ridge")
        assert method.clips == (method.tie != "unclipped")
        assert (method.directions, method.constant, method.delta) == (24, 1.5, 1e-5)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"planner": "howard"}, "planner"),
        ({"switching": "every_round"}, "switching determinant"),
        ({"estimator": "none"}, "estimator ridge"),
        ({"bonus": "ellipsoid"}, "bonus ellipsoid goes with tie unclipped"),
        ({"bonus": "posterior"}, "bonus posterior goes with tie unclipped"),
        ({"bonus": "optimistic", "tie": "estimate"}, "not with estimate"),
        ({"switching": "blocks"}, "block"),
        ({"block": "refined"}, "block"),
        (
            {"switching": "blocks", "block": "refined", "bonus": "ellipsoid", "tie": "unclipped"},
            "switches by determinant",
        ),
        (
            {"switching": "blocks", "block": "refined", "estimator": "mirror_descent"},
            "mirror_descent has blocks sqrt_mt",
        ),
        ({"noise_scale": 0.0}, "noise_scale"),
        ({"noise_scale": 2.0}, "noise_scale"),
        ({"radius": "empirical"}, "radius"),
        ({"reward_range": "all"}, "reward_range"),
        ({"regularized_by": "none"}, "regularized_by"),
        ({"directions": 0}, "directions"),
        ({"constant": 0.0}, "constant"),
        ({"delta": 1.0}, "delta"),
        ({"tie": "random"}, "tie"),
        ({"redraw": "never"}, "redraw"),
        ({"redraw": "once"}, "redraw once goes with planner myopic"),
        ({"width": 3}, "width"),
    ],
)
def test_what_is_refused(change: dict[str, object], named: str) -> None:
    fields = load_cache_methods()["rsm_linucb"].model_dump() | change
    with pytest.raises(ValidationError, match=named):
        CacheMethod.model_validate(fields)


@pytest.mark.parametrize("name", ["myopic_linucb", "random_union"])
def test_drawing_once_needs_directions_to_draw(name: str) -> None:
    fields = load_cache_methods()[name].model_dump() | {"redraw": "once"}
    with pytest.raises(ValidationError, match="redraw once"):
        CacheMethod.model_validate(fields)
