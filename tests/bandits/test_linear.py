"""The linear learner's step beside a literal one, and what each way of forgetting does to P."""

from __future__ import annotations

import numpy as np
import pytest

from pearl.bandits.linear import (
    LinearRounds,
    LinearState,
    advance,
    linear_rule,
    new_linear_rounds,
    new_linear_state,
)
from pearl.bandits.linear_method import LinearMethod, Rates, load_linear_methods

T, K, D, USERS = 120, 4, 5, 3


def method(**fields: object) -> LinearMethod:
    own = {name: fields.pop(name, None) for name in ("rate", "test")}
    rates = Rates(bonus=fields.pop("bonus", 0.5), **own)
    return LinearMethod(**{"exploration": "error_adaptive", "rates": {"dense": rates}, **fields})


def made(seed: int = 0, t: int = T) -> LinearRounds:
    source = np.random.default_rng(seed)
    x = source.standard_normal((t, K, D))
    x /= np.linalg.norm(x, axis=2, keepdims=True)
    taste = 0.4 * source.standard_normal(D)
    rewards = x @ taste + 0.2 * source.standard_normal((t, 1))
    rewards[t // 2 :] *= -1.0
    return new_linear_rounds(x, rewards, source.integers(USERS, size=t))


def played(chosen: LinearMethod, rounds: LinearRounds, in_v: int = 2) -> LinearState:
    state = new_linear_state(chosen, USERS, D)
    rule = linear_rule(chosen, "dense", in_v)
    assert advance(rounds, state, rule, 0, rounds.horizon, False) == rounds.horizon
    return state


def literal(chosen: LinearMethod, rounds: LinearRounds) -> tuple[np.ndarray, np.ndarray, list[int]]:
    """Return P, theta and the chosen arms by matrices, straight from the definitions."""
    rates, lam = chosen.rates["dense"], chosen.regularization
    p, theta = np.eye(D) / lam, np.zeros(D)
    eps = np.full(USERS, chosen.error_start)
    arms: list[int] = []
    for t in range(rounds.horizon):
        u, x = rounds.users[t], rounds.features[t]
        width = rates.bonus * (eps[u] if chosen.exploration == "error_adaptive" else 1.0)
        arm = int(np.argmax(x @ theta + width * np.sqrt(np.einsum("ki,ij,kj->k", x, p, x))))
        arms.append(arm)
        g, e, old = x[arm], rounds.rewards[t, arm] - x[arm] @ theta, eps[u]
        if chosen.forgetting == "discount":
            p = p / rates.rate
        if chosen.forgetting == "window":
            seen = range(max(0, t + 1 - int(rates.rate)), t + 1)
            kept = np.array([rounds.features[i, arms[i]] for i in seen])
            p = np.linalg.inv(lam * np.eye(D) + kept.T @ kept)
            theta = p @ kept.T @ np.array([rounds.rewards[i, arms[i]] for i in seen])
        else:
            gain = p @ g / (1.0 + g @ p @ g)
            p, theta = p - np.outer(gain, p @ g), theta + gain * e
        eps[u] = chosen.beta * old + (1.0 - chosen.beta) * abs(e)
        if chosen.forgetting == "restart" and eps.mean() > rates.rate:
            p = np.eye(D) / lam
        surprised = abs(e) > old and old > chosen.threshold
        if chosen.forgetting == "always_directional" or (
            chosen.forgetting == "directional" and surprised
        ):
            p = p + rates.rate * e * e * np.outer(g, g)
            values, axes = np.linalg.eigh(p)
            p = (axes * np.minimum(values, 1.0 / lam)) @ axes.T
        if chosen.forgetting == "isotropic" and surprised:
            share = min(1.0, rates.rate * e * e * (g @ g) / (D / lam - np.trace(p)))
            p = (1.0 - share) * p + share * np.eye(D) / lam
    return p, theta, arms


RULES = {
    "none": None,
    "directional": 0.3,
    "always_directional": 0.1,
    "isotropic": 0.3,
    "discount": 0.97,
    "window": 30,
    "restart": 0.25,
}


@pytest.mark.parametrize("exploration", ["fixed", "error_adaptive"])
@pytest.mark.parametrize("forgetting", RULES)
def test_the_step_is_the_literal_one(forgetting: str, exploration: str) -> None:
    chosen = method(forgetting=forgetting, rate=RULES[forgetting], exploration=exploration)
    rounds = made()
    state = played(chosen, rounds)
    p, theta, arms = literal(chosen, rounds)
    assert rounds.arms.tolist() == arms
    assert state.inverse == pytest.approx(p, abs=1e-11)
    assert state.estimate == pytest.approx(theta, abs=1e-11)
    assert (state.inverse == state.inverse.T).all()


@pytest.mark.parametrize("forgetting", RULES)
def test_traces_and_what_was_spent(forgetting: str) -> None:
    chosen = method(forgetting=forgetting, rate=RULES[forgetting])
    rounds = made(1)
    state = played(chosen, rounds)
    diagonal = np.diagonal(state.inverse)
    assert rounds.traces[-1] == pytest.approx([diagonal[:2].sum(), diagonal[2:].sum()])
    assert (rounds.spent >= 0).all()
    assert (rounds.spent[~rounds.forgot] == 0).all()
    assert rounds.forgot.any() == (forgetting != "none")
    # P's trace moves by what forgetting spends and what learning takes
    taken = rounds.spent.sum(1)[1:] - np.diff(rounds.traces.sum(1))
    assert (taken > -1e-12).all()


def test_isotropic_spends_as_much_as_directional_but_evenly() -> None:
    along, evenly = made(2, t=1), made(2, t=1)
    for rounds, forgetting in ((along, "directional"), (evenly, "isotropic")):
        chosen = method(forgetting=forgetting, rate=0.01, error_start=0.06)
        state = new_linear_state(chosen, USERS, D)
        state.inverse[:] *= 0.1
        assert advance(rounds, state, linear_rule(chosen, "dense", 2), 0, 1, False) == 1
    assert along.errors[0] == evenly.errors[0]
    assert evenly.spent.sum() == pytest.approx(along.spent.sum())
    assert evenly.spent[0] == pytest.approx(along.spent.sum() * np.array([0.4, 0.6]), rel=1e-2)


def test_a_growth_that_may_pass_the_ceiling_is_left_to_the_caller() -> None:
    chosen = method(forgetting="always_directional", rate=500.0)
    rounds, state = made(), new_linear_state(chosen, USERS, D)
    reached = advance(rounds, state, linear_rule(chosen, "dense", 2), 0, T, False)
    assert reached < 0
    x = rounds.features[-reached - 1, rounds.arms[-reached - 1]]
    assert state.growth == pytest.approx(np.sqrt(500.0) * abs(rounds.errors[-reached - 1]) * x)


def test_a_round_played_alone_is_the_same_round() -> None:
    chosen = method(forgetting="directional", rate=0.1)
    whole, single = made(), made()
    state = new_linear_state(chosen, USERS, D)
    for t in range(T):
        assert advance(single, state, linear_rule(chosen, "dense", 2), t, t + 1, False) == t + 1
    assert np.array_equal(played(chosen, whole).inverse, state.inverse)
    assert np.array_equal(whole.arms, single.arms)


def test_the_matched_control_differs_from_directional_in_nothing_but_the_direction() -> None:
    found = load_linear_methods()
    for letter in "af":
        same = {"forgetting": "isotropic", "label": found[f"isotropic_matched_{letter}"].label}
        changed = found[f"directional_{letter}"].model_copy(update=same)
        assert found[f"isotropic_matched_{letter}"] == changed


def test_every_method_has_tuned_rates_for_all_features() -> None:
    for name, found in load_linear_methods().items():
        assert set(found.rates) == {"dense", "sparse", "neural"}, name
        assert found.label


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"forgetting": "discount"}, "a rate is needed"),
        ({"rate": 1.0}, "no rate is needed"),
        ({"forgetting": "restart_in_v"}, "goes with forgetting"),
        ({"forgetting": "discount", "rate": 0.9, "trigger": "adwin"}, "goes with forgetting"),
        ({"forgetting": "directional", "rate": 0.1, "trigger": "adwin"}, "a test is needed"),
        ({"forgetting": "directional", "rate": 0.1, "test": 20.0}, "no test is needed"),
    ],
)
def test_products_that_mean_nothing_are_refused(fields: dict[str, object], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        method(**fields)
