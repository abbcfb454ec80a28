"""The methods of the additive instance: which axes they combine."""

import pytest
from pydantic import ValidationError

from pearl.memory.additive_method import AdditiveMethod, load_additive_methods

BLOCKS = {
    "oful_original": ("ridge", "original", "gram"),
    "oful_refined": ("ridge", "refined", "gram"),
    "oful_sqrt_mt": ("ridge", "sqrt_mt", "gram"),
    "glbm_scb_gram": ("mirror_descent", "sqrt_mt", "gram"),
    "glbm_scb_slope": ("mirror_descent", "sqrt_mt", "slope"),
}


def test_blocks_are_planned_both_ways() -> None:
    methods = load_additive_methods()
    found = [name for name, method in methods.items() if method.switching == "blocks"]
    assert found == [name + way for name in BLOCKS for way in ("", "_ascent")]
    for name, axes in BLOCKS.items():
        for way, planner in (("", "constant_action"), ("_ascent", "ascent")):
            method = methods[name + way]
            assert method.planner == planner
            assert (method.estimator, method.block, method.unit) == axes


def test_the_other_methods_and_what_the_paper_gives() -> None:
    methods = load_additive_methods()
    others = {n: (m.planner, m.switching) for n, m in methods.items() if m.switching != "blocks"}
    assert others == {
        "rsm_linucb": ("ascent", "determinant"),
        "rsm_linucb_constant": ("constant_action", "determinant"),
        "myopic_linucb": ("trust_region", "every_round"),
    }
    assert len({method.label for method in methods.values()}) == len(methods)
    for method in methods.values():
        assert (method.delta, method.discount, method.iterations) == (0.05, 0.999, 60)
        assert method.random_starts == 2
        assert AdditiveMethod.model_validate(method.model_dump()) == method


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"planner": "prefix_tree"}, "planner"),
        ({"switching": "every_round"}, "switching determinant"),
        ({"estimator": "mirror_descent"}, "mirror_descent and determinant"),
        ({"switching": "blocks"}, "block"),
        ({"planner": "trust_region"}, "every_round"),
        ({"iterations": 0}, "iterations"),
        ({"discount": 1.0}, "discount"),
        ({"directions": 24}, "directions"),
    ],
)
def test_what_is_refused(change: dict[str, object], named: str) -> None:
    fields = load_additive_methods()["rsm_linucb"].model_dump() | change
    with pytest.raises(ValidationError, match=named):
        AdditiveMethod.model_validate(fields)
