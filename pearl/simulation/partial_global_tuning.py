"""How fast each linear method should forget and explore: the least regret on seeds of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from pearl.bandits.linear_method import LinearMethod, Rates
from pearl.environments.partial_global import PartialGlobalWorld
from pearl.environments.partial_global_settings import Features, PartialGlobalSettings
from pearl.simulation.partial_global import Rounds
from pearl.simulation.partial_global_features import pretrain, pretraining
from pearl.words import validated
from pearl.yaml_files import read_mapping


class Instances(BaseModel):
    """Seeds and numbers of shifted dimensions."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    seeds: tuple[int, ...]
    shifted: tuple[int, ...]


class Tuning(Instances):
    """What is tried, and on what: linear_tuning.yaml."""

    fewer: dict[Features, Instances] = {}
    """By features, in place of seeds and shifted."""
    horizon: int
    bonus: dict[str, tuple[float, ...]]
    """By exploration."""
    rate: dict[str, tuple[float, ...]]
    """By `rate_name` of a method."""
    test: dict[str, tuple[float, ...]]
    """By `rate_name` of a method that injects after a test's alarm."""

    def tried(self, method: LinearMethod) -> Iterator[Rates]:
        """Yield every combination of test, rate and bonus that is tried for a method."""
        name = rate_name(method)
        rates: tuple[float | None, ...] = (None,) if name is None else self.rate[name]
        tests: tuple[float | None, ...] = (None,)
        if name is not None and method.injects_after_a_test:
            tests = self.test[name]
        for test, rate, bonus in product(tests, rates, self.bonus[method.exploration]):
            yield Rates(bonus=bonus, rate=rate, test=test)

    def instances(self, features: Features) -> Instances:
        """Return the seeds and numbers of shifted dimensions for these features."""
        return self.fewer.get(features, self)


@cache
def load_tuning() -> Tuning:
    """Return what linear_tuning.yaml declares; SettingError on a fault."""
    place = files("pearl.bandits") / "linear_tuning.yaml"
    return validated(Tuning, read_mapping(place), str(place))


def rate_name(method: LinearMethod) -> str | None:
    """Return what a method's rate is called in linear_tuning.yaml; None where it has none."""
    if method.forgetting == "none" or method.oracle:
        return None
    if method.trigger == "rule":
        return method.forgetting
    tail = "_directional" if method.forgetting == "directional" else ""
    return f"{method.trigger}{tail}"


def instances(features: Features, tuning: Tuning) -> Iterator[tuple[int, Rounds]]:
    """Yield s and a seed's rounds, for every seed and s that tuning looks at."""
    chosen = tuning.instances(features)
    for seed in chosen.seeds:
        network: Mapping[str, NDArray[Any]] | None = None
        for s in chosen.shifted:
            settings = PartialGlobalSettings(features=features, shifted=s)
            if network is None and features == "neural":
                network = pretrain(_part(settings, tuning.horizon), Path(), seed)
            yield s, Rounds(PartialGlobalWorld.of(settings, seed), tuning.horizon, network)


def regrets(
    method: LinearMethod, rates: Rates, features: Features, drawn: list[tuple[int, Rounds]]
) -> dict[int, float]:
    """Return a method's mean regret over all rounds, by s."""
    chosen = method.model_copy(update={"rates": {features: rates}})
    found: dict[int, list[float]] = {}
    for s, rounds in drawn:
        _, regret = rounds.play(chosen)
        found.setdefault(s, []).append(float(np.sum(regret)))
    return {s: float(np.mean(values)) for s, values in found.items()}


def tune(
    method: LinearMethod, features: Features, tuning: Tuning, drawn: list[tuple[int, Rounds]]
) -> dict[str, Any]:
    """Return the best rates, their mean regret by s, and the least regret of any rates by s."""
    tried = [(rates, regrets(method, rates, features, drawn)) for rates in tuning.tried(method)]
    best, found = min(tried, key=lambda each: sum(each[1].values()))
    return {
        "rates": best.model_dump(exclude_none=True),
        "regret": {s: _printed(value) for s, value in found.items()},
        "least": {s: _printed(min(each[s] for _, each in tried)) for s in found},
    }


def borrow(
    method: LinearMethod, rates: Rates, features: Features, drawn: list[tuple[int, Rounds]]
) -> dict[str, Any]:
    """Return a method's mean regret by s at another method's rates."""
    found = regrets(method, rates, features, drawn)
    return {"regret": {s: _printed(value) for s, value in found.items()}}


def _part(settings: PartialGlobalSettings, horizon: int) -> Mapping[str, Any]:
    environment = {"kind": "partial_global", **settings.model_dump()}
    method = LinearMethod(exploration="fixed", rates={"neural": Rates(bonus=0.0)})
    config = {"environment": environment, "method": method.model_dump(), "horizon": horizon}
    return pretraining(config) or {}


def _printed(value: float) -> float:
    return float(f"{value:.6g}")
