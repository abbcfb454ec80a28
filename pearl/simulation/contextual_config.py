"""What a contextual run's config says, checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from pearl.bandits.method import BanditMethod
from pearl.errors import SettingError
from pearl.words import validated

Settings = TypeVar("Settings")


def read_config(
    config: Mapping[str, Any], kind: str, read_settings: Callable[[Mapping[str, Any]], Settings]
) -> tuple[BanditMethod, Settings, int]:
    """Return method, settings and horizon (in epochs) of a run.

    Args:
        config: "environment" (`kind` and the environment's settings), "method" (the fields of
            BanditMethod) and "horizon", epochs >= 1.
        kind: the environment's kind.
        read_settings: what validates its settings.

    Raises:
        SettingError: an unknown name or a value out of its range.
    """
    unknown = set(config) - {"environment", "method", "horizon"}
    missing = {"environment", "method", "horizon"} - set(config)
    if unknown or missing:
        raise SettingError(f"a run's config: unknown {sorted(unknown)}, missing {sorted(missing)}")
    environment = dict(config["environment"])
    if (found := environment.pop("kind", None)) != kind:
        raise SettingError(f"this entry runs the environment {kind!r}, not {found!r}")
    epochs = config["horizon"]
    if not isinstance(epochs, int) or isinstance(epochs, bool) or epochs < 1:
        raise SettingError(f"horizon must be a whole number of epochs >= 1, got {epochs!r}")
    method = validated(BanditMethod, config["method"], "method settings")
    return method, read_settings(environment), epochs


def pretraining_part(
    config: Mapping[str, Any],
    kind: str,
    read_settings: Callable[[Mapping[str, Any]], Any],
    names: Callable[[Any], tuple[str, ...]],
) -> dict[str, Any] | None:
    """Return what of a run's config decides its pretrained network, None where it has none.

    Args:
        config: as for `read_config`.
        kind: the environment's kind.
        read_settings: what validates its settings.
        names: which of the settings decide it.
    """
    method, settings, _ = read_config(config, kind, read_settings)
    if not method.network:
        return None
    chosen = [
        name
        for name in names(settings)
        if method.user_features or name not in ("embedding", "embedding_sd")
    ]
    environment = {"kind": kind, **{name: getattr(settings, name) for name in chosen}}
    head = {} if method.head == "mlp" else {"head": method.head}
    return {"environment": environment, "user_features": method.user_features, **head}


def read_part(
    part: Mapping[str, Any], kind: str, read_settings: Callable[[Mapping[str, Any]], Settings]
) -> tuple[Settings, bool, str]:
    """Return the settings, whether there are user features, and the head, of what
    `pretraining_part` made.

    Raises:
        SettingError: it isn't such a part, or of another environment.
    """
    if set(part) - {"head"} != {"environment", "user_features"}:
        raise SettingError(
            f"a pretraining: expected environment and user_features, got {set(part)}"
        )
    environment = dict(part["environment"])
    if (found := environment.pop("kind", None)) != kind:
        raise SettingError(f"this pretrains for the environment {kind!r}, not {found!r}")
    return read_settings(environment), bool(part["user_features"]), str(part.get("head", "mlp"))
