from __future__ import annotations

import numpy as np
import pytest
from direct_steps import method, network_of, step
from pydantic import ValidationError

from pearl.bandits.draws import draws, random_arms
from pearl.bandits.method import BanditMethod, load_methods
from pearl.bandits.state import Block, State, new_state, rule_of
from pearl.bandits.step import play

TABLE = {
    # label, exploration, forgetting, user features, online, prior
    "pearl": ("PEARL", "error_adaptive", "directional", True, True, "empty"),
    "neural_ucb_a": ("NeuralUCB-A", "error_adaptive", "none", True, True, "empty"),
    "neural_ucb_f": ("NeuralUCB-F", "fixed", "none", True, True, "empty"),
    "neural_ts": ("NeuralTS", "thompson", "none", True, True, "empty"),
    "greedy": ("Greedy", "none", "none", True, True, "empty"),
    "no_online": ("No-Online", "fixed", "none", True, False, "pretraining"),
    "no_online_empty": (
        "No-Online (empty Gram matrix)",
        *("fixed", "none", True, False, "empty"),
    ),
    "no_online_greedy": ("No-Online (greedy)", "none", "none", True, False, "empty"),
    "random": ("Random", "uniform", "none", True, False, "empty"),
    "oracle": ("Oracle", "oracle", "none", True, False, "empty"),
    "pearl_no_user": (
        "PEARL (no user features)",
        *("error_adaptive", "directional", False, True, "empty"),
    ),
    "pearl_always": (
        "PEARL (always inject)",
        *("error_adaptive", "always_directional", True, True, "empty"),
    ),
    "neural_ucb_f_alpha4": ("NeuralUCB-F (alpha 4)", "fixed", "none", True, True, "empty"),
    "neural_ts_nu01": ("NeuralTS (nu 0.1)", "thompson", "none", True, True, "empty"),
    "pearl_gamma100": ("PEARL (gamma 100)", "error_adaptive", "directional", True, True, "empty"),
    "neural_ucb_f_alpha20": ("NeuralUCB (alpha 20)", "fixed", "none", True, True, "empty"),
    "sw_ucb_w50": ("SW-UCB (W = 50)", "fixed", "window", True, True, "empty"),
    "sw_ucb_w50_alpha1": ("SW-UCB (W = 50, alpha 1)", "fixed", "window", True, True, "empty"),
}


def test_the_named_methods() -> None:
    """The rules of forgetting, and what was swept, stand in test_forgetting."""
    methods = load_methods()
    assert [name for name in methods if name in TABLE] == list(TABLE)
    for name in TABLE:
        found = methods[name]
        axes = (found.label, found.exploration, found.forgetting, found.user_features)
        assert (*axes, found.online, found.prior) == TABLE[name]
        assert (found.beta, found.regularization) == (0.3, 1.0)
        assert (found.threshold, found.error_start, found.head) == (0.05, 0.5, "mlp")
        alphas = {"neural_ucb_f_alpha4": 4.0, "neural_ucb_f_alpha20": 20.0, "sw_ucb_w50": 20.0}
        rates = (100.0 if name == "pearl_gamma100" else 4.0, alphas.get(name, 1.0))
        assert (found.gamma, found.alpha) == rates
        assert found.window == (50 if name.startswith("sw_ucb") else 1000)
        assert found.nu == (0.1 if name == "neural_ts_nu01" else 1.0)
        assert found.eta == (0.0 if name == "neural_ucb_a" else 0.01)
        assert found.network == (name not in ("random", "oracle"))
        assert BanditMethod.model_validate(found.model_dump()) == found


