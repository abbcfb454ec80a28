"""The deployable policy: the replay's steps one at a time, bit for bit."""

from __future__ import annotations

import io
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pearl.bandits.draws import draws
from pearl.bandits.folding import fold
from pearl.bandits.gram import rebuild
from pearl.bandits.method import BanditMethod, load_methods
from pearl.bandits.network import TrainingSettings, Weights, initial_weights, new_adam
from pearl.bandits.policy import Policy
from pearl.bandits.saved_policy import from_arrays, to_arrays
from pearl.bandits.state import Block, Log, new_state, rule_of
from pearl.bandits.step import play
from pearl.bandits.training import update
from pearl.errors import SettingError

USERS, STATED, ARM, K, N, INTERVAL, NEWEST = 7, 3, 11, 4, 130, 40, 60
TRAINING = TrainingSettings(hidden=16, embedding=5, embedding_sd=1.0, batch=8)
SEED = 5
WITH_NETWORK = [
    name for name, method in load_methods().items() if method.network and method.head == "mlp"
]


class World(NamedTuple):
    stated: np.ndarray
    embeddings: np.ndarray
    users: np.ndarray
    slates: np.ndarray
    rewards: np.ndarray


def made_up_world(user_features: bool, seed: int = 0) -> World:
    rng = np.random.default_rng(seed)
    embeddings = rng.standard_normal((N * K, ARM)).astype(np.float32)
    embeddings /= np.linalg.norm(embeddings, axis=1, keepdims=True)
    return World(
        rng.random((USERS, STATED if user_features else 0)).astype(np.float32),
        embeddings,
        rng.integers(0, USERS, N),
        rng.permutation(N * K).reshape(N, K),
        rng.integers(1, 101, (N, K)) / 100,
    )


def start(method: BanditMethod) -> tuple[World, Weights, TrainingSettings, Any]:
    world = made_up_world(method.user_features)
    training = TRAINING.model_copy(update={} if method.user_features else {"embedding": 0})
    weights = initial_weights(training, USERS, world.stated.shape[1], ARM, SEED)
    weights = weights._replace(w1=3 * weights.w1, w2=3 * weights.w2)
    prior = None
    if method.prior == "pretraining":
        prior = np.arange(USERS), np.ascontiguousarray(world.embeddings[:USERS])
    return world, weights, training, prior


def replayed(method: BanditMethod) -> tuple[Log, Any, Weights]:
    """Play the world as a replay loop does: a block, an update, a rebuild, the next block."""
    world, weights, training, prior = start(method)
    weights, adam = weights.copy(), new_adam(weights)
    rule, state = rule_of(method, training.damping), new_state(method, USERS, training.hidden)
    if prior is not None:
        rows = np.arange(len(prior[0]))
        rebuild(state, rule, fold(weights, world.stated, prior[1], rows), prior[0])
    logs = []
    for first in range(0, N, INTERVAL):
        part = slice(first, min(first + INTERVAL, N))
        n = part.stop - first
        folded = fold(weights, world.stated, world.embeddings, world.slates[part])
        drawn = draws(method, SEED, first, n, K)
        block = Block(world.users[part], world.rewards[part], *drawn)
        logs.append(play(folded, state, rule, block))
        if not method.online or n < INTERVAL:
            continue
        log = Log(*(np.concatenate(parts) for parts in zip(*logs, strict=True)))
        chosen = np.take_along_axis(world.slates[: part.stop], log.arms[:, None], 1)[:, 0]
        newest = slice(max(0, part.stop - method.training_size(NEWEST)), part.stop)
        observed = world.users[newest], chosen[newest], log.rewards[newest], state.errors
        number = first // INTERVAL
        update(weights, adam, world.stated, *observed, world.embeddings, training, SEED, number)
        newest = slice(max(0, part.stop - method.gram_size(NEWEST)), part.stop)
        folded = fold(weights, world.stated, world.embeddings, chosen[newest])
        rebuild(state, rule, folded, world.users[newest])
    return Log(*(np.concatenate(parts) for parts in zip(*logs, strict=True))), state, weights


def policy_of(method: BanditMethod) -> tuple[World, Policy]:
    world, weights, training, prior = start(method)
    policy = Policy(
        method,
        weights,
        world.stated,
        training,
        seed=SEED,
        update_interval=INTERVAL,
        max_observations=NEWEST,
        prior=prior,
    )
    return world, policy


def walk(policy: Policy, world: World, rounds: range) -> list[tuple[int, float, float]]:
    """Let the policy choose and learn; return arm, mean and uncertainty of every round."""
    seen = []
    for t in rounds:
        user, arms = int(world.users[t]), world.embeddings[world.slates[t]]
        choice = policy.select(user, arms)
        seen.append((choice.arm, choice.mean, choice.uncertainty))
        policy.update(user, arms[choice.arm], float(world.rewards[t, choice.arm]))
    return seen


