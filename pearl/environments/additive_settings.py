"""The settings of the additive instance; the same names stand in params.yaml."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from pearl.environments.memory_directions import Direction
from pearl.words import validated


class AdditiveSettings(BaseModel):
    """What Appendix C.3 fixes and varies; d = 10."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    memory: int = Field(default=100, ge=1, le=100_000)
    """M: so many past actions make up the memory matrix."""
    feature_bound: float = Field(default=1.0, gt=0, allow_inf_nan=False)
    """R, the largest norm of a memory matrix."""
    norm_bound: float = Field(default=1.0, gt=0, allow_inf_nan=False)
    """S, the norm of theta*, which the learners know as its bound."""
    direction: Direction = "normal"
    """u of theta* = S u: see memory_directions. The instance looks the same in every direction:
    only the axes of ties differ."""
    noise: float = Field(default=0.25, gt=0, allow_inf_nan=False)
    """sigma, the standard deviation of the rewards' Gaussian noise."""
    regularization: float = Field(default=0.625, gt=0, allow_inf_nan=False)
    """lambda of the ridge estimates: the same number whatever R and S are."""


def read_settings(values: Mapping[str, Any]) -> AdditiveSettings:
    """Validate settings from a mapping.

    Raises:
        SettingError: an unknown name or a value outside its range, every one named.
    """
    return validated(AdditiveSettings, values, "additive settings")
