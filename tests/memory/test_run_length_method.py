"""The methods of the run-length instance, and the numbers that they are run with."""

from __future__ import annotations

import pytest

from pearl.environments.run_length import RunLength
from pearl.environments.run_length_settings import RunLengthSettings
from pearl.errors import SettingError
from pearl.memory.block_length import block_length
from pearl.memory.radius import ConfidenceRadius
from pearl.memory.run_length_method import RunLengthMethod, load_run_length_methods
from pearl.simulation.run_length_events import descent_radius, length_of
from pearl.words import validated


def test_the_methods_are_the_papers_with_both_readings_of_what_it_leaves_open() -> None:
    assert list(load_run_length_methods()) == [
        "rsm_linucb",
        "oful_original",
        "oful_refined",
        "oful_sqrt_mt",
        "glbm_scb_gram",
        "glbm_scb_slope",
        "myopic_linucb",
    ]
    for method in load_run_length_methods().values():
        assert (method.delta, method.discount) == (0.05, 0.9999)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"planner": "prefix_tree", "switching": "determinant"}, "prefix_tree"),
        ({"planner": "run_length", "switching": "every_round"}, "goes with"),
        ({"planner": "myopic", "switching": "determinant"}, "goes with"),
        ({"planner": "run_length", "switching": "blocks"}, "block"),
        ({"planner": "run_length", "switching": "determinant", "discount": 1.0}, "discount"),
        ({"planner": "run_length", "switching": "determinant", "directions": 24}, "directions"),
    ],
)
def test_what_no_code_plays_is_refused(fields: dict[str, object], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        validated(RunLengthMethod, fields, "method")


@pytest.mark.parametrize(
    ("memory", "refined", "sqrt_mt"), [(100, 3063, 9900), (500, 6572, 21860), (1000, 9000, 30622)]
)
def test_block_lengths_at_a_million_rounds(memory: int, refined: int, sqrt_mt: int) -> None:
    def length(rule):
        return block_length(rule, memory=memory, horizon=10**6, dimension=10)

    assert (length("original"), length("refined"), length("sqrt_mt")) == (1, refined, sqrt_mt)
    instance = RunLength.of(RunLengthSettings(memory=memory))
    assert length_of(instance, load_run_length_methods()["oful_refined"], 10**6) == refined


def test_the_radius_at_the_reference_rounds() -> None:
    radius = ConfidenceRadius(10, 0.625, 1.0, 1.0, 0.25, 0.05)
    found = [radius.at(n) for n in (1, 1000, 10**6)]
    assert found == pytest.approx([1.47411, 2.67481, 3.59482], abs=5e-6)


def test_glbm_scb_has_lambda_l_over_d_in_the_unit_that_it_names() -> None:
    instance, methods = RunLength.of(RunLengthSettings()), load_run_length_methods()
    slope = descent_radius(instance, methods["glbm_scb_slope"], 9900)
    gram = descent_radius(instance, methods["glbm_scb_gram"], 9900)
    assert slope.regularization == 990
    assert gram.regularization == pytest.approx(990 / 0.25**2)