@pytest.mark.parametrize("name", WITH_NETWORK)
def test_policy_and_replay_agree_to_the_last_bit(name: str) -> None:
    method = load_methods()[name].model_copy(update={"eta": 0.5, "window": 15})
    log, state, weights = replayed(method)
    world, policy = policy_of(method)
    seen = walk(policy, world, range(N))
    assert [entry[0] for entry in seen] == log.arms.tolist()
    assert [entry[1] for entry in seen] == log.means.tolist()
    assert [entry[2] for entry in seen] == log.uncertainties.tolist()
    for mine, theirs in zip(policy.state, state, strict=True):
        assert np.array_equal(mine, theirs)
    for mine, theirs in zip(policy.weights, weights, strict=True):
        assert np.array_equal(mine, theirs)
    assert policy.updates == (N // INTERVAL if method.online else 0)
    injects = ("directional", "always_directional", "restart")
    assert log.injected.any() == (method.forgetting in injects)
    assert len(set(log.arms)) > 1


@pytest.mark.parametrize("name", ["pearl", "neural_ts", "greedy"])
def test_selecting_changes_nothing(name: str) -> None:
    """Asking once or a hundred times, for anyone, leaves the same policy (a defect of a peer)."""
    world, policy = policy_of(load_methods()[name])
    walk(policy, world, range(50))
    before = to_arrays(policy)
    first = policy.select(2, world.embeddings[:4])
    for t in range(20):
        policy.select(int(world.users[t]), world.embeddings[t : t + 1 + t % 5])
    again = policy.select(2, world.embeddings[:4])
    assert first[:3] == again[:3]
    assert np.array_equal(first.scores, again.scores)
    for key, value in to_arrays(policy).items():
        assert np.array_equal(value, before[key]), key


@pytest.mark.parametrize(
    "name",
    ["pearl", "neural_ts", "no_online", "pearl_no_user", "sw_ucb_w50", "pearl_auto01"],
)
def test_a_saved_policy_goes_on_as_if_nothing_had_happened(name: str) -> None:
    world, policy = policy_of(load_methods()[name])
    walk(policy, world, range(70))
    file = io.BytesIO()
    np.savez(file, **to_arrays(policy))
    file.seek(0)
    restored = from_arrays(np.load(file, allow_pickle=False))
    assert walk(policy, world, range(70, N)) == walk(restored, world, range(70, N))
    mine, theirs = to_arrays(policy), to_arrays(restored)
    assert mine.keys() == theirs.keys()
    for key, value in mine.items():
        assert np.array_equal(value, theirs[key]), key


def test_the_given_network_is_left_alone() -> None:
    """A policy that starts again from the same weights starts at the same point."""
    world, weights, training, _ = start(load_methods()["pearl"])
    kept = weights.copy()
    policy = Policy(load_methods()["pearl"], weights, world.stated, training, update_interval=10)
    walk(policy, world, range(30))
    assert policy.updates == 3
    for given_array, kept_array in zip(weights, kept, strict=True):
        assert np.array_equal(given_array, kept_array)


def test_updating_by_hand() -> None:
    world, policy = policy_of(load_methods()["pearl"])
    policy.update_interval = None
    walk(policy, world, range(N))
    assert policy.updates == 0
    before = policy.weights.copy()
    assert 0.0 < policy.learn() < 1.0
    assert policy.updates == 1
    assert not np.array_equal(policy.weights.w1, before.w1)


@settings(max_examples=25, deadline=None)
@given(seen=st.integers(1, 150), size=st.integers(1, 40))
def test_the_newest_observations_are_remembered_in_order(seen: int, size: int) -> None:
    world, weights, training, _ = start(load_methods()["greedy"])
    policy = Policy(load_methods()["greedy"], weights, world.stated, training,
                    update_interval=None, max_observations=size)  # fmt: skip
    for t in range(seen):
        policy.update(t % USERS, world.embeddings[t], t / 1000)
    rows = policy.memory.order()
    kept = list(range(max(0, seen - size), seen))
    assert policy.memory.rewards[rows].tolist() == [t / 1000 for t in kept]
    assert policy.memory.users[rows].tolist() == [t % USERS for t in kept]
    assert np.array_equal(policy.memory.arms[rows], world.embeddings[kept])


def test_what_is_refused() -> None:
    world, policy = policy_of(load_methods()["pearl"])
    before = to_arrays(policy)
    arms = world.embeddings[:4]
    for call, named in (
        (lambda: policy.select(USERS, arms), "user 7"),
        (lambda: policy.select(-1, arms), "user -1"),
        (lambda: policy.select(0, arms[:, :5]), "shape"),
        (lambda: policy.select(0, arms[:0]), "shape"),
        (lambda: policy.select(0, np.full((2, ARM), np.nan, np.float32)), "finite"),
        (lambda: policy.update(0, arms[0], 1.01), "reward"),
        (lambda: policy.update(0, arms[0], float("nan")), "reward"),
    ):
        with pytest.raises(ValueError, match=named):
            call()
    for key, value in to_arrays(policy).items():
        assert np.array_equal(value, before[key]), key


def test_settings_that_cannot_be_deployed() -> None:
    world, weights, training, prior = start(load_methods()["no_online"])
    for name, more, named in (
        ("random", {}, "no network"),
        ("pearl", {"update_interval": 0}, "at least 1"),
        ("pearl", {"prior": prior}, "prior is empty"),
        ("no_online", {}, "prior is pretraining"),
        ("pearl_no_user", {}, "user features"),
    ):
        with pytest.raises(SettingError, match=named):
            Policy(load_methods()[name], weights, world.stated, training, **more)
    pearl = load_methods()["pearl"]
    with pytest.raises(ValueError, match="6 users"):
        Policy(pearl, weights, world.stated[1:], training)
    with pytest.raises(ValueError, match="hidden 16 and embedding 5"):
        Policy(pearl, weights, world.stated, TrainingSettings())
    _, policy = policy_of(load_methods()["no_online"])
    with pytest.raises(SettingError, match="doesn't learn"):
        policy.learn()


def test_arrays_that_are_no_policy() -> None:
    arrays = to_arrays(policy_of(load_methods()["pearl"])[1])
    with pytest.raises(SettingError, match="weights/w2"):
        from_arrays({key: value for key, value in arrays.items() if key != "weights/w2"})
    with pytest.raises(SettingError, match="format 9"):
        from_arrays(arrays | {"format": np.array(9)})
