"""The two planners beside each other, on confidence sets such as a run has."""

import numpy as np
import pytest

from pearl.memory.additive_method import load_additive_methods
from pearl.memory.additive_planner import Belief, Planner
from pearl.memory.farthest_point import farthest_point
from pearl.memory.periodic_ascent import Landscape, block_rounds, discounted

METHODS = load_additive_methods()
MEMORY, SCALE = 30, 1 / 31


def belief_of(seed: int, rounds: int) -> Belief:
    """The ridge estimate after rounds with random features near a direction."""
    rng = np.random.default_rng(seed)
    u = rng.standard_normal(6)
    u /= np.linalg.norm(u)
    features = u + 0.5 * rng.standard_normal((rounds, 6))
    features /= np.linalg.norm(features, axis=1, keepdims=True)
    spread = np.linalg.inv(0.625 * np.eye(6) + features.T @ features)
    rewards = features @ u + 0.25 * rng.standard_normal(rounds)
    return Belief(spread @ (features.T @ rewards), spread, 2.0)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("rounds", [20, 300, 20_000])
def test_the_ascents_return_is_near_the_exact_constant_actions(seed: int, rounds: int) -> None:
    """Within .98 to 1.02 of it: below where it ends on a lower peak, above through the memory."""
    belief = belief_of(seed, rounds)
    history = np.tile(belief.estimate / np.linalg.norm(belief.estimate), (MEMORY, 1))
    weights = discounted(MEMORY, 0.999)
    plans = [
        Planner(METHODS[name], SCALE, weights, seed).plan(history, belief)
        for name in ("rsm_linucb", "rsm_linucb_constant")
    ]
    land = Landscape(history, SCALE, belief.estimate, belief.spread, belief.radius, weights)
    ascent, exact = (
        land.value_and_gradient(np.tile(plan.cycle, (MEMORY // len(plan.cycle), 1)))[0]
        for plan in plans
    )
    assert 0.98 <= ascent / exact <= 1.02
    assert plans[0].steady_score <= plans[0].exact_length * (1 + 1e-12)
    assert plans[0].steady_score >= 0.95 * plans[0].exact_length


def test_the_constant_plan_is_the_farthest_point_and_reaches_the_largest_score() -> None:
    belief = belief_of(3, 50)
    plan = Planner(METHODS["rsm_linucb_constant"], SCALE, discounted(MEMORY, 0.999), 0).plan(
        np.zeros((MEMORY, 6)), belief
    )
    farthest = farthest_point(belief.estimate, belief.spread, belief.radius)
    assert plan.cycle[0] * plan.exact_length == pytest.approx(farthest, rel=1e-12)
    assert plan.steady_score == pytest.approx(plan.exact_length, rel=1e-12)


def test_the_same_seed_gives_the_same_plans() -> None:
    history, weights = np.zeros((MEMORY, 6)), block_rounds(MEMORY, 3)

    def starts(seed: int) -> np.ndarray:
        planner = Planner(METHODS["oful_refined_ascent"], SCALE, weights, seed)
        planner.plan(history, belief_of(0, 40))
        return planner.plan(history, belief_of(0, 60)).cycle

    assert np.array_equal(starts(1), starts(1))
    assert starts(1).shape == (MEMORY, 6)
