"""How the report estimates: the `report` part of params.yaml."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from pearl.experiments.words import validated


class ReportSettings(BaseModel):
    """`confidence` of every interval, in (0, 1); `resamples` drawn by bootstraps and permutations.

    The verdict on a number compares half-widths, so it moves with `confidence`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    confidence: float = Field(default=0.95, gt=0.5, lt=1)
    resamples: int = Field(default=9_999, ge=99, le=1_000_000)

    @classmethod
    def of(cls, params: Mapping[str, Any]) -> ReportSettings:
        """Read the settings from the content of params.yaml; what is left out has its default."""
        return validated(cls, params.get("report") or {}, "params.yaml, report")


DEFAULT = ReportSettings()
