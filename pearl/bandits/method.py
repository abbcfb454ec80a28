"""A contextual method is data: exploration, forgetting, head, what it knows of users, learning."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from pearl.words import validated
from pearl.yaml_files import read_mapping

Exploration = Literal["none", "fixed", "error_adaptive", "thompson", "uniform", "oracle"]
Forgetting = Literal["none", "directional", "always_directional", "window", "discount", "restart"]
Head = Literal["mlp", "urm", "mrm", "vrf"]
Prior = Literal["empty", "pretraining"]
Injection = Literal["fixed", "mean_error"]


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
    the oldest observation leaves A, and training, when there are more than W (SW-UCB); discount:
    A^-1 <- A^-1 / gamma_gram before every shrink (D-NeuralUCB, section 28), beyond 1/lambda too;
    restart: A^-1 <- I/lambda after an interaction that leaves the mean tracked error of all users
    above tau (Restarting NeuralUCB, section 28).

    A network update makes A^-1 anew from the newest observations, all with the same weight,
    whatever the forgetting: what was injected, discounted or restarted until then is lost."""
    head: Head = "mlp"
    """How the reward is predicted. mlp: the sigmoid of a linear head over two layers, Eq. (1); urm,
    mrm, vrf: the reward heads of section 13.2, see bandits.heads."""
    uncertainty: Literal["gram", "head"] = "gram"
    """What sigma is. gram: Eq. (2) over the last layer's features; head: the head's own, which the
    MLP hasn't."""
    bases: Literal["frozen", "learned"] = "frozen"
    """Whether the bases of heads mrm and vrf, all of their network, rest online while the users'
    weights learn (Table 4), or learn too."""
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
    """Injection rate, Eq. (8); eta_base of PEARL-auto."""
    injection: Injection = "fixed"
    """fixed: the injection rate is eta; mean_error: eta times the mean tracked error over 0.5, the
    mean over the users seen so far with the one at hand, before his error changes (PEARL-auto,
    section 26)."""
    beta: float = Field(default=0.3, ge=0, lt=1)
    """Memory of the error tracker, Eq. (5)."""
    regularization: float = Field(default=1.0, ge=1e-6, le=1e6)
    """lambda, Eq. (2); A^-1's eigenvalues never exceed 1/lambda, Eq. (9)."""
    window: int = Field(default=1000, ge=1, le=10**6)
    """W, the newest observations that forgetting "window" keeps."""
    window_training: bool = True
    """Whether W limits the observations that the network trains on too, or A alone."""
    discount: float = Field(default=0.99, gt=0, le=1)
    """gamma_gram of forgetting "discount"; between two network updates n interactions apart A^-1
    grows at most gamma_gram^-n-fold, and it isn't divided where 10^8 / lambda would be passed."""
    restart_above: float = Field(default=0.5, ge=0, le=1)
    """tau of forgetting "restart"."""
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
        if self.head == "mlp":
            if self.uncertainty == "head":
                raise ValueError("head mlp has no uncertainty of its own: it goes with gram")
        else:
            for axis, value, only in (
                ("forgetting", self.forgetting, "none"),
                ("prior", self.prior, "empty"),
            ):
                if value != only:
                    raise ValueError(f"head {self.head} goes with {axis} {only}, not with {value}")
            if not self.network:
                raise ValueError(f"exploration {self.exploration} has no reward head")
            if not self.user_features and self.head != "urm":
                raise ValueError(f"head {self.head} weights its bases user by user: user_features")
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

    def gram_size(self, size: int) -> int:
        """Return from how many of the newest `size` observations A^-1 is made at an update."""
        return min(size, self.window) if self.forgetting == "window" else size

    def training_size(self, size: int) -> int:
        """Return on how many of the newest `size` observations an update trains."""
        return self.gram_size(size) if self.window_training else size


@cache
def load_methods() -> dict[str, BanditMethod]:
    """Return the named methods of methods.yaml, in the file's order; SettingError on a fault."""
    file = files("pearl.bandits") / "methods.yaml"
    return {
        name: validated(BanditMethod, fields, f"{file}, {name}")
        for name, fields in read_mapping(file).items()
    }
