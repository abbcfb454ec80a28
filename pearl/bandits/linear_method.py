"""Linear learners that forget, as data: which rule, how they explore, their tuned rates."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from pearl.words import validated
from pearl.yaml_files import read_mapping

Exploration = Literal["fixed", "error_adaptive"]
Forgetting = Literal[
    "none",
    "directional",
    "always_directional",
    "isotropic",
    "discount",
    "window",
    "restart",
    "restart_in_v",
]
Trigger = Literal["rule", "page_hinkley", "adwin", "shift"]


class Rates(BaseModel):
    """What tuning chooses for one kind of features."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    bonus: float = Field(ge=0, le=1e6)
    """alpha of mu + alpha sigma, or gamma of mu + gamma eps_u sigma."""
    rate: float | None = Field(default=None, gt=0, le=1e9)
    """The rule's: eta (directional, isotropic), the discount, W (window), tau (restart by the
    tracked error), or the test's own (restart by a test: page_hinkley's threshold, adwin's
    significance)."""
    test: float | None = Field(default=None, gt=0, le=1e6)
    """page_hinkley's threshold or adwin's significance where `rate` is eta: directional forgetting
    after an alarm."""


class LinearMethod(BaseModel):
    """Recursive least squares on given features, and what makes it uncertain again.

    Forgetting changes A^-1, which decides exploration and the gain with which the estimate learns;
    the estimate itself is forgotten only where the learner starts anew.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    label: str = ""
    """What tables and figures call the method; decides nothing."""
    family: Literal["contextual"] = "contextual"
    exploration: Exploration
    """fixed: mu + alpha sigma; error_adaptive: mu + gamma eps_u sigma, Eq. (6)."""
    forgetting: Forgetting = "none"
    """directional: Eq. (8); always_directional: Eq. (8) whatever the error; isotropic: after a
    surprise, the trace that Eq. (8) adds, in all directions towards I/lambda; discount: A^-1 is
    divided by the rate before every shrink, without a cap; window: all but the newest W
    observations; restart: A^-1 = I/lambda; restart_in_v: the same within the shifted subspace V
    alone, which only an oracle knows."""
    trigger: Trigger = "rule"
    """rule: the forgetting rule's own condition (directional: a surprise; restart: the users' mean
    tracked error is above tau); page_hinkley, adwin: a test on standardised errors; shift: the
    round of the shift, which only an oracle knows, and there the learner starts anew."""
    rates: dict[Literal["dense", "sparse", "neural"], Rates]
    """By kind of features; they come from tuning (linear_tuned.yaml)."""
    hold: int = Field(default=200, ge=1)
    """Rounds for which directional forgetting injects after an alarm, and the test rests."""
    beta: float = Field(default=0.3, ge=0, lt=1)
    """Memory of the error tracker, Eq. (5)."""
    threshold: float = Field(default=0.05, ge=0, le=1)
    """Nothing is injected where the tracked error isn't above it, Eq. (8)."""
    error_start: float = Field(default=0.5, ge=0, le=1)
    """eps_u before a user's first interaction."""
    regularization: float = Field(default=1.0, ge=1e-6, le=1e6)
    """lambda."""

    @model_validator(mode="after")
    def _is_a_known_product(self) -> Self:
        known = {
            "rule": (
                *("none", "directional", "always_directional", "isotropic"),
                *("discount", "window", "restart"),
            ),
            "page_hinkley": ("restart", "directional"),
            "adwin": ("restart", "directional"),
            "shift": ("restart", "restart_in_v"),
        }[self.trigger]
        if self.forgetting not in known:
            raise ValueError(f"trigger {self.trigger} goes with forgetting {', '.join(known)}")
        free = self.forgetting == "none" or self.trigger == "shift"
        for features, rates in self.rates.items():
            if free != (rates.rate is None):
                raise ValueError(f"rates of {features}: {'no' if free else 'a'} rate is needed")
            if self.injects_after_a_test != (rates.test is not None):
                needed = "a" if self.injects_after_a_test else "no"
                raise ValueError(f"rates of {features}: {needed} test is needed")
        return self

    @property
    def oracle(self) -> bool:
        """Whether the method is told of the shift."""
        return self.trigger == "shift"

    @property
    def injects_after_a_test(self) -> bool:
        """Whether a test's alarm starts directional forgetting: eta and the test have rates."""
        return self.forgetting == "directional" and self.trigger in ("page_hinkley", "adwin")


@cache
def load_linear_methods() -> dict[str, LinearMethod]:
    """Return the methods of linear_methods.yaml with the rates of linear_tuned.yaml.

    Raises:
        SettingError: a method without rates, or a fault in either file.
    """
    folder = files("pearl.bandits")
    tuned = read_mapping(folder / "linear_tuned.yaml")["rates"]
    made = {}
    for name, fields in read_mapping(folder / "linear_methods.yaml").items():
        own, lender = without_lender(fields)
        place = f"{folder / 'linear_methods.yaml'}, {name}"
        made[name] = validated(LinearMethod, {**own, "rates": tuned.get(lender or name, {})}, place)
    return made


def without_lender(fields: Mapping[str, Any]) -> tuple[dict[str, Any], str | None]:
    """Return a method's fields in linear_methods.yaml, and whose rates it takes; None: its own."""
    own = dict(fields)
    return own, own.pop("rates_of", None)
