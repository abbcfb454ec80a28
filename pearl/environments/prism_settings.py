"""The settings of the PRISM environment; the same names stand in params.yaml."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field, field_validator

from pearl.environments.network_settings import NetworkSettings
from pearl.words import validated


class PrismSettings(NetworkSettings):
    """Every convention between PRISM's rated slates and the bandit's world (Section 8.4)."""

    flip: float = Field(default=0.5, ge=0, le=1)
    """f, the share of the users with pretraining data whose preferences change."""
    drift: Literal["flip", "decelerating"] = "flip"
    """flip: inverted at once after pretraining; decelerating: blended in, Eq. (20)."""
    drift_epochs: int = Field(default=3, ge=1, le=1_000_000)
    """E_drift of Eq. (20): the inversion is complete from this epoch on, the first being 0."""
    split: Literal["one_per_user", "per_user_half", "fraction"] = "one_per_user"
    """How a user's n interactions are split. one_per_user: one pretrains where n >= 2;
    per_user_half: floor(n / 2) do; fraction: see pretrain_fraction."""
    pretrain_fraction: float = Field(default=0.5, gt=0, lt=1)
    """p of split "fraction": min(n - 1, max(1, floor(p n))) interactions pretrain."""
    interactions: Literal["replay", "fresh"] = "replay"
    """replay: every epoch plays all online interactions, reshuffled; fresh: each is played once,
    an epoch is an equal part of them."""
    min_spread: float = Field(default=0.3, ge=0, lt=1)
    """Only slates whose rewards range over more than this are played; whole hundredths."""
    update_interval: int | None = Field(default=1000, ge=1)
    """Interactions between two network updates, counted anew in every epoch; None: a third of an
    epoch, rounded down."""
    max_observations: int | None = Field(default=2000, ge=1)
    """The newest observations that an update and the rebuilt Gram matrix see; None: twice the
    update interval."""
    adam: Literal["reset", "kept"] = "reset"
    """Whether Adam starts anew when pretraining ends or keeps its moments."""

    @field_validator("min_spread")
    @classmethod
    def _whole_points(cls, spread: float) -> float:
        if abs(100 * spread - round(100 * spread)) > 1e-9:
            raise ValueError("min_spread must be whole hundredths: PRISM's scores are whole points")
        return spread

    @property
    def spread_points(self) -> int:
        """min_spread in PRISM's points (1-100)."""
        return round(100 * self.min_spread)


def read_settings(values: Mapping[str, Any]) -> PrismSettings:
    """Validate settings from a mapping.

    Raises:
        SettingError: an unknown name or a value outside its range, every one named.
    """
    return validated(PrismSettings, values, "prism settings")
