"""How the report estimates: the `report` part of params.yaml."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from pearl.words import validated


class ReportSettings(BaseModel):
    """`confidence` of every interval; `resamples` drawn by bootstraps and permutations.

    `confidence` lies in [0.5, 0.999], `resamples` is at least 999. The verdict on a number compares
    half-widths, and that on a bound asks an interval to lie above 0: both move with `confidence`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    confidence: float = Field(default=0.95, ge=0.5, le=0.999)
    resamples: int = Field(default=10_000, ge=999)

    @classmethod
    def of(cls, section: Mapping[str, Any]) -> ReportSettings:
        """Check the section `report` of params.yaml; what is left out has its default."""
        return validated(cls, section, "params.yaml, report")


DEFAULT = ReportSettings()
