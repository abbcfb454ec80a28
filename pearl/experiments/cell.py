"""The product behind an experiment: grid x variants x methods, each cell the config of its runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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
    "method", "horizon"}, JSON values. `title` is for people: "RSM-LinUCB · M=180". `variant` is
    empty for the experiment's base.
    """

    config: dict[str, Any]
    method: str
    label: str
    title: str
    variant: str


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
            that no data can satisfy, a variant that changes nothing, or an entry that can't be
            imported: told before the first run rather than by every one.
    """
    environment.entry_point()
    where = f"experiment {experiment.id}"
    _check_names(experiment, environment, where)
    symbols = {**{name: name for name in experiment.grid}, **environment.shown}
    for values in product(*experiment.grid.values()):
        swept = {**experiment.settings, **dict(zip(experiment.grid, values, strict=True))}
        base = _settings(environment, experiment, {**settings, **swept}, where)
        for variant, overlay in {"": {}, **experiment.variants}.items():
            place = f"{where}, variant {variant}" if variant else where
            chosen = _settings(environment, experiment, {**settings, **swept, **overlay}, place)
            if variant and chosen == base:
                raise SettingError(f"{place}: it changes nothing.", remedy="Leave it out.")
            shown = symbols | {name: name for name in overlay if name not in symbols}
            words = [f"{symbol}={chosen[name]}" for name, symbol in shown.items() if name in chosen]
            horizon = chosen.pop("horizon")
            for name in experiment.methods_of(variant):
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
                    variant=variant,
                )


def _check_names(experiment: Experiment, environment: Environment, where: str) -> None:
    settings = list(environment.settings_model().model_fields)
    swept = [*settings, "horizon"]
    places = [("settings", experiment.settings, settings), ("grid", experiment.grid, swept)]
    places += [(f"variant {name}", each, swept) for name, each in experiment.variants.items()]
    for place, names, known in places:
        for name in names:
            if name not in known:
                remedy = suggestion(name, known)
                raise SettingError(f"{where}, {place}: unknown {name!r}", remedy=remedy)


def _settings(
    environment: Environment, experiment: Experiment, named: Mapping[str, Any], where: str
) -> dict[str, Any]:
    """Return checked settings and horizon as JSON values."""
    given = dict(named)
    horizon = given.pop("horizon", experiment.horizon)
    if isinstance(horizon, bool) or not isinstance(horizon, int) or horizon < 1:
        raise SettingError(
            f"{where}: horizon = {horizon!r} is no count of {environment.horizon_unit}"
        )
    checked = validated(environment.settings_model(), given, f"{where}, settings")
    return {**checked.model_dump(mode="json"), "horizon": horizon}
