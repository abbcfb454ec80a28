"""What a policy refuses: arrays that don't fit, arms and users that are none; nothing changes."""

from __future__ import annotations

import io
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pearl.bandits.method import load_methods
from pearl.bandits.network import Adam, TrainingSettings, Weights, initial_weights, new_adam
from pearl.bandits.policy import Policy
from pearl.bandits.saved_policy import from_arrays, to_arrays
from pearl.errors import SettingError

USERS, STATED, ARM, D, E = 5, 3, 6, 8, 2
TRAINING = TrainingSettings(hidden=D, embedding=E, batch=4)
RNG = np.random.default_rng(0)
ARMS = RNG.standard_normal((40, ARM)).astype(np.float32)
FEATURES = RNG.random((USERS, STATED)).astype(np.float32)
WEIGHTS = initial_weights(TRAINING, USERS, STATED, ARM, 1)
NAN = float("nan")

Arrays = dict[str, np.ndarray]
Change = Callable[[np.ndarray], Any]


def policy_of(name: str = "pearl", **more: Any) -> Policy:
    given = {"weights": WEIGHTS, "stated": FEATURES, "training": TRAINING, "seed": 3} | more
    return Policy(load_methods()[name], **given)


def worked(name: str = "pearl", rounds: int = 30) -> Policy:
    prior = None
    if load_methods()[name].prior == "pretraining":
        prior = np.arange(USERS), ARMS[:USERS]
    policy = policy_of(name, update_interval=12, max_observations=20, prior=prior)
    for t in range(rounds):
        policy.update(t % USERS, ARMS[t], (t % 11) / 10)
    return policy


def same(a: Arrays, b: Arrays) -> bool:
    return a.keys() == b.keys() and all(
        a[key].dtype == b[key].dtype and np.array_equal(a[key], b[key]) for key in a
    )


def put(place: Any, value: Any) -> Change:
    """Return a change of one entry."""

    def change(array: np.ndarray) -> np.ndarray:
        array = array.copy()
        array[place] = value
        return array

    return change


def to(value: Any) -> Change:
    return lambda array: value


ANY_WEIGHTS: list[tuple[str, Change]] = [
    ("w2", lambda a: a[:5]),
    ("b2", lambda a: a[:5]),
    ("head", lambda a: a[:5]),
    ("b1", lambda a: a[:1]),
    ("bias", lambda a: a[:0]),
    ("w2", lambda a: np.asfortranarray(a)),
    ("w2", lambda a: a.astype(np.float64)),
    ("w2", lambda a: a.astype(">f4")),
    ("head", lambda a: a[:, None]),
    ("w1", lambda a: a[:, 0]),
    ("users", lambda a: a[0]),
    ("w1", put((0, 0), NAN)),
    ("users", put((1, 1), np.inf)),
    ("bias", put(0, 2e18)),
]
STATED_ARRAYS: list[Change] = [
    put((0, 0), NAN),
    lambda a: a.astype(float) * 1e300,
    lambda a: a[0],
    lambda a: np.ones((USERS, 50), np.float32),
    lambda a: a[1:],
    lambda a: a[:0],
    lambda a: a.astype(complex),
    lambda a: a.astype(object),
    lambda a: a > 0.5,
]


@pytest.mark.parametrize(("part", "change"), ANY_WEIGHTS)
def test_weights_that_fit_nothing(part: str, change: Change) -> None:
    wrong = WEIGHTS._replace(**{part: change(getattr(WEIGHTS, part))})
    with pytest.raises(ValueError, match=f"weights/{part}"):
        policy_of(weights=wrong)
    with pytest.raises(ValueError, match=f"weights/{part}"):
        policy_of(weights=WEIGHTS._replace(**{part: getattr(WEIGHTS, part).tolist()}))
    arrays = to_arrays(worked())
    for name in ("weights", "adam/m", "adam/v"):
        with pytest.raises(SettingError, match=f"{name}/{part}"):
            from_arrays(arrays | {f"{name}/{part}": change(arrays[f"{name}/{part}"])})


@pytest.mark.parametrize("change", STATED_ARRAYS)
def test_stated_features_that_are_none(change: Change) -> None:
    with pytest.raises(ValueError, match="stated"):
        policy_of(stated=change(FEATURES))
    with pytest.raises(SettingError, match="stated"):
        from_arrays(to_arrays(worked()) | {"stated": change(FEATURES)})


def test_an_adam_of_another_network() -> None:
    other = initial_weights(TRAINING, USERS + 1, STATED, ARM, 1)
    fresh = new_adam(WEIGHTS)
    negative = Weights(*(np.full_like(array, -1.0) for array in WEIGHTS))
    for adam, named in (
        (new_adam(other), "adam/m/users"),
        (Adam(fresh.m, new_adam(other).v, fresh.steps), "adam/v/users"),
        (fresh._replace(v=negative), "adam/v"),
        (fresh._replace(steps=fresh.steps[:0]), "adam/steps"),
        (fresh._replace(steps=np.array([-1])), "adam/steps"),
        (fresh._replace(steps=np.array([2**62])), "adam/steps"),
        (fresh._replace(steps=np.array([1.0])), "adam/steps"),
    ):
        with pytest.raises(ValueError, match=named):
            policy_of(adam=adam)


