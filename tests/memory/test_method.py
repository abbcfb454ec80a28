from __future__ import annotations

import pytest
from pydantic import ValidationError

from pearl.memory.method import MemoryMethod, load_methods

NAMES = [
    "rsm_linucb",
    "rsm_linucb_unclipped",
    "rsm_linucb_estimate",
    "myopic_linucb",
    "myopic_linucb_directions",
    "random_union",
]


def test_the_named_methods() -> None:
    methods = load_methods()
    assert list(methods) == NAMES
    assert len({method.label for method in methods.values()}) == len(NAMES)
    assert [methods[name].tie for name in NAMES[:3]] == ["first", "unclipped", "estimate"]
    for method in methods.values():
        assert (method.directions, method.constant, method.delta) == (24, 1.5, 1e-5)
        assert MemoryMethod.model_validate(method.model_dump()) == method


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
        ({"width": 3}, "width"),
    ],
)
def test_what_is_refused(change: dict[str, object], named: str) -> None:
    fields = load_methods()["rsm_linucb"].model_dump() | change
    with pytest.raises(ValidationError, match=named):
        MemoryMethod.model_validate(fields)
