"""A contextual method is data: exploration, forgetting, head, what it knows of users, learning."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from pearl.words import validated
from pearl.yaml_files import read_mapping

Exploration = Literal["none", "fixed", "error_adaptive", "thompson", "uniform", "oracle"]
Forgetting = Literal["none", "directional", "always_directional", "window"]
Head = Literal["mlp"]
Prior = Literal["empty", "pretraining"]


class BanditMethod(BaseModel):
    """One contextual learner: which axes it combines, and their settings.

    A product of axes that isn't implemented is refused when the method is made. A setting of an
    axis value that isn't chosen (gamma without error_adaptive, ...) decides nothing.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    label: str = ""
    """What tables and figures call the method; decides nothing."""
    family: Literal["contextual"] = "contextual"
    exploration: Exploration
    """The score of an arm. none: mu; fixed: mu + alpha sigma; error_adaptive:
    mu + gamma eps_u sigma, Eq. (6); thompson: a draw from N(mu, (nu sigma)^2), one an arm;
    uniform: no score, every arm equally likely; oracle: the reward itself."""
    forgetting: Forgetting = "none"
    """What makes uncertain again. none: nothing; directional: Eq. (8), after a surprise;
    always_directional: Eq. (8) after every interaction, whatever the error (section 26); window:
    all but the newest observations, on which alone A^-1 and training stand (SW-UCB)."""
    head: Head = "mlp"
    """How the reward is predicted: the sigmoid of a linear head over two layers, Eq. (1)."""
    user_features: bool = True
    """Whether the network sees stated preferences and learned embeddings of users."""
    online: bool = True
    """Whether network and Gram matrix learn from interactions. Errors are tracked in any case."""
    prior: Prior = "empty"
    """The Gram matrix at the start: lambda I, or lambda I and the features of every rated response
    that pretraining saw."""
    gamma: float = Field(default=4.0, ge=0, le=1e6)
    """Exploration's sensitivity to the tracked error, Eq. (6)."""
    alpha: float = Field(default=1.0, ge=0, le=1e6)
    """Exploration's fixed rate."""
    nu: float = Field(default=1.0, ge=0, le=1e6)
    """Standard deviations of a Thompson draw."""
    eta: float = Field(default=0.01, ge=0, le=1e6)
    """Injection rate, Eq. (8)."""
    beta: float = Field(default=0.3, ge=0, lt=1)
    """Memory of the error tracker, Eq. (5)."""
    regularization: float = Field(default=1.0, ge=1e-6, le=1e6)
    """lambda, Eq. (2); A^-1's eigenvalues never exceed 1/lambda, Eq. (9)."""
    window: int = Field(default=1000, ge=1, le=10**9)
    """W, the newest observations that forgetting "window" keeps."""
    threshold: float = Field(default=0.05, ge=0, le=1)
    """Nothing is injected where the tracked error isn't above it, Eq. (8)."""
    error_start: float = Field(default=0.5, ge=0, le=1)
    """eps_u before a user's first interaction, Eq. (5)."""

    @model_validator(mode="after")
    def _is_a_known_product(self) -> Self:
        if not self.network:
            for axis, value, only in (
                ("forgetting", self.forgetting, "none"),
                ("online", self.online, False),
                ("prior", self.prior, "empty"),
            ):
                if value != only:
                    raise ValueError(
                        f"exploration {self.exploration} learns nothing:"
                        f" it goes with {axis} {str(only).lower()}, not with {str(value).lower()}"
                    )
        if not self.online and self.forgetting != "none":
            raise ValueError(
                f"forgetting {self.forgetting} changes the Gram matrix,"
                " which stays as it is with online false"
            )
        return self

    @property
    def network(self) -> bool:
        """Whether the method predicts rewards at all; Random and Oracle don't."""
        return self.exploration not in ("uniform", "oracle")

    def newest(self, size: int) -> int:
        """Return on how many of the newest `size` observations the method may stand."""
        return min(size, self.window) if self.forgetting == "window" else size


@cache
def load_methods() -> dict[str, BanditMethod]:
    """Return the named methods of methods.yaml, in the file's order; SettingError on a fault."""
    file = files("pearl.bandits") / "methods.yaml"
    return {
        name: validated(BanditMethod, fields, f"{file}, {name}")
        for name, fields in read_mapping(file).items()
    }