@pytest.mark.parametrize(
    ("users", "arms"),
    [
        ([0, 99], ARMS[:2]),
        ([0, -1], ARMS[:2]),
        ([0], ARMS[:2]),
        ([0.0, 1.0], ARMS[:2]),
        ([True, False], ARMS[:2]),
        ([0, 1], ARMS[:2, :5]),
        ([0, 1], np.full((2, ARM), NAN)),
        ([0, 1], np.full((2, ARM), 1e300)),
        ([0, 1], ARMS[0]),
        ([0, 1], np.full((2, ARM), 9e17)),
    ],
)
def test_a_prior_that_is_none(users: list[Any], arms: np.ndarray) -> None:
    with pytest.raises(ValueError, match="prior's"):
        policy_of("no_online", prior=(np.array(users), arms))


@pytest.mark.parametrize(
    ("settings", "error"),
    [
        ({"update_interval": 1.5}, TypeError),
        ({"update_interval": True}, TypeError),
        ({"update_interval": "9"}, TypeError),
        ({"update_interval": -1}, SettingError),
        ({"max_observations": 20.0}, TypeError),
        ({"max_observations": None}, TypeError),
        ({"max_observations": 0}, SettingError),
        ({"seed": 1.0}, TypeError),
        ({"seed": -1}, ValueError),
        ({"seed": 2**63}, ValueError),
    ],
)
def test_numbers_that_a_policy_starts_with(
    settings: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error, match=next(iter(settings))):
        policy_of(**settings)
    assert policy_of(update_interval=np.int64(7)).update_interval == 7


NO_ARMS = [
    np.full(ARM, 1e300),
    np.full(ARM, np.inf),
    np.full(ARM, NAN),
    np.full(ARM, 1.1e18),
    np.full(ARM, -9e17),
    np.ones(ARM, complex),
    np.ones(ARM, object),
    np.ones(ARM, bool),
    np.array(["1"] * ARM),
    [None] * ARM,
    [1.0] * (ARM - 1),
    [[1.0], [1.0, 2.0]],
    1.0,
    None,
]


@pytest.mark.parametrize("name", ["pearl", "neural_ts", "greedy", "no_online", "sw_ucb_w50"])
def test_a_refused_call_changes_nothing(name: str) -> None:
    policy = worked(name)
    before = to_arrays(policy)
    calls: list[tuple[Callable[[], object], type[Exception]]] = []
    for arm in NO_ARMS:
        calls.append((lambda arm=arm: policy.update(0, arm, 0.5), ValueError))
        calls.append((lambda arm=arm: policy.select(0, [arm, arm]), ValueError))
        calls.append((lambda arm=arm: policy.select(0, arm), ValueError))
    calls.append((lambda: policy.select(0, [ARMS[0].tolist(), [1e300] * ARM]), ValueError))
    calls.append((lambda: policy.select(0, []), ValueError))
    calls.append((lambda: policy.update(0, ARMS[:1], 0.5), ValueError))
    for user in (1.5, True, np.True_, "1", None, 1.0, [1], np.array([1.0])):
        calls.append((lambda user=user: policy.select(user, ARMS), TypeError))
        calls.append((lambda user=user: policy.update(user, ARMS[0], 0.5), TypeError))
    for user in (-1, USERS, 2**70):
        calls.append((lambda user=user: policy.select(user, ARMS), ValueError))
        calls.append((lambda user=user: policy.update(user, ARMS[0], 0.5), ValueError))
    for reward in (NAN, np.inf, -1e-9, 1.01, 10**400):
        calls.append((lambda reward=reward: policy.update(0, ARMS[0], reward), ValueError))
    for reward in ("1", None, 1j, [0.5]):
        calls.append((lambda reward=reward: policy.update(0, ARMS[0], reward), TypeError))
    for call, error in calls:
        with pytest.raises(error) as caught:
            call()
        assert len(str(caught.value)) > 10
        assert same(before, to_arrays(policy)), caught.value
    for t in range(20):
        policy.select(np.int64(t % USERS), ARMS[t : t + 4])
    assert same(before, to_arrays(policy))


def test_arms_and_rewards_of_other_types_count_as_what_they_are() -> None:
    whole = np.arange(4 * ARM).reshape(4, ARM) % 5
    expected = worked().select(1, whole.astype(np.float32))
    for arms in (whole, whole.tolist(), whole.astype(float), np.asfortranarray(whole * 1.0)):
        choice = worked().select(1, arms)
        assert choice[:3] == expected[:3]
        assert np.array_equal(choice.scores, expected.scores)
    first, second = worked(), worked()
    first.update(1, whole[0].astype(np.float32), 0.5)
    second.update(np.int32(1), whole[0].tolist(), Fraction(1, 2))
    assert same(to_arrays(first), to_arrays(second))


@pytest.mark.parametrize("name", ["pearl", "greedy"])
def test_learning_from_nothing_is_nothing(name: str) -> None:
    policy = policy_of(name)
    before = to_arrays(policy)
    assert math.isnan(policy.learn())
    assert same(before, to_arrays(policy))


