"""Planned runs and trajectories made up for tests of what keeps them."""

import numpy as np
from toy_world import ToyMethod

from pearl.runs import PlannedRun, RunSpec
from pearl.simulation.trajectory import Trajectory

MACHINE = {
    "git_commit": "c0ffee",
    "git_dirty": False,
    "python": "3.11",
    "packages": {"numpy": "2", "numba": "0", "torch": "2"},
    "blas": ["openblas"],
    "processor": "p",
    "cores": 2,
    "system": "s",
    "started": "2026-01-01T00:00:00+00:00",
    "finished": "2026-01-01T00:00:01+00:00",
    "seconds": 1.0,
}


def planned(seed: int = 0, horizon: int = 20, **changes: object) -> PlannedRun:
    config = {
        "environment": {"kind": "toy", "memory": 2},
        "method": ToyMethod().model_dump(exclude={"label"}),
        "horizon": horizon,
    }
    fields: dict = {
        "spec": RunSpec(config=config, seed=seed, data="", code="1" * 64),
        "entry": "toy_world:run",
        "experiment": "toy/trial",
        "title": "A trial",
        "profile": "smoke",
        "method": "steady",
        "label": "Steady",
        "name": f"Steady · seed {seed}",
        "data_source": "none",
        "provenance": None,
    }
    return PlannedRun(**{**fields, **changes})


def trajectory(horizon: int = 20) -> Trajectory:
    regret = np.cumsum(np.linspace(0.1, 0.7, horizon))
    return Trajectory(regret, np.array([1, 9]), {"final_regret": float(regret[-1]), "word": "w"})
