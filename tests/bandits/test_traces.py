"""Two traces of six steps, made by an independent prototype: every intermediate value agrees."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from pearl.bandits.folding import Folded
from pearl.bandits.method import BanditMethod
from pearl.bandits.state import Block, State, new_scratch, new_state, rule_of
from pearl.bandits.step import observe, play, select

FILE = Path(__file__).resolve().parents[2].parent / "shared/reference/pearl-traces.json"
CASES = ("pearl_default", "pearl_cap")

pytestmark = pytest.mark.skipif(not FILE.exists(), reason=f"{FILE} isn't on this machine")


@pytest.fixture(scope="module")
def traces() -> dict:
    return json.loads(FILE.read_text())


def method_of(traces: dict, case: str) -> BanditMethod:
    inputs, params = traces["inputs"], traces["cases"][case]["params"]
    return BanditMethod(
        exploration="error_adaptive",
        forgetting="directional",
        gamma=params["gamma"],
        eta=params["eta"],
        regularization=params["lam"],
        beta=inputs["beta"],
        threshold=inputs["threshold"],
        error_start=inputs["eps0"],
    )


def features_of(inputs: dict) -> Folded:
    """Return a network whose features are the trace's G, one row an arm, in float64."""
    g = np.array(inputs["G"])
    d = g.shape[2]
    return Folded(
        users=np.zeros((2, d)),
        embedded=np.zeros((2, d)),
        arms=g.reshape(-1, d),
        w2=np.eye(d),
        b2=np.zeros(d),
        head=np.array(inputs["w_head"]),
        bias=np.array([inputs["b_head"]]),
    )


def close(measured: object, expected: object) -> None:
    np.testing.assert_allclose(measured, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("case", CASES)
def test_every_intermediate_value(traces: dict, case: str) -> None:
    inputs, steps = traces["inputs"], traces["cases"][case]["steps"]
    folded = features_of(inputs)
    method = method_of(traces, case)
    rule, state = rule_of(method, damping=True), new_state(method, 2, 4)
    scratch = new_scratch(folded, 3)
    for step in steps:
        t, user = step["t"], step["user"]
        assert state.errors[user] == pytest.approx(step["eps_before"], abs=1e-12)
        arm = select(folded, state, rule, user, 3 * t, 3, 0.0, np.zeros(3), scratch)
        assert arm == step["arm"]
        close(scratch.means, step["mu"])
        close(np.sqrt(scratch.variances), step["sigma"])
        close(scratch.scores, step["score"])
        shrunk = state.inverse - np.outer(scratch.images[arm], scratch.images[arm]) / (
            1 + scratch.variances[arm]
        )
        reward = inputs["R"][t][arm]
        assert reward == step["reward"]
        assert abs(reward - scratch.means[arm]) == pytest.approx(step["err"], abs=1e-12)
        assert observe(state, rule, user, arm, reward, scratch) == (step["fired"], step["capped"])
        close(state.errors[user], step["eps_after"])
        close(np.linalg.eigvalsh(shrunk), step["eigs_after_shrink"])
        close(np.trace(state.inverse), step["trace_Ainv"])
        close(np.linalg.eigvalsh(state.inverse), step["eigs_Ainv"])
        assert step["capped"] == (step["fired"] and step["cap_criterion"] > 1)
        assert np.array_equal(state.inverse, state.inverse.T)
    close(state.inverse, traces["cases"][case]["final_Ainv"])


@pytest.mark.parametrize("case", CASES)
def test_the_same_in_one_block(traces: dict, case: str) -> None:
    inputs, steps = traces["inputs"], traces["cases"][case]["steps"]
    method = method_of(traces, case)
    state: State = new_state(method, 2, 4)
    block = Block(np.array(inputs["users"]), np.array(inputs["R"]), np.zeros(6), np.zeros((6, 3)))
    folded = features_of(inputs)
    log = play(folded, state, rule_of(method, damping=True), block)
    assert log.arms.tolist() == [step["arm"] for step in steps]
    assert log.injected.tolist() == [step["fired"] for step in steps]
    assert log.capped.tolist() == [step["capped"] for step in steps]
    close(log.means, [step["mu"][step["arm"]] for step in steps])
    close(log.uncertainties, [step["sigma"][step["arm"]] for step in steps])
    close(log.errors, [step["eps_before"] for step in steps])
    close(log.rewards, [step["reward"] for step in steps])
    close(state.inverse, traces["cases"][case]["final_Ainv"])


def test_the_traces_cover_the_cap(traces: dict) -> None:
    assert any(step["capped"] for step in traces["cases"]["pearl_cap"]["steps"])
    assert any(step["fired"] for step in traces["cases"]["pearl_default"]["steps"])
