import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from made_runs import MACHINE, planned, trajectory
from pydantic import ValidationError

from pearl.errors import PearlError
from pearl.project import Project
from pearl.runs import CorruptRunError, DivergedError, RunSpec, RunStore
from pearl.runs.failures import check_finite
from pearl.runs.stored import FILES, SEAL
from pearl.simulation.trajectory import Trajectory


@pytest.fixture
def store(project: Project) -> RunStore:
    return RunStore.of(project)


def test_the_key_is_what_determines_a_run() -> None:
    base = planned()
    same = planned(name="another", label="x", profile="paper", experiment="toy/other")
    assert base.key == same.key
    assert len(base.key) == 64
    spec = base.spec
    reordered = dict(reversed(list(spec.config.items())))
    assert spec.model_copy(update={"config": reordered}).key == spec.key
    others = [
        planned(seed=1),
        planned(horizon=21),
        planned(spec=RunSpec(config=spec.config, seed=0, data="x", code=spec.code)),
        planned(spec=RunSpec(config=spec.config, seed=0, data="", code="2" * 64)),
    ]
    assert len({run.key for run in [base, *others]}) == 5


def test_seeds_fit_into_a_column_of_whole_numbers() -> None:
    assert planned(2**63 - 1).spec.seed == 2**63 - 1
    for seed in (-1, 2**63):
        with pytest.raises(ValidationError, match="seed"):
            planned(seed)


def test_a_run_comes_back_as_it_was(store: RunStore) -> None:
    run, made = planned(), trajectory()
    assert not store.has(run.key)
    store.write(run, made, MACHINE)
    stored = store.read(store.find(run.key[:8]))
    assert stored.run == run
    assert stored.facts == made.facts
    assert stored.machine == MACHINE
    np.testing.assert_array_equal(stored.regret(), made.regret)
    np.testing.assert_array_equal(stored.episode_starts(), [1, 9])
    assert store.all_keys() == [run.key]
    store.remove(run.key)
    assert store.all_keys() == []
    with pytest.raises(PearlError, match="runs list"):
        store.find(run.key[:8])


@pytest.mark.parametrize("name", [*FILES, SEAL])
@pytest.mark.parametrize("harm", ["cut", "gone"])
def test_damage_is_named_with_a_remedy(store: RunStore, name: str, harm: str) -> None:
    run = planned()
    file = store.write(run, trajectory(), MACHINE).folder / name
    if harm == "cut":
        file.write_bytes(file.read_bytes()[:-3])
    else:
        file.unlink()
    with pytest.raises(CorruptRunError) as caught:
        store.read(run.key)
    assert str(store.path(run.key)) in str(caught.value)
    assert name in str(caught.value)
    assert f"pearl runs rm {run.key[:12]} --yes" in str(caught.value)


def test_a_run_under_a_foreign_key_is_damage(store: RunStore) -> None:
    stored = store.write(planned(), trajectory(), MACHINE)
    foreign = store.path("a" * 64)
    foreign.parent.mkdir(parents=True)
    os.rename(stored.folder, foreign)
    with pytest.raises(CorruptRunError, match="it holds the run"):
        store.read("a" * 64)


def test_what_is_not_finite_is_refused(store: RunStore) -> None:
    run, made = planned(), trajectory()
    made.regret[4] = np.inf
    with pytest.raises(DivergedError, match="inf in round 5"):
        store.write(run, made, MACHINE)
    wrong_fact = Trajectory(trajectory().regret, made.episode_starts, {"ratio": float("nan")})
    with pytest.raises(DivergedError, match="ratio is nan"):
        check_finite(run, wrong_fact)
    with pytest.raises(PearlError, match="shape"):
        check_finite(run, trajectory(19))
    assert store.all_keys() == []


def test_failures_are_counted_and_forgotten_on_success(store: RunStore) -> None:
    run = planned()
    for attempt in (1, 2):
        failure = store.add_failure(run, ValueError("no"))
        assert (failure.attempts, failure.kind, failure.cause) == (
            attempt,
            "error",
            "ValueError: no",
        )
    assert store.failure(run.key) == failure
    assert store.failures() == [failure]
    store.write(run, trajectory(), MACHINE)
    assert store.failure(run.key) is None
    assert store.add_failure(run, DivergedError("x")).kind == "diverged"


def test_a_claim_excludes_others_and_dies_with_its_holder(store: RunStore, tmp_path: Path) -> None:
    held = tmp_path / "held"
    script = (
        "import sys, time, pathlib\nfrom pearl.runs.store import RunStore\n"
        "with RunStore(pathlib.Path(sys.argv[1])).claim('k') as held:\n"
        "    pathlib.Path(sys.argv[2]).write_text(str(held)); time.sleep(60)\n"
    )
    holder = subprocess.Popen([sys.executable, "-c", script, str(store.folder), str(held)])
    try:
        deadline = time.monotonic() + 30
        while not held.exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        assert held.read_text() == "True"
        with store.claim("k", wait=False) as mine:
            assert not mine
        with store.claim("other", wait=False) as mine:
            assert mine
    finally:
        holder.send_signal(signal.SIGKILL)
        holder.wait()
    with store.claim("k", wait=False) as mine:
        assert mine
