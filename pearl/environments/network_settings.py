"""The settings of the reward network's training that an environment's settings carry.

They stand among the environment's settings so that an experiment can sweep them like any other;
the same names stand in pearl.bandits, where they are used.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class NetworkSettings(BaseModel):
    """Table 4's rows on the network, and what the paper leaves open."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    hidden: int = Field(default=128, ge=1, le=4096)
    """d, the width of both hidden layers and the dimension of the features."""
    dropout: float = Field(default=0.1, ge=0, lt=1)
    """Share of hidden units dropped in training; none is dropped outside it."""
    learning_rate: float = Field(default=0.001, gt=0, le=1)
    """Adam's step, in pretraining and online."""
    batch: int = Field(default=32, ge=1)
    """Observations in an online minibatch; in pretraining what `pretrain_batch` says."""
    pretrain_batch: Literal["pairs", "interactions"] = "pairs"
    """What a minibatch of pretraining counts: pairs, or interactions with all their pairs."""
    pretrain_epochs: int = Field(default=5, ge=0)
    """Passes over the pretraining pairs."""
    passes: int = Field(default=1, ge=1)
    """Passes over the newest observations at an online update."""
    embedding: int = Field(default=32, ge=0)
    """Dimensions of a user's learned embedding; 0 learns none."""
    embedding_sd: float = Field(default=0.1, gt=0, le=10)
    """The embeddings start as N(0, embedding_sd^2)."""
    damping: bool = True
    """Whether a user's embedding is weighted by 1 - eps_u, online and at selection."""


TRAINING = tuple(NetworkSettings.model_fields)
"""Names of all settings of the network's training."""
PRETRAINING = tuple(name for name in TRAINING if name not in ("passes", "damping"))
"""Names of those that decide the pretrained network."""
