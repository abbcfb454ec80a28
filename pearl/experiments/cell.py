"""The product behind an experiment: grid x methods, each cell the whole config of its runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

from pearl.errors import SettingError
from pearl.experiments.environment import Environment, label_of, method_config
from pearl.experiments.experiment import Experiment
from pearl.words import suggestion, validated


@dataclass(frozen=True)
class Cell:
    """One method in one setting; together with a seed it is a run.

    `config` is what the environment's entry point receives: {"environment": {"kind", settings},
    "method", "horizon"}, JSON values. `title` is for people: "RSM-LinUCB · M=180".
    """

    config: dict[str, Any]
    method: str
    label: str
    title: str


def cells(
    experiment: Experiment, environment: Environment, settings: dict[str, Any]
) -> Iterator[Cell]:
    """Yield the cells of an experiment already put under its profile.

    Args:
        experiment: from `Experiment.under(profile)`.
        environment: the experiment's environment.
        settings: the environment's settings from params.yaml.

    Raises:
        SettingError: a setting, grid name or method that the environment doesn't know, settings
            that no data can satisfy, or an entry that can't be imported: told before the first
            run rather than by every one.
    """
    environment.entry_point()
    where = f"experiment {experiment.id}"
    model = environment.settings_model()
    known = [*model.model_fields, "horizon"]
    for name in experiment.grid:
        if name not in known:
            raise SettingError(f"{where}, grid: unknown {name!r}", remedy=suggestion(name, known))
    symbols = {**{name: name for name in experiment.grid}, **environment.shown}
    for values in product(*experiment.grid.values()):
        swept = dict(zip(experiment.grid, values, strict=True))
        horizon = swept.pop("horizon", experiment.horizon)
        if isinstance(horizon, bool) or not isinstance(horizon, int) or horizon < 1:
            raise SettingError(f"{where}, grid: horizon = {horizon!r} is no count of rounds")
        chosen = validated(
            model, {**settings, **experiment.settings, **swept}, f"{where}, settings"
        ).model_dump(mode="json")
        shown = {**chosen, "horizon": horizon}
        words = [f"{symbol}={shown[name]}" for name, symbol in symbols.items() if name in shown]
        for name in experiment.methods:
            method = environment.method(name)
            label = label_of(method, name)
            yield Cell(
                config={
                    "environment": {"kind": environment.kind, **chosen},
                    "method": method_config(method),
                    "horizon": horizon,
                },
                method=name,
                label=label,
                title=" · ".join([label, *words]),
            )
