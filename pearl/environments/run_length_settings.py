"""The settings of the run-length instance; the same names stand in params.yaml."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from pearl.environments.memory_directions import Direction
from pearl.words import validated

DIMENSION = 10
"""d: the actions are the ten coordinate vectors."""


class RunLengthSettings(BaseModel):
    """The synthetic instance of Appendix C.2."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    memory: int = Field(default=100, ge=1, le=10**6)
    """M: an action pays only where it was also each of the M before it."""
    feature_bound: float = Field(default=1.0, gt=0, le=1e6)
    """R, the length of a feature that isn't zero."""
    norm_bound: float = Field(default=1.0, gt=0, le=1e6)
    """S, the norm of theta* = S u and the bound of it that the learners know."""
    direction: Direction = "normal"
    """The shape of u; the paper says only that u is nonnegative and of norm 1."""
    noise: float = Field(default=0.25, gt=0, le=1e6)
    """sigma, the standard deviation of a reward's Gaussian noise."""
    regularization: float = Field(default=0.625, gt=0, le=1e9)
    """lambda of the ridge learners, with the rule "fixed"."""
    regularization_rule: Literal["fixed", "scaled"] = "fixed"
    """fixed: `regularization`, whatever S; scaled: d sigma^2 / S^2, the largest lambda that
    Theorem 4.3 admits. At sigma = 0.25 and S = 1 both are 0.625."""

    @property
    def chosen_regularization(self) -> float:
        """Return lambda by the rule."""
        if self.regularization_rule == "scaled":
            return DIMENSION * self.noise**2 / self.norm_bound**2
        return self.regularization


def read_settings(values: Mapping[str, Any]) -> RunLengthSettings:
    """Validate settings from a mapping.

    Raises:
        SettingError: an unknown name or a value outside its range, every one named.
    """
    return validated(RunLengthSettings, values, "run_length settings")
