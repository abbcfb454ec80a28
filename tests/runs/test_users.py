"""What a run tells of its users: kept in single precision, sealed, compared, in the rows asked."""

from dataclasses import replace

import numpy as np
import pytest
from made_runs import MACHINE, planned, trajectory

from pearl.errors import PearlError
from pearl.project import Project
from pearl.runs import CorruptRunError, DivergedError, RunStore, results
from pearl.runs.comparing import differences
from pearl.runs.failures import check_finite
from pearl.runs.stored import USERS
from pearl.simulation.trajectory import Trajectory

ERROR = np.array([[1 / 3, 0.5], [0.25, 2.0], [0.0, 7.0]])


def told() -> Trajectory:
    return replace(trajectory(), users={"error": ERROR, "flipped": np.array([1.0, 0.0, 1.0])})


@pytest.fixture
def store(project: Project) -> RunStore:
    return RunStore.of(project)


def test_they_come_back_with_their_shape(store: RunStore) -> None:
    found = store.write(planned(), told(), MACHINE).users()
    assert found.keys() == {"error", "flipped"}
    np.testing.assert_array_equal(found["error"], ERROR.astype(np.float32))
    np.testing.assert_array_equal(found["flipped"], np.array([1, 0, 1], dtype=np.float32))


def test_a_run_without_users_has_no_file(store: RunStore) -> None:
    stored = store.write(planned(), trajectory(), MACHINE)
    assert stored.users() == {}
    assert not (stored.folder / USERS).exists()


def test_damage_is_named(store: RunStore) -> None:
    run = planned()
    (store.write(run, told(), MACHINE).folder / USERS).unlink()
    with pytest.raises(CorruptRunError, match=USERS):
        store.read(run.key)


def test_what_differs_is_told(store: RunStore) -> None:
    stored = store.write(planned(), told(), MACHINE)
    assert differences(stored, told()) == ()
    other = replace(told(), users={"error": ERROR + 0.5, "regret": ERROR})
    assert differences(stored, other) == (
        "error: 6 of 6 values, the first at 1: 0.3333333432674408 stored, 0.8333333134651184 made",
        "users flipped: stored only",
        "users regret: made only",
    )


def test_only_those_asked_for_are_in_the_rows(store: RunStore) -> None:
    stored = store.write(planned(), told(), MACHINE)
    assert not any(name.startswith("user.") for name in results.row(stored, planned()))
    frame = results.frame([results.row(stored, planned(), ("error", "stated"))])
    assert frame["user.error"][0].tolist() == ERROR.astype(np.float32).reshape(-1).tolist()
    assert "user.stated" not in frame
    frame = results.frame([results.row(stored, planned(), ("error.total",))])
    total = ERROR.astype(np.float32).astype(float).sum(axis=1)
    assert frame["user.error.total"][0].tolist() == total.astype(np.float32).tolist()
    assert "user.error.total" in results.list_columns(frame)


def test_what_isnt_finite_or_no_row_a_user_is_refused() -> None:
    wrong = replace(trajectory(), users={"error": np.array([[0.0, np.nan]])})
    with pytest.raises(DivergedError, match="error is nan in place 2"):
        check_finite(planned(), wrong)
    with pytest.raises(PearlError, match="not a row a user"):
        check_finite(planned(), replace(trajectory(), users={"error": np.zeros((1, 1, 1))}))