def test_learning_from_nothing_keeps_the_prior() -> None:
    method = load_methods()["pearl"].model_copy(update={"prior": "pretraining"})
    prior = np.arange(USERS), ARMS[:USERS]
    policy = Policy(method, WEIGHTS, FEATURES, TRAINING, prior=prior)
    before = to_arrays(policy)
    assert not np.array_equal(before["state/inverse"], np.eye(D))
    policy.learn()
    assert same(before, to_arrays(policy))


WRONG: list[tuple[str, Change]] = [
    ("adam/steps", lambda a: a[:0]),
    ("adam/steps", lambda a: -a),
    ("adam/v/w2", lambda a: -a),
    ("state/inverse", to(np.eye(5))),
    ("state/inverse", put((0, 1), 0.5)),
    ("state/inverse", put((2, 2), NAN)),
    ("state/inverse", lambda a: -a),
    ("state/inverse", lambda a: a.astype(np.float32)),
    ("state/errors", put(0, NAN)),
    ("state/errors", put(0, 1.01)),
    ("state/errors", put(0, -0.01)),
    ("state/errors", lambda a: a[1:]),
    ("memory/users", put(0, USERS)),
    ("memory/users", put(19, -1)),
    ("memory/users", lambda a: a[1:]),
    ("memory/users", lambda a: a.astype(float)),
    ("memory/rewards", put(0, NAN)),
    ("memory/rewards", put(0, 1.5)),
    ("memory/rewards", lambda a: a[1:]),
    ("memory/arms", put((0, 0), NAN)),
    ("memory/arms", lambda a: a[:, 1:]),
    ("memory/arms", lambda a: np.zeros((30, ARM), np.float32)),
    ("memory/seen", to(np.array(-1))),
    ("memory/seen", to(np.array(10**12))),
    ("memory/seen", to(np.array(10.0))),
    ("memory/seen", to(np.array([30]))),
    ("memory/seen", to(np.array("30"))),
    ("counts", lambda a: a[:4]),
    ("counts", lambda a: a.astype(float)),
    ("counts", lambda a: a.astype(str)),
    ("counts", to(np.array(3))),
    ("counts", put(0, -1)),
    ("counts", put(1, -12)),
    ("counts", put(2, 0)),
    ("counts", put(3, 2**62)),
    ("counts", put(4, -1)),
    ("format", to(np.array("1"))),
    ("format", to(np.array([1, 1]))),
    ("format", to(np.array(1.0))),
    ("format", to(None)),
    ("format", to(b"1")),
    ("method", to(np.array("pearl"))),
    ("method", to(np.array("[]"))),
    ("method", to(np.array("[" * 10**5))),
    ("method", to(np.array('{"exploration": "guess"}'))),
    ("method", to(np.array(3))),
    ("method", lambda a: np.array(str(a).replace('"gamma":4.0', '"gamma":NaN'))),
    ("training", to(np.array("{}}"))),
    ("training", lambda a: np.array(str(a).replace('"hidden":8', '"hidden":-8'))),
]


@pytest.mark.parametrize(("name", "change"), WRONG)
def test_arrays_with_something_wrong_name_it(name: str, change: Change) -> None:
    arrays = to_arrays(worked())
    with pytest.raises(SettingError, match=name) as caught:
        from_arrays(arrays | {name: change(arrays[name])})
    assert "\n" not in caught.value.problem
    if name not in ("method", "training"):
        assert caught.value.remedy


def test_a_memory_too_large_for_any_machine() -> None:
    arrays = to_arrays(worked())
    with pytest.raises(SettingError, match="no policy"):
        from_arrays(arrays | {"counts": put(2, 2**60)(arrays["counts"])})


def test_every_array_is_needed() -> None:
    arrays = to_arrays(worked())
    for name in arrays:
        with pytest.raises(SettingError, match=f"lack.*{name}"):
            from_arrays({key: value for key, value in arrays.items() if key != name})


FILE = io.BytesIO()
np.savez(FILE, **to_arrays(worked()))


@settings(max_examples=300, deadline=None)
@given(place=st.integers(0, len(FILE.getvalue()) - 1), bit=st.integers(0, 7))
def test_a_flipped_bit_is_refused_or_harmless(place: int, bit: int) -> None:
    data = bytearray(FILE.getvalue())
    data[place] ^= 1 << bit
    try:
        file = np.load(io.BytesIO(bytes(data)), allow_pickle=False)
    except Exception:  # numpy's own: no policy was asked for yet
        return
    try:
        restored = from_arrays(file)
    except SettingError:
        return
    assert same(to_arrays(restored), to_arrays(worked()))


def test_a_file_cut_open() -> None:
    """The names are whole, the contents aren't: as when a disk lost a page."""
    data = bytearray(FILE.getvalue())
    for first in range(512, len(data) - 3000, 512):
        cut = data.copy()
        cut[first : first + 512] = bytes(512)
        with pytest.raises(SettingError, match="can't be read"):
            from_arrays(np.load(io.BytesIO(bytes(cut)), allow_pickle=False))