@pytest.mark.parametrize(
    ("name", "change", "named"),
    [
        ("pearl", {"exploration": "decaying"}, "exploration"),
        ("pearl", {"forgetting": "sometimes"}, "forgetting"),
        ("pearl", {"head": "urm"}, "head"),
        ("pearl", {"prior": "full"}, "prior"),
        ("pearl", {"online": False}, "online false"),
        ("random", {"online": True}, "online false"),
        ("random", {"forgetting": "directional"}, "forgetting none"),
        ("oracle", {"prior": "pretraining"}, "prior empty"),
        ("pearl", {"gamma": -1.0}, "gamma"),
        ("pearl", {"eta": float("nan")}, "eta"),
        ("pearl", {"beta": 1.0}, "beta"),
        ("pearl", {"regularization": 0.0}, "regularization"),
        ("pearl", {"threshold": 1.5}, "threshold"),
        ("pearl", {"lam": 1.0}, "lam"),
    ],
)
def test_what_is_refused(name: str, change: dict[str, object], named: str) -> None:
    fields = load_methods()[name].model_dump() | change
    with pytest.raises(ValidationError, match=named):
        BanditMethod.model_validate(fields)


@pytest.mark.parametrize("name", ["random", "oracle"])
def test_what_has_no_network_has_no_rule(name: str) -> None:
    with pytest.raises(ValueError, match="no network"):
        rule_of(load_methods()[name], damping=True)


ARMS = np.array([[2.0, 0.0], [0.0, 1.0], [1.0, 1.0]])


@pytest.mark.parametrize(
    ("settings", "bonus"),
    [
        ({"exploration": "none"}, 0.0),
        ({"exploration": "fixed", "alpha": 3.0}, 3.0),
        ({"exploration": "error_adaptive", "gamma": 4.0}, 4.0 * 0.3),
    ],
)
def test_scores(settings: dict[str, object], bonus: float) -> None:
    state = State(np.diag([0.5, 1.0]), np.array([0.3]))
    _, _, scratch = step(state, method(**settings, forgetting="none"), ARMS, 0.5)
    sigma = np.sqrt([2.0, 1.0, 1.5])
    np.testing.assert_allclose(scratch.scores, 0.5 + bonus * sigma, rtol=1e-14)


def test_thompson_scores_are_indexed_draws() -> None:
    """mu + nu sigma xi; xi belongs to (seed, stream, t, arm), whoever asks for how much of it."""
    rules = method(exploration="thompson", nu=0.5, forgetting="none")
    everything = draws(rules, 7, 0, 3000, 3)
    for first, n in ((0, 1), (1000, 100), (1023, 2), (2900, 100)):
        some = draws(rules, 7, first, n, 3)
        assert np.array_equal(some.normals, everything.normals[first : first + n])
        assert np.array_equal(some.ties, everything.ties[first : first + n])
    assert np.array_equal(draws(rules, 7, 5, 50, 2).normals, everything.normals[5:55, :2])
    assert not np.array_equal(draws(rules, 8, 0, 50, 3).normals, everything.normals[:50])
    assert not draws(method(), 7, 0, 50, 3).normals.any()
    assert abs(np.mean(everything.normals)) < 0.05
    assert abs(np.std(everything.normals) - 1.0) < 0.05
    n = 2000
    folded = network_of(np.tile(ARMS, (n, 1)))
    fixed = State(np.diag([0.5, 1.0]), np.array([0.3]))
    frozen = rules.model_copy(update={"online": False})
    block = Block(np.zeros(n, np.int64), np.full((n, 3), 0.5), everything.ties[:n],
                  everything.normals[:n])  # fmt: skip
    log = play(folded, fixed, rule_of(frozen, damping=False), block)
    scores = 0.5 + 0.5 * np.sqrt([2.0, 1.0, 1.5]) * everything.normals[:n]
    assert np.array_equal(log.arms, scores.argmax(axis=1))
    assert set(log.arms) == {0, 1, 2}


def test_ties_fall_to_every_best_arm_alike() -> None:
    """Exactly equal scores: the seeded draw decides, not the position (pybandits#126)."""
    rules = method(exploration="none", forgetting="none", online=False)
    n = 6000
    arms = np.tile(np.array([[1.0, 0.0], [0.0, 1.0], [3.0, 0.0], [0.0, 1.0]]), (n, 1))
    drawn = draws(rules, 0, 0, n, 4)
    folded = network_of(arms, head=np.array([-1.0, 1.0]))
    block = Block(np.zeros(n, np.int64), np.zeros((n, 4)), *drawn)
    log = play(folded, new_state(rules, 1, 2), rule_of(rules, damping=False), block)
    shares = np.bincount(log.arms, minlength=4) / n
    assert shares[0] == shares[2] == 0.0
    assert abs(shares[1] - 0.5) < 0.02
    assert np.array_equal(log.arms == 3, drawn.ties >= 0.5)


