"""The settings of "partial or global"; the same names stand in params.yaml."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from pearl.words import validated

Features = Literal["dense", "sparse", "neural"]


class PartialGlobalSettings(BaseModel):
    """A linear taste of d latent dimensions of which s turn round at a known round."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    dimensions: int = Field(default=16, ge=1, le=256)
    """d, the latent dimensions of taste and arms."""
    shifted: int = Field(default=4, ge=0)
    """s, how many of them change their sign at the shift, 0 to d."""
    features: Features = "dense"
    """What the learner sees of an arm. dense: its latent vector, all dimensions at work; sparse:
    the same with `active` dimensions at work and 0 in the others; neural: what a network's last
    hidden layer makes of a fixed nonlinear mixture of a dense one."""
    active: int = Field(default=1, ge=1)
    """Dimensions at work in a sparse arm."""
    arms: int = Field(default=10, ge=2)
    """K, arms a round, drawn anew every round."""
    users: int = Field(default=10, ge=1)
    """Users who arrive at random and share the taste; each has an error tracker of their own."""
    noise: float = Field(default=0.2, ge=0, le=1)
    """Standard deviation of the rewards' noise; mean rewards lie in [0, 1]. Ratings are noisy: of
    the .31 by which PRISM's scores vary, most is neither the user's nor the model's."""
    shift_round: int = Field(default=2000, ge=1)
    """The last round before the shift."""
    window: int = Field(default=200, ge=1)
    """Rounds over which regret is averaged to tell recovery."""
    tolerance: float = Field(default=0.1, ge=0)
    """Recovered is who is within this share of the restarted oracle's mean regret."""
    observed: int = Field(default=32, ge=1)
    """Length of the mixture that the network sees (neural)."""
    hidden: int = Field(default=32, ge=1, le=1024)
    """Width of the network's layers, the dimension of its features (neural)."""
    pretrain_interactions: int = Field(default=10000, ge=1)
    """Rated arms that the network is trained on, before the first round (neural)."""
    pretrain_epochs: int = Field(default=5, ge=0)
    """Passes over them (neural)."""
    pairs: int = Field(default=1000, ge=1)
    """Pairs of arms, alike but for the shifted dimensions, whose features span V (neural)."""
    energy: float = Field(default=0.9, gt=0, le=1)
    """V is spanned by as many directions as hold this share of the differences' squared length
    (neural)."""

    @model_validator(mode="after")
    def _within_dimensions(self) -> Self:
        for name, value in (("shifted", self.shifted), ("active", self.active)):
            if value > self.dimensions:
                raise ValueError(f"{name} = {value} of {self.dimensions} dimensions")
        return self


NETWORK = (
    *("dimensions", "noise", "observed", "hidden"),
    *("pretrain_interactions", "pretrain_epochs"),
)
"""Names of the settings that decide the pretrained network."""


def read_settings(values: Mapping[str, Any]) -> PartialGlobalSettings:
    """Validate settings from a mapping.

    Raises:
        SettingError: an unknown name or a value outside its range, every one named.
    """
    return validated(PartialGlobalSettings, values, "partial_global settings")
