"""The settings of the controlled simulation; the same names stand in params.yaml."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from pearl.environments.network_settings import NetworkSettings
from pearl.words import validated


class ControlledSettings(NetworkSettings):
    """The world of Section 15 and Table 8: ten users, ten fixed arms, all users inverted."""

    users: int = Field(default=10, ge=1)
    """Users, each with a preference vector drawn from Beta(2, 2) per dimension."""
    arms: int = Field(default=10, ge=2)
    """K, the arms of the fixed pool; all are offered in every interaction."""
    dimensions: int = Field(default=5, ge=1)
    """Dimensions of preferences and arms; arm k is dominant in dimension k mod this."""
    noise: float = Field(default=0.05, ge=0, le=1)
    """Standard deviation of the noise, added after the clip to [0, 1]."""
    pretrain_interactions: int = Field(default=500, ge=1)
    """Interactions with random users before the inversion; all arms are rated in each."""
    pairs: Annotated[int, Field(strict=True, ge=1, le=1)] | None = None
    """Pairs of arms that pretraining compares in an interaction: None for all, or one drawn."""
    inversion: bool = True
    """Whether every preference p becomes 1 - p after pretraining."""
    interactions: int = Field(default=50, ge=1)
    """Interactions of an epoch, the same ones reshuffled; an update follows each epoch."""
    gram_window: int = Field(default=50, ge=1)
    """The newest observations from which A^-1 is rebuilt after an update."""
    embedding: int = Field(default=0, ge=0)
    """The simulation's users have no learned embedding: their features are their preferences."""


def read_settings(values: Mapping[str, Any]) -> ControlledSettings:
    """Validate settings from a mapping.

    Raises:
        SettingError: an unknown name or a value outside its range, every one named.
    """
    return validated(ControlledSettings, values, "controlled settings")
