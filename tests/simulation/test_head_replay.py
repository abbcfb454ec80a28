"""Runs of the reward heads: in waves as one by one, with what is frozen, the same every time."""

from __future__ import annotations

import numpy as np
import pytest
from prism_population import population

from pearl.bandits.draws import draws
from pearl.bandits.heads.network import forward, inputs
from pearl.bandits.heads.parts import Features
from pearl.bandits.heads.play import best, folded, outputs, waves
from pearl.bandits.method import BanditMethod, load_methods
from pearl.bandits.network import TrainingSettings, Weights, initial_weights, new_adam
from pearl.bandits.policy import Policy
from pearl.environments.prism_settings import PrismSettings
from pearl.environments.prism_world import PrismWorld
from pearl.errors import SettingError
from pearl.simulation.head_replay import HeadLearner
from pearl.simulation.pretrained_head import model_of, pretrained_head
from pearl.simulation.pretrained_network import training_settings
from pearl.simulation.prism_replay import learner_of
from pearl.simulation.replay import Learner, play

SETTINGS = PrismSettings(
    update_interval=23, max_observations=40, hidden=12, embedding=4, adam="kept"
)
HEADED = {name: method for name, method in load_methods().items() if method.head != "mlp"}


@pytest.fixture(scope="module")
def world() -> PrismWorld:
    return PrismWorld.of(population([4] * 20, dimensions=6), SETTINGS, seed=7)


@pytest.fixture(scope="module")
def networks(world: PrismWorld) -> dict[str, dict[str, np.ndarray]]:
    return {
        head: pretrained_head(
            *(head, world.pretraining(), world.stated, world.slates.embeddings),
            *(training_settings(SETTINGS, True), 7),
        )
        for head in ("urm", "mrm", "vrf")
    }


