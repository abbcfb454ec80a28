"""The compiled loops on the additive instance equal the literal one, round by round.

Rounding differs between the loops and grows from plan to plan (a farthest point is sensitive while
directions nearly tie), so they are compared over some tens of plans.
"""

import numpy as np
import pytest

from pearl.environments.additive import Additive
from pearl.environments.additive_settings import AdditiveSettings
from pearl.memory.additive_method import load_additive_methods
from pearl.simulation.additive import play
from pearl.simulation.additive_game import Game
from pearl.simulation.additive_stretch import Stretch

METHODS = load_additive_methods()
SETTINGS = {
    "short": (AdditiveSettings(memory=7), 250),
    "wide": (AdditiveSettings(memory=20, feature_bound=10.0, direction="linear"), 800),
    "loud": (AdditiveSettings(memory=5, norm_bound=10.0, noise=0.5, direction="spike"), 200),
    "one": (AdditiveSettings(memory=1, direction="geometric"), 60),
    "cut": (AdditiveSettings(memory=100), 90),
}


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("setting", SETTINGS)
def test_the_compiled_loop_equals_the_literal_one(setting: str, name: str) -> None:
    settings, horizon = SETTINGS[setting]
    game = Game.of(Additive.of(settings), 3, horizon)
    fast, literal = (play(game, METHODS[name], 3, engine) for engine in ("plans", "rounds"))
    assert fast.episode_starts.tolist() == literal.episode_starts.tolist()
    assert fast.regret == pytest.approx(literal.regret, rel=1e-9, abs=1e-9)
    shared = set(fast.facts) & set(literal.facts)
    assert {"final_regret", "optimum", "episodes"} <= shared
    for fact in shared:
        assert fast.facts[fact] == pytest.approx(literal.facts[fact], rel=1e-9)


@pytest.mark.parametrize("rounds", [0, 3, 6, 7, 20])
@pytest.mark.parametrize("period", [1, 2, 6])
def test_a_stretch_holds_the_features_and_leaves_the_history(period: int, rounds: int) -> None:
    instance = Additive(np.ones(3) / 3**0.5, 6, 2.0, 1.0, 0.25, 0.625)
    rng = np.random.default_rng(0)
    history, cycle = rng.standard_normal((6, 3)), rng.standard_normal((period, 3))
    stretch = Stretch.of(history, cycle, instance.scale)
    actions = np.concatenate([history, cycle[np.arange(rounds) % period]])
    expected = [instance.feature(actions[t : t + 6], actions[t + 6]) for t in range(rounds)]
    assert stretch.features(0, rounds) == pytest.approx(np.reshape(expected, (rounds, 3)))
    assert np.array_equal(stretch.history_after(rounds), actions[-6:])


def test_a_plan_that_does_not_divide_the_memory_is_refused() -> None:
    with pytest.raises(ValueError, match="4 actions doesn't divide M = 6"):
        Stretch.of(np.zeros((6, 3)), np.zeros((4, 3)), 1.0)
