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
    "myopic_linucb_directions_once": ("myopic", "every_round", "directions", "once", "first"),
    "random_union": ("random_union", "never", "directions", "each_plan", "first"),
}


def test_the_named_methods() -> None:
    methods = load_cache_methods()
    assert list(methods) == list(TABLE)
    assert len({method.label for method in methods.values()}) == len(TABLE)
    for name, method in methods.items():
        axes = (method.planner, method.switching, method.bonus, method.redraw, method.tie)
        assert axes == TABLE[name]
        assert method.estimator == ("none" if name == "random_union" else "ridge")
        assert method.clips == (method.tie != "unclipped")
        assert (method.directions, method.constant, method.delta) == (24, 1.5, 1e-5)
        assert CacheMethod.model_validate(method.model_dump()) == method


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"planner": "howard"}, "planner"),
        ({"switching": "every_round"}, "switching determinant"),
        ({"estimator": "none"}, "estimator ridge"),
        ({"bonus": "ellipsoid"}, "ellipsoid"),
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
