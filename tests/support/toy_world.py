"""A tiny environment, and a project that has it: what the tests of sweeps run."""

import os
import time
from pathlib import Path

import numpy as np
import yaml
from pydantic import BaseModel, ConfigDict

from pearl.errors import DataError
from pearl.project import Project
from pearl.randomness import generator
from pearl.simulation.trajectory import Trajectory


class ToySettings(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")
    memory: int = 2
    mode: str = "fair"


class ToyMethod(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")
    label: str = ""
    gain: float = 1.0


def load_methods() -> dict[str, ToyMethod]:
    return {
        "steady": ToyMethod(label="Steady", gain=0.5),
        "keen": ToyMethod(label="Keen", gain=1.5),
    }


def run(config: dict, tables: Path, seed: int) -> Trajectory:
    """Matrix products, so that a number of BLAS threads would be seen in the last bits.

    TOY_LOG names a file that every run is written to, TOY_PAUSE the seconds that it sleeps, and
    TOY_BROKEN the gain and seed that fail: plainly, by missing data, by death or by a NaN.
    """
    settings, gain = config["environment"], config["method"]["gain"]
    if log := os.environ.get("TOY_LOG"):
        with open(log, "a") as stream:
            stream.write(f"{gain} {settings['memory']} {seed}\n")
    time.sleep(float(os.environ.get("TOY_PAUSE", "0")))
    broken = os.environ.get("TOY_BROKEN", "")
    if broken == f"{gain}:{seed}":
        raise ValueError("the toy fell over")
    if broken == f"data:{gain}:{seed}":
        raise DataError(tables / "toys.parquet", "there is no such file")
    if broken == f"exit:{gain}:{seed}":
        os._exit(9)
    horizon = config["horizon"]
    matrix = generator(seed, "toy").standard_normal((300, 300))
    level = float(np.abs(matrix @ matrix.T).mean()) * gain / settings["memory"]
    steps = generator(seed, "toy/steps").random(horizon) * level
    if broken == f"nan:{gain}:{seed}":
        steps[3] = np.nan
    regret = np.cumsum(steps)
    starts = np.arange(1, horizon + 1, 7, dtype=np.int64)
    facts = {"final_regret": float(regret[-1]), "episodes": len(starts), "word": "toy"}
    return Trajectory(regret=regret, episode_starts=starts, facts=facts)


ENVIRONMENT = {
    "dataset": None,
    "entry": "toy_world:run",
    "settings": "toy_world:ToySettings",
    "methods": "toy_world:load_methods",
    "shown": {"memory": "M"},
}
EXPERIMENT = {
    "id": "toy/trial",
    "title": "A trial with toys",
    "paper": "memory",
    "place": "nowhere",
    "question": "Does the machinery work?",
    "environment": "toy",
    "horizon": 500,
    "seeds": 3,
    "methods": ["steady", "keen"],
    "reference": "steady",
    "grid": {"memory": [1, 3]},
    "profiles": {"smoke": {"seeds": 2, "horizon": 50}, "sample": {}, "paper": {"seeds": [0, 7]}},
}


def make_project(root: Path, **changes: object) -> Project:
    """Write a project at `root` whose experiment toy/trial has `changes`."""
    (root / "experiments" / "toy").mkdir(parents=True, exist_ok=True)
    (root / "dvc.yaml").write_text("stages: {}\n")
    (root / "params.yaml").write_text("profile: smoke\nsources: {mooncake: null}\n")
    environments = root / "experiments" / "environments.yaml"
    environments.write_text(yaml.safe_dump({"toy": ENVIRONMENT}))
    experiment = root / "experiments" / "toy" / "trial.yaml"
    experiment.write_text(yaml.safe_dump({**EXPERIMENT, **changes}))
    return Project(root)
