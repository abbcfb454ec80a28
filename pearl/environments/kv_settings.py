"""The settings of the KV-cache environment; the same names stand in params.yaml."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from pearl.words import validated


class KVCacheSettings(BaseModel):
    """Every convention between the trace and the instance (Appendix C.4)."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    bin_seconds: int = Field(default=10, ge=1, le=3600)
    """Length of the time bins that are assigned whole to one of the three sets, in seconds."""
    split: Literal["reconstructed", "sha256"] = "reconstructed"
    """Which hash assigns the bins: see kv_splits."""
    min_requests: int = Field(default=2, ge=1)
    """A prefix is retained when at least so many construction requests begin with it."""
    max_depth_blocks: int | None = Field(default=32, ge=1)
    """Endpoints deeper than so many blocks are dropped; None keeps them all."""
    block_tokens: int = Field(default=512, ge=1)
    """Tokens of a block; the partial last block of a request counts whole."""
    token_scale: int = Field(default=131_072, ge=1)
    """Z, the fixed scale of rewards, in tokens."""
    requests_per_round: int = Field(default=36, ge=1)
    """Evaluation requests drawn in a round, uniformly with replacement."""
    norm_margin: float = Field(default=1.25, gt=0, allow_inf_nan=False)
    """S as a multiple of the calibration parameter's norm."""
    token_budget: int = Field(default=3_000_000, ge=1)
    """Tokens that the cache holds: any M + 1 paths of the catalogue must fit."""
    memory: int = Field(default=180, ge=1)
    """M: a segment stays available for M rounds after the round of its refresh."""

    @model_validator(mode="after")
    def _some_catalogue_fits(self) -> Self:
        paths = self.memory + 1
        if (least := paths * self.block_tokens) > self.token_budget:
            raise ValueError(
                f"memory = {self.memory} keeps up to {paths} paths of at least one block x"
                f" {self.block_tokens} tokens = {least:,} tokens, more than"
                f" token_budget = {self.token_budget:,}: lower memory or raise token_budget"
            )
        return self


def read_settings(values: Mapping[str, Any]) -> KVCacheSettings:
    """Validate settings from a mapping.

    Raises:
        SettingError: an unknown name or a value outside its range, every one named; or settings
            that no trace can satisfy.
    """
    return validated(KVCacheSettings, values, "kv_cache settings")
