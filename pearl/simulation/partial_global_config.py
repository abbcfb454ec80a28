"""What a run's config of "partial or global" says, checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pearl.bandits.linear_method import LinearMethod
from pearl.environments.partial_global_settings import PartialGlobalSettings, read_settings
from pearl.errors import SettingError
from pearl.words import validated

KIND = "partial_global"


def read_run(config: Mapping[str, Any]) -> tuple[LinearMethod, PartialGlobalSettings, int]:
    """Return method, settings and horizon in rounds.

    Raises:
        SettingError: an unknown name or a value out of its range; a horizon that leaves no window
            after the shift; a method without rates for these features.
    """
    if set(config) != {"environment", "method", "horizon"}:
        raise SettingError(f"a run's config has environment, method, horizon, not {set(config)}")
    environment = dict(config["environment"])
    if (found := environment.pop("kind", None)) != KIND:
        raise SettingError(f"this entry runs the environment {KIND!r}, not {found!r}")
    method = validated(LinearMethod, config["method"], "method settings")
    settings = read_settings(environment)
    horizon = config["horizon"]
    if not isinstance(horizon, int) or isinstance(horizon, bool):
        raise SettingError(f"horizon must be a whole number of rounds, got {horizon!r}")
    if horizon < settings.shift_round + settings.window:
        raise SettingError(
            f"horizon = {horizon}: the shift after round {settings.shift_round} has to be followed"
            f" by a whole window of {settings.window} rounds"
        )
    if settings.features not in method.rates:
        raise SettingError(f"the method has no rates for {settings.features} features")
    return method, settings, horizon
