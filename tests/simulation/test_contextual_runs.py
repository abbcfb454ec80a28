"""What every contextual method must do in every world, by the entries that sweeps call."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from made_slates import write_made_slates

from pearl.bandits.method import load_methods
from pearl.bandits.network import TrainingSettings
from pearl.environments.network_settings import NetworkSettings
from pearl.environments.prism_settings import PrismSettings
from pearl.environments.prism_world import PrismWorld
from pearl.errors import DataError, SettingError
from pearl.simulation import controlled, prism_replay
from pearl.simulation.prism_slates import load
from pearl.simulation.replay import play, play_without_network
from pearl.simulation.replay_log import Log
from pearl.simulation.replay_series import trajectory
from pearl.simulation.trajectory import Trajectory

EPOCHS = 3
PRISM = {"kind": "prism", "update_interval": None, "max_observations": None, "hidden": 16}
CONTROLLED = {"kind": "controlled", "pretrain_interactions": 40, "hidden": 16}
WORLDS: dict[str, tuple[ModuleType, dict[str, Any]]] = {
    "prism": (prism_replay, PRISM),
    "controlled": (controlled, CONTROLLED),
}
EVERYWHERE = {"epoch/reward", "epoch/reward_to_date", "epoch/regret", "epoch/regret_to_date"}
PREDICTED = {"error", "tracker", "uncertainty", "injection_rate", "cap_rate"}
Run = Callable[..., Trajectory]


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("slates")
    write_made_slates(folder, users=30, per_user=5, dimension=24)
    return folder


@pytest.fixture(scope="module")
def run(tables: Path) -> Run:
    networks: dict[str, Any] = {}

    def one(
        world: str, method: str, seed: int = 0, horizon: int = EPOCHS, **more: Any
    ) -> Trajectory:
        entry, environment = WORLDS[world]
        config = config_of({**environment, **more}, method, horizon)
        part = entry.pretraining(config)
        if part is None:
            return entry.run(config, tables, seed)
        name = f"{seed} {part}"
        if name not in networks:
            networks[name] = entry.pretrain(part, tables, seed)
        return entry.run(config, tables, seed, networks[name])

    return one


def config_of(environment: dict[str, Any], method: str, horizon: int = EPOCHS) -> dict[str, Any]:
    fields = load_methods()[method].model_dump(mode="json", exclude={"label", "family"})
    return {"environment": environment, "method": fields, "horizon": horizon}


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("method", load_methods())
def test_what_a_run_leaves(run: Run, world: str, method: str) -> None:
    made = run(world, method)
    rounds = EPOCHS * int(made.facts["instance/interactions"])
    assert len(made.regret) == len(made.curves["reward"]) == rounds
    steps = np.diff(made.regret, prepend=0.0)
    assert (steps >= 0).all()
    assert (made.regret == 0).all() == (method == "oracle")
    numbers = [value for value in made.facts.values() if not isinstance(value, str)]
    assert np.isfinite(numbers).all()
    for values in (*made.series.values(), *made.curves.values()):
        assert values.dtype == np.float64
        assert np.isfinite(values).all()
    epochs = {name for name in made.series if name.startswith("epoch/")}
    expected = EVERYWHERE | (
        {"epoch/reward_flipped", "epoch/reward_stable"} if world == "prism" else set()
    )
    network = load_methods()[method].network
    expected |= {f"epoch/{name}" for name in PREDICTED} if network else set()
    assert epochs == expected
    assert all(len(made.series[name]) == EPOCHS for name in epochs)
    assert ("ece" in made.facts) == ("ece_floor" in made.facts) == network
    recovery = {name: values for name, values in made.series.items() if name.startswith("recovery")}
    assert len({len(values) for values in recovery.values()}) == 1
    if network:
        assert made.series["reliability/count"].sum() == rounds // 10
    assert made.facts["mean_reward"] == pytest.approx(made.curves["reward"][-1])
    assert made.series["epoch/reward_to_date"][-1] == pytest.approx(made.facts["mean_reward"])
    assert made.facts["final_regret"] == pytest.approx(made.regret[-1])
    assert made.series["epoch/reward"].mean() == pytest.approx(made.facts["mean_reward"])


def test_a_group_that_an_epoch_lacks_has_no_mean_reward() -> None:
    """Two groups of users, of which the second epoch plays one alone."""
    log = Log(
        epoch=np.array([0, 0, 1, 1]),
        users=np.array([0, 1, 1, 1]),
        choices=np.zeros(4, np.int64),
        reward=np.array([0.2, 0.4, 0.6, 0.8]),
        regret=np.zeros(4),
        updates=np.empty(0, np.int64),
        steps=None,
        parameters=0,
    )
    lacking = trajectory(log, np.array([True, False]), {}).series
    assert "epoch/reward_flipped" not in lacking
    assert lacking["epoch/reward"].tolist() == pytest.approx([0.3, 0.7])
    log.users[2] = 0
    told = trajectory(log, np.array([True, False]), {}).series
    assert told["epoch/reward_flipped"].tolist() == pytest.approx([0.2, 0.6])
    assert told["epoch/reward_stable"].tolist() == pytest.approx([0.4, 0.8])


@pytest.mark.parametrize("world", WORLDS)
def test_updates_are_where_the_world_puts_them(run: Run, world: str) -> None:
    made = run(world, "pearl")
    each = int(made.facts["instance/interactions"])
    if world == "prism":
        third = each // 3
        ends = [e * each + third * k for e in range(EPOCHS) for k in (1, 2, 3)]
    else:
        ends = [50, 100]
    starts = [1, *(end + 1 for end in ends if end < EPOCHS * each)]
    assert made.episode_starts.tolist() == starts
    assert made.facts["updates"] == len(ends)
    frozen = run(world, "no_online")
    assert frozen.facts["updates"] == 0
    assert frozen.episode_starts.tolist() == [1]


@pytest.mark.parametrize("world", WORLDS)
def test_a_run_again_is_equal_to_the_last_bit(run: Run, world: str) -> None:
    for method in ("pearl", "neural_ts", "random"):
        first, second = run(world, method), run(world, method)
        assert first.regret.tobytes() == second.regret.tobytes()
        assert first.facts == second.facts
        assert all(
            first.series[name].tobytes() == second.series[name].tobytes() for name in first.series
        )


def test_methods_meet_the_same_world(tables: Path) -> None:
    settings = PrismSettings(**{k: v for k, v in PRISM.items() if k != "kind"})
    seen = []
    for name, method in load_methods().items():
        world = PrismWorld.of(load(settings, tables), settings, seed=5)
        config = config_of(PRISM, name)
        if method.network:
            network = prism_replay.pretrain(prism_replay.pretraining(config), tables, 5)
            learner = prism_replay.learner_of(world, method, EPOCHS, network)
            log = play(world.blocks(EPOCHS), learner)
        else:
            log = play_without_network(world.blocks(EPOCHS), method, 5)
        best = log.reward + log.regret
        seen.append((log.users.tolist(), log.epoch.tolist(), best.round(12).tolist()))
    assert all(each == seen[0] for each in seen)


def test_the_oracle_earns_the_same_at_every_flip(run: Run) -> None:
    rewards = [run("prism", "oracle", flip=f).facts["mean_reward"] for f in (0, 0.25, 0.5, 0.75)]
    assert len(set(rewards)) == 1
    assert run("prism", "oracle", drift="decelerating").facts["final_regret"] == 0


def test_without_an_update_nothing_learns(run: Run, tables: Path) -> None:
    config = config_of(PRISM, "pearl")
    network = prism_replay.pretrain(prism_replay.pretraining(config), tables, 0)
    before = {name: array.copy() for name, array in network.items()}
    prism_replay.run(config, tables, 0, network)
    assert all(np.array_equal(network[name], before[name]) for name in before)
    frozen = run("prism", "no_online_greedy", damping=False, horizon=2, flip=0.0)
    first, second = frozen.series["epoch/reward"]
    assert first == pytest.approx(second, abs=1e-12)


@pytest.mark.parametrize(
    "setting",
    [
        {"adam": "kept"},
        {"interactions": "fresh"},
        {"drift": "decelerating"},
        {"split": "per_user_half"},
        {"passes": 2},
        {"damping": False},
        {"embedding_sd": 1.0},
        {"flip": 0.75},
    ],
)
def test_a_setting_that_should_matter_does(run: Run, setting: dict[str, Any]) -> None:
    assert not np.array_equal(run("prism", "pearl").regret, run("prism", "pearl", **setting).regret)


def test_what_decides_a_pretrained_network() -> None:
    def part(method: str = "pearl", **more: Any) -> Any:
        return prism_replay.pretraining(config_of({**PRISM, **more}, method))

    assert part("random") is part("oracle") is None
    online = {"flip": 0.75, "drift": "decelerating", "passes": 5, "damping": False, "adam": "kept"}
    assert part() == part("greedy") == part("no_online") == part(**online)
    assert part() == part(pretrain_fraction=0.25)
    assert part() != part("pearl_no_user")
    assert part("urm_greedy") == part("urm_adaptive") == part("urm_gram", passes=5)
    assert part("vrf_adaptive") == part("vrf_learned")
    heads = [part(name) for name in ("pearl", "urm_greedy", "mrm_greedy", "vrf_greedy")]
    assert [each.get("head") for each in heads] == [None, "urm", "mrm", "vrf"]
    for decides in ({"split": "per_user_half"}, {"hidden": 8}, {"embedding_sd": 1.0}):
        assert part() != part(**decides)
    assert part("pearl_no_user") == part("pearl_no_user", embedding=8)
    assert part(split="fraction") != part(split="fraction", pretrain_fraction=0.25)


def test_pretraining_learns_before_the_inversion(tables: Path) -> None:
    part = controlled.pretraining(config_of(CONTROLLED, "pearl"))
    loss = controlled.pretrain(part, Path(), 0)["loss"]
    assert len(loss) == 5
    assert loss[-1] < loss[0]


def test_faults_are_named(tables: Path, tmp_path: Path) -> None:
    config = config_of(PRISM, "greedy")
    with pytest.raises(SettingError, match="none that was pretrained"):
        prism_replay.run(config, tables, 0)
    with pytest.raises(SettingError, match=r"lacks the array 'weights\.users'"):
        prism_replay.run(config, tables, 0, {"loss": np.zeros(5)})
    with pytest.raises(SettingError, match="'flipp'"):
        prism_replay.run(config_of({**PRISM, "flipp": 1}, "greedy"), tables, 0)
    with pytest.raises(SettingError, match="environment 'prism', not 'controlled'"):
        prism_replay.run(config_of(CONTROLLED, "greedy"), tables, 0)
    with pytest.raises(SettingError, match="epochs >= 1, got 0"):
        prism_replay.run(config_of(PRISM, "greedy", horizon=0), tables, 0)
    with pytest.raises(DataError):
        prism_replay.run(config_of(PRISM, "random"), tmp_path, 0)
    with pytest.raises(DataError, match="spread above 30"):
        prism_replay.run(config_of({**PRISM, "min_spread": 0.1}, "random"), tables, 0)


def test_the_settings_of_the_training_are_the_networks_own() -> None:
    assert NetworkSettings().model_dump() == TrainingSettings().model_dump()


@pytest.mark.heavy
@pytest.mark.parametrize("method", ["pearl", "urm_adaptive", "mrm_gram", "vrf_learned"])
def test_another_processor_gives_the_same_bytes(run: Run, tables: Path, method: str) -> None:
    """numba compiles for a processor without vector extensions: nothing may depend on them."""
    script = (
        "import sys; from pathlib import Path\n"
        "sys.path[:0] = sys.argv[3:]\n"
        "from test_contextual_runs import PRISM, config_of, prism_replay as p\n"
        "config, tables = config_of(PRISM, sys.argv[2]), Path(sys.argv[1])\n"
        "network = p.pretrain(p.pretraining(config), tables, 0)\n"
        "sys.stdout.write(p.run(config, tables, 0, network).regret.tobytes().hex())\n"
    )
    here = Path(__file__).resolve().parent
    cache = tables.parent / "generic"
    found = subprocess.run(
        [sys.executable, "-c", script, tables, method, here, here.parent / "support"],
        env={
            **os.environ,
            "NUMBA_CPU_NAME": "generic",
            "NUMBA_CPU_FEATURES": "",
            "NUMBA_CACHE_DIR": str(cache),
        },
        capture_output=True,
        text=True,
        check=True,
    )
    assert found.stdout == run("prism", method).regret.tobytes().hex()