@pytest.mark.parametrize("name", HEADED)
def test_a_run_is_one_interaction_at_a_time(
    name: str, world: PrismWorld, networks: dict[str, dict[str, np.ndarray]]
) -> None:
    """Unfolded, in float64, with the Gram matrix inverted anew at every step."""
    method = HEADED[name]
    log = play(world.blocks(2), learner_of(world, method, 2, networks[method.head]))
    learner = learner_of(world, method, 2, networks[method.head])
    assert isinstance(learner, HeadLearner)
    assert log.steps is not None
    head, p = learner.head, learner.model.parameters
    errors, gram = np.full(20, 0.5), np.eye(12)
    seen: list[tuple[int, int, float]] = []
    t = updates = 0

    def passed(user: int, arms: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        share = (1.0 - errors).astype(np.float32)
        many = np.full(len(arms), user)
        x = inputs(p, world.stated, share, world.slates.embeddings, many, arms)
        s = forward(p, x, None, 1.0)
        return s.outputs.astype(np.float64)[None], s.g2.astype(np.float64)

    for block in world.blocks(2):
        noise = head.noise(7, updates)
        for user, arms, rewards in zip(block.users, block.arms, block.rewards, strict=True):
            phi, g = passed(user, arms)
            means, sigmas = (row[0] for row in head.predict(p, phi, np.array([user]), noise))
            if method.uncertainty == "gram":
                sigmas = np.sqrt(np.einsum("ki,ij,kj->k", g, np.linalg.inv(gram), g))
            rate = method.gamma * errors[user] if method.exploration == "error_adaptive" else 0.0
            arm = int(np.argmax(means + rate * sigmas))
            assert log.choices[t] == arm
            assert log.steps.means[t] == pytest.approx(means[arm], abs=2e-6)
            assert log.steps.uncertainties[t] == pytest.approx(sigmas[arm], abs=2e-5)
            assert log.steps.errors[t] == pytest.approx(errors[user], abs=1e-5)
            gram = gram + np.outer(g[arm], g[arm])
            errors[user] = 0.3 * errors[user] + 0.7 * abs(rewards[arm] - means[arm])
            seen.append((user, arms[arm], rewards[arm]))
            t += 1
        if block.update:
            newest = [np.array(column) for column in zip(*seen[-40:], strict=True)]
            head.update(
                *(learner.model, learner.known, tuple(newest), errors, learner.training, 7),
                *(updates, method.bases == "frozen"),
            )
            updates += 1
            gram = np.eye(12)
            for user, arm, _ in zip(*newest, strict=True):
                g = passed(user, np.array([arm]))[1]
                gram += np.outer(g[0], g[0])
    assert t == len(log)
    assert len(log.updates) == updates == 4
    assert not log.steps.injected.any()


@pytest.mark.parametrize("name", HEADED)
def test_what_rests_online_and_what_repeats(
    name: str, world: PrismWorld, networks: dict[str, dict[str, np.ndarray]]
) -> None:
    method = HEADED[name]
    first, second = (learner_of(world, method, 2, networks[method.head]) for _ in range(2))
    assert isinstance(first, HeadLearner)
    assert isinstance(second, HeadLearner)
    before = {key: array.copy() for key, array in first.model.parameters.items()}
    logs = [play(world.blocks(2), learner) for learner in (first, second)]
    assert logs[0].reward.tobytes() == logs[1].reward.tobytes()
    assert logs[0].steps is not None
    assert logs[1].steps is not None
    assert logs[0].steps.means.tobytes() == logs[1].steps.means.tobytes()
    after = first.model.parameters
    assert all(
        array.tobytes() == second.model.parameters[k].tobytes() for k, array in after.items()
    )
    moved = {key for key in after if not np.array_equal(after[key], before[key])}
    if method.bases == "frozen" and first.head.based:
        assert moved == set(first.head.personal())
    else:
        assert moved >= {"users", "w1", "b1", "w2", "b2", "heads", "offsets"}
    assert logs[0].parameters == sum(array.size for array in after.values())


def test_greedy_urm_is_the_mlps_loop(
    world: PrismWorld, networks: dict[str, dict[str, np.ndarray]]
) -> None:
    """The same weights in the compiled kernel: the same choices, to the last bit, until Adam has
    moved the weights, which it does with differently ordered sums."""
    method = HEADED["urm_greedy"]
    log = play(world.blocks(1), learner_of(world, method, 1, networks["urm"]))
    start = learner_of(world, method, 1, networks["urm"])
    assert isinstance(start, HeadLearner)
    p = start.model.parameters
    weights = Weights(
        *(p[name] for name in ("users", "w1", "b1", "w2", "b2")),
        np.ascontiguousarray(p["heads"][0]),
        np.ascontiguousarray(p["offsets"][:1]),
    )
    greedy = load_methods()["greedy"]
    none = np.empty(0, np.int64)
    other = play(
        world.blocks(1),
        Learner(
            *(greedy, start.training, 7, weights, new_adam(weights)),
            *(world.stated, world.slates.embeddings, 40, 40, none, none),
        ),
    )
    assert log.steps is not None
    assert other.steps is not None
    assert log.updates[0] == 23
    for one, two in ((log.choices, other.choices), (log.steps.means, other.steps.means)):
        assert one[:23].tobytes() == two[:23].tobytes()
    assert log.steps.errors[:23].tobytes() == other.steps.errors[:23].tobytes()


def test_outputs_do_not_depend_on_what_they_are_computed_with(
    world: PrismWorld, networks: dict[str, dict[str, np.ndarray]]
) -> None:
    p = model_of("vrf", networks["vrf"], fresh_adam=True).parameters
    arms, users = world.slates.arms[:9], world.slates.user[:9]
    network = folded(p, Features(world.stated, world.slates.embeddings), arms)
    errors = np.linspace(0.0, 1.0, 9)
    together = outputs(p, network, np.arange(9), users, errors, True, 4)
    for t in range(9):
        row = np.array([t])
        alone = outputs(p, network, row, users[row], errors[row], True, 4)
        assert alone.tobytes() == together[row].tobytes()
    undamped = outputs(p, network, np.arange(9), users, errors, False, 4)
    assert np.array_equal(undamped[0], together[0])
    assert not np.array_equal(undamped[8], together[8])


def test_thompson_and_fixed_rates_go_with_a_heads_uncertainty(
    world: PrismWorld, networks: dict[str, dict[str, np.ndarray]]
) -> None:
    block = next(iter(world.blocks(1)))
    scores = {}
    for exploration, rate in (("none", {}), ("fixed", {"alpha": 3.0}), ("thompson", {"nu": 2.0})):
        fields = HEADED["vrf_greedy"].model_dump() | {"exploration": exploration, **rate}
        method = BanditMethod.model_validate(fields)
        learner = learner_of(world, method, 1, networks["vrf"])
        assert isinstance(learner, HeadLearner)
        p = learner.model.parameters
        network = folded(p, learner.known, block.arms[:1])
        phi = outputs(p, network, np.zeros(1, int), block.users[:1], np.full(1, 0.5), True, 4)
        means, sigmas = learner.head.predict(p, phi, block.users[:1], learner.head.noise(7, 0))
        normals = draws(method, 7, 0, 1, 4).normals
        factor = {"none": 0.0, "fixed": 3.0, "thompson": 2.0 * normals}[exploration]
        scores[exploration] = means + factor * sigmas
        log = play(world.blocks(1), learner)
        assert log.choices[0] == np.argmax(scores[exploration])
    assert not np.array_equal(scores["fixed"], scores["thompson"])


def test_ties_fall_to_every_best_arm_alike() -> None:
    scores = np.array([[1.0, 0.0, 1.0, 1.0]] * 4 + [[0.0, 2.0, 1.0, 1.0]])
    ties = np.array([0.0, 0.34, 0.67, 1.0 - 1e-16, 0.9])
    assert best(scores, ties).tolist() == [0, 2, 3, 3, 1]


def test_waves_hold_every_user_once() -> None:
    found = waves(np.array([4, 2, 4, 4, 0, 2]))
    assert [rows.tolist() for rows in found] == [[0, 1, 4], [2, 5], [3]]
    assert waves(np.empty(0, np.int64)) == []


def test_heads_are_not_deployed(world: PrismWorld) -> None:
    weights = initial_weights(TrainingSettings(hidden=4, embedding=2), 20, 8, 6, 0)
    with pytest.raises(SettingError, match="Head urm can't be deployed"):
        Policy(HEADED["urm_greedy"], weights, world.stated, TrainingSettings(hidden=4, embedding=2))


def test_faults_are_named(world: PrismWorld, networks: dict[str, dict[str, np.ndarray]]) -> None:
    with pytest.raises(SettingError, match="none that was pretrained"):
        learner_of(world, HEADED["vrf_greedy"], 1, None)
    with pytest.raises(SettingError, match=r"lacks the array 'weights\.common'"):
        learner_of(world, HEADED["vrf_greedy"], 1, networks["mrm"])


def test_adam_kept_or_new(networks: dict[str, dict[str, np.ndarray]]) -> None:
    kept = model_of("urm", networks["urm"], fresh_adam=False)
    new = model_of("urm", networks["urm"], fresh_adam=True)
    assert kept.adam.steps["w1"] > 0
    assert kept.adam.m["w1"].any()
    assert set(new.adam.steps.values()) == {0}
    assert not any(part.any() for part in (*new.adam.m.values(), *new.adam.v.values()))
    assert networks["urm"]["adam.m.w1"].any()