def test_random_arms_are_uniform_and_indexed() -> None:
    arms = random_arms(3, 0, 20_000, 4)
    assert np.bincount(arms, minlength=4) / 20_000 == pytest.approx([0.25] * 4, abs=0.015)
    assert np.array_equal(random_arms(3, 5000, 7, 4), arms[5000:5007])


def test_injection_asks_for_a_surprise_and_for_an_error_above_the_threshold() -> None:
    g = np.array([[1.0, 2.0]])
    for old, reward, expected in (
        (0.3, 1.0, True),
        (0.5, 1.0, False),  # |r - mu| = eps isn't above it
        (0.05, 1.0, False),  # nor is eps = .05 above .05
        (0.06, 0.57, True),
    ):
        injected, _, _ = step(State(np.eye(2), np.array([old])), method(), g, reward)
        assert injected == expected
        always = method(forgetting="always_directional")
        assert step(State(np.eye(2), np.array([old])), always, g, reward)[0]
        assert not step(State(np.eye(2), np.array([old])), method(forgetting="none"), g, reward)[0]


def test_the_shrink_and_the_growth() -> None:
    g = np.array([[1.0, 2.0]])
    state = State(np.eye(2), np.array([0.2]))
    step(state, method(eta=0.1), g, 0.0)
    outer = np.outer(g, g)
    expected = np.eye(2) - outer / 6.0 + 0.1 * 0.25 * outer
    np.testing.assert_allclose(state.inverse, expected, rtol=1e-14)
    assert state.errors[0] == pytest.approx(0.3 * 0.2 + 0.7 * 0.5, rel=1e-15)


def test_offline_the_gram_matrix_rests_and_errors_are_tracked() -> None:
    state = State(np.eye(2), np.array([0.2]))
    step(state, method(online=False, forgetting="none"), np.array([[1.0, 2.0]]), 0.0)
    assert np.array_equal(state.inverse, np.eye(2))
    assert state.errors[0] == pytest.approx(0.41)


def test_shapes_that_do_not_fit_are_refused() -> None:
    rules = method()
    folded, rule, state = network_of(ARMS), rule_of(rules, False), new_state(rules, 1, 2)
    block = Block(np.zeros(1, np.int64), np.zeros((1, 3)), *draws(rules, 0, 0, 1, 3))
    with pytest.raises(ValueError, match="folded arms"):
        play(network_of(ARMS[:2]), state, rule, block)
    with pytest.raises(ValueError, match="users outside"):
        play(folded, state, rule, block._replace(users=np.array([1])))
    with pytest.raises(ValueError, match="draws"):
        play(folded, state, rule, block._replace(ties=np.zeros(2)))


def test_the_sigmoid_needs_no_library() -> None:
    """Within two units in the last place of the true value from end to end."""
    x = np.concatenate([np.linspace(-40, 40, 4001), [-1e4, -705.0, -699.0, 0.0, 699.0, 1e4]])
    rules = method(exploration="none", forgetting="none", online=False)
    g = np.column_stack([np.maximum(x, 0.0), np.maximum(-x, 0.0)])
    n = len(x)
    log = play(
        network_of(g, head=np.array([1.0, -1.0])),
        new_state(rules, 1, 2),
        rule_of(rules, damping=False),
        Block(np.zeros(n, np.int64), np.zeros((n, 1)), *draws(rules, 0, 0, n, 1)),
    )
    true = (1.0 / (1.0 + np.exp(-x.astype(np.longdouble)))).astype(float)
    usual = np.abs(x) < 700
    assert (np.abs(log.means[usual] / true[usual] - 1.0) < 4.5e-16).all()
    assert (log.means[~usual] == [0.0, 0.0, 1.0]).all()
