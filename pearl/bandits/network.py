"""The reward network's weights, their initial values, and how it is trained.

The input is x = [s_u; e(u); z]: stated features of the user, a learned embedding of the user, the
arm's features. Two layers Linear-ReLU-Dropout give g (d), a linear head the logit, the sigmoid of
it the predicted reward, Eq. (1) and (3):

    g = relu(relu(x w1 + b1) w2 + b2),   mu = sigmoid(g . head + bias).

Weights are float32 and change in place.
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from pearl.randomness import generator

Floats32 = NDArray[np.float32]


class Weights(NamedTuple):
    """All that is learned; float32, C-contiguous, changed in place by the trainer."""

    users: Floats32
    """Learned embeddings e(u) (U, E); E = 0 without them."""
    w1: Floats32
    """First layer (S + E + Z, d); its rows belong to the stated features, e(u) and the arm."""
    b1: Floats32
    """(d,)"""
    w2: Floats32
    """Second layer (d, d), applied from the right: h1 w2 + b2."""
    b2: Floats32
    """(d,)"""
    head: Floats32
    """(d,)"""
    bias: Floats32
    """The head's bias (1,)."""

    @property
    def parameters(self) -> int:
        """How many numbers are learned, embeddings included."""
        return sum(array.size for array in self)

    def copy(self) -> Weights:
        """Return weights that change apart from these."""
        return Weights(*(array.copy() for array in self))


class Adam(NamedTuple):
    """The state of torch's Adam: moments shaped like the weights, and the steps taken."""

    m: Weights
    v: Weights
    steps: NDArray[np.int64]
    """(1,)"""


class TrainingSettings(BaseModel):
    """The network's shape and training (section 12)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    hidden: int = Field(default=128, ge=1, le=4096)
    """d, the width of both layers and of the Gram matrix."""
    dropout: float = Field(default=0.1, ge=0, lt=1)
    """Share of either layer's outputs that training drops; none are dropped elsewhere."""
    learning_rate: float = Field(default=1e-3, gt=0, le=1)
    """Adam's step size, in pretraining and online."""
    batch: int = Field(default=32, ge=1)
    """Pairs or interactions (pretraining) or observations (online) a gradient step."""
    pretrain_batch: Literal["pairs", "interactions"] = "pairs"
    """What `batch` counts in pretraining: pairs, or interactions with all their pairs."""
    pretrain_epochs: int = Field(default=5, ge=0)
    """How often pretraining passes over its pairs."""
    passes: int = Field(default=1, ge=0)
    """How often an online update passes over the observations."""
    embedding: int = Field(default=32, ge=0)
    """E, the length of a user's learned embedding; 0 leaves it out."""
    embedding_sd: float = Field(default=0.1, ge=0, allow_inf_nan=False)
    """Embeddings start at N(0, sd^2)."""
    damping: bool = True
    """Whether e(u) enters as (1 - eps_u) e(u), in online updates and at inference."""


def initial_weights(
    settings: TrainingSettings, users: int, stated: int, arm: int, seed: int
) -> Weights:
    """Draw the weights that pretraining starts from, each part from a stream of its own.

    Layers start as torch's Linear does, weights and biases uniform within 1/sqrt(inputs).

    Args:
        settings: gives d, E and the embeddings' standard deviation.
        users: U, the number of users.
        stated: S, the number of stated features; 0 leaves them out.
        arm: Z, the number of an arm's features.
        seed: the run's seed.
    """
    d = settings.hidden
    rows = {"stated": stated, "embedding": settings.embedding, "arm": arm}
    inputs = sum(rows.values())

    def uniform(part: str, fan_in: int, *shape: int) -> Floats32:
        draws = generator(seed, f"bandit/init/{part}").random(shape)
        return ((2.0 * draws - 1.0) / math.sqrt(fan_in)).astype(np.float32)

    embeddings = generator(seed, "bandit/init/users").standard_normal((users, settings.embedding))
    return Weights(
        users=(settings.embedding_sd * embeddings).astype(np.float32),
        w1=np.concatenate([uniform(f"w1/{part}", inputs, n, d) for part, n in rows.items()]),
        b1=uniform("b1", inputs, d),
        w2=uniform("w2", d, d, d),
        b2=uniform("b2", d, d),
        head=uniform("head", d, d),
        bias=uniform("bias", d, 1),
    )


def new_adam(weights: Weights) -> Adam:
    """Return Adam's state before its first step."""
    m, v = (Weights(*(np.zeros_like(array) for array in weights)) for _ in range(2))
    return Adam(m, v, np.zeros(1, dtype=np.int64))
