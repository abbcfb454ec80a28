"""A tiny environment whose methods start from a pretrained network, and a project that has it."""

import os
import time
from pathlib import Path

import numpy as np
import yaml
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict
from toy_world import make_project

from pearl.project import Project
from pearl.randomness import generator
from pearl.simulation.trajectory import Trajectory

PER_EPOCH = 12


class NetworkSettings(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")
    flip: float = 0.5
    width: int = 3
    passes: int = 1


class NetworkMethod(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")
    label: str = ""
    network: bool = True
    gain: float = 1.0


def load_methods() -> dict[str, NetworkMethod]:
    return {
        "deep": NetworkMethod(label="Deep", gain=1.0),
        "deeper": NetworkMethod(label="Deeper", gain=2.0),
        "blind": NetworkMethod(label="Blind", network=False, gain=0.0),
    }


def log(*words: object) -> None:
    if file := os.environ.get("TOY_LOG"):
        with open(file, "a") as stream:
            stream.write(" ".join(map(str, words)) + "\n")


def pretraining(config: dict) -> dict | None:
    return {"width": config["environment"]["width"]} if config["method"]["network"] else None


def pretrain(part: dict, tables: Path, seed: int) -> dict[str, NDArray]:
    """TOY_BROKEN=pretrain:<seed> fails, TOY_BROKEN=pretrain-nan:<seed> gives a NaN."""
    log("pretrain", part["width"], seed)
    time.sleep(float(os.environ.get("TOY_PAUSE", "0")))
    broken = os.environ.get("TOY_BROKEN", "")
    if broken == f"pretrain:{seed}":
        raise ValueError("no network today")
    weights = generator(seed, "toy/weights").standard_normal(part["width"]).astype(np.float32)
    if broken == f"pretrain-nan:{seed}":
        weights[0] = np.nan
    return {"weights": weights, "loss": np.array([0.7, 0.5])}


def run(config: dict, tables: Path, seed: int, pretrained: dict | None) -> Trajectory:
    settings, method, epochs = config["environment"], config["method"], config["horizon"]
    log("run", method["gain"], settings["flip"], settings["width"], settings["passes"], seed)
    level = float(np.abs(pretrained["weights"]).mean()) if pretrained is not None else 0.0
    rewards = generator(seed, "toy/rewards").random(PER_EPOCH * epochs)
    rewards = rewards * (1 - settings["flip"]) + method["gain"] * level * settings["passes"] / 100
    so_far = np.cumsum(rewards) / np.arange(1, len(rewards) + 1)
    regret = np.cumsum(np.max(rewards) - rewards)
    return Trajectory(
        regret=regret,
        episode_starts=np.arange(1, len(rewards) + 1, PER_EPOCH, dtype=np.int64),
        facts={"mean_reward": float(so_far[-1]), "final_regret": float(regret[-1]), "updates": 2},
        curves={"reward": so_far},
        series={
            "epoch/reward_to_date": so_far[PER_EPOCH - 1 :: PER_EPOCH],
            **({"epoch/error": np.full(epochs, level)} if pretrained is not None else {}),
        },
    )


ENVIRONMENT = {
    "dataset": None,
    "entry": "toy_network:run",
    "settings": "toy_network:NetworkSettings",
    "methods": "toy_network:load_methods",
    "shown": {"flip": "f"},
    "horizon_unit": "epochs",
    "pretrain": "toy_network:pretrain",
    "pretraining": "toy_network:pretraining",
}
EXPERIMENT = {
    "id": "toy/network",
    "title": "A trial with networks",
    "paper": "pearl",
    "place": "nowhere",
    "question": "Is a network made once?",
    "environment": "toy_network",
    "horizon": 4,
    "seeds": 2,
    "methods": ["deep", "deeper", "blind"],
    "reference": "deep",
    "grid": {"flip": [0.25, 0.5]},
    "variants": {"wide": {"width": 5}, "twice": {"passes": 2}},
    "variant_methods": ["deep"],
    "profiles": {"smoke": {"horizon": 2}},
}


def make_network_project(root: Path, **changes: object) -> Project:
    """Write a project at `root` whose experiment toy/network has `changes`."""
    project = make_project(root)
    environments = root / "experiments" / "environments.yaml"
    known = yaml.safe_load(environments.read_text())
    environments.write_text(yaml.safe_dump({**known, "toy_network": ENVIRONMENT}))
    experiment = root / "experiments" / "toy" / "network.yaml"
    experiment.write_text(yaml.safe_dump({**EXPERIMENT, **changes}))
    return project
