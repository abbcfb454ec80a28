"""What a run tells of each user: sums that make the run's own means, and the slates' diversity."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from made_slates import write_made_slates

from pearl.bandits.method import load_methods
from pearl.datasets.prism.slates import Slates
from pearl.environments.prism_settings import PrismSettings
from pearl.environments.prism_world import PrismWorld
from pearl.simulation import prism_replay
from pearl.simulation.prism_slates import load
from pearl.simulation.prism_users import diversity
from pearl.simulation.trajectory import Trajectory

EPOCHS, USERS = 3, 20
ENVIRONMENT = {"kind": "prism", "update_interval": None, "max_observations": None, "hidden": 16}


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("slates")
    write_made_slates(folder, users=USERS, per_user=4, dimension=24)
    return folder


def played(tables: Path, method: str) -> Trajectory:
    fields = load_methods()[method].model_dump(mode="json", exclude={"label", "family"})
    config: dict[str, Any] = {"environment": ENVIRONMENT, "method": fields, "horizon": EPOCHS}
    part = prism_replay.pretraining(config)
    network = prism_replay.pretrain(part, tables, 0) if part else None
    return prism_replay.run(config, tables, 0, network)


def test_users_sums_make_the_runs_means(tables: Path) -> None:
    made = played(tables, "pearl")
    users = made.users
    count = users["count"]
    assert count.shape == (USERS, EPOCHS)
    # four slates a user, one of which pretrains, and every epoch replays the others
    assert (count == 3).all()
    for name, of in (("reward", "reward"), ("regret", "regret"), ("error", "error")):
        means = users[name].sum(axis=0) / count.sum(axis=0)
        np.testing.assert_allclose(means, made.series[f"epoch/{of}"])
    np.testing.assert_allclose(
        users["tracker"].sum(axis=0) / count.sum(axis=0), made.series["epoch/tracker"]
    )
    flipped = users["flipped"] == 1
    assert flipped.sum() == made.facts["instance/flipped_users"] == USERS // 2
    np.testing.assert_allclose(
        users["reward"][flipped].sum(axis=0) / count[flipped].sum(axis=0),
        made.series["epoch/reward_flipped"],
    )
    assert users["regret"].sum() == pytest.approx(made.facts["final_regret"])


def test_who_the_users_are_hangs_on_no_method(tables: Path) -> None:
    first, second = played(tables, "pearl").users, played(tables, "random").users
    assert {"error", "tracker"} == first.keys() - second.keys()
    for name in ("count", "flipped", "diversity", "stated"):
        np.testing.assert_array_equal(first[name], second[name])
    settings = PrismSettings.model_validate({k: v for k, v in ENVIRONMENT.items() if k != "kind"})
    world = PrismWorld.of(load(settings, tables), settings, 0)
    np.testing.assert_array_equal(first["stated"], world.slates.stated)
    np.testing.assert_array_equal(first["flipped"] == 1, world.changed)


def test_diversity_is_the_mean_cosine_distance_of_pairs() -> None:
    east, north, west, far = [1, 0], [0, 1], [-1, 0], [3, 0]
    slates = Slates(
        users=("a", "b"),
        stated=np.zeros((2, 8)),
        conversations=("c0", "c1", "c2"),
        user=np.array([0, 1, 0]),
        scores=np.zeros((3, 4), dtype=np.int64),
        arms=np.array([[0, 0, 3, 3], [0, 0, 1, 1], [0, 1, 2, 2]]),
        embeddings=np.array([east, north, west, far], dtype=np.float32),
    )
    # c0: all one direction, 0. c1: four of six pairs at 1. c2: east-north 1, east-west twice 2,
    # north-west twice 1, west-west 0: 7 of 6.
    np.testing.assert_allclose(diversity(slates), [(0 + 7 / 6) / 2, 4 / 6], atol=1e-15)


def test_means_over_time_make_the_whole(tables: Path) -> None:
    made = played(tables, "pearl")
    t = made.series["time/t"]
    assert len(t) == 120
    assert t[-1] == len(made.regret)
    width = np.diff(t, prepend=0)
    for name in ("uncertainty", "tracker"):
        whole = (made.series[f"time/{name}"] * width).sum() / t[-1]
        assert whole == pytest.approx(made.series[f"epoch/{name}"].mean())
