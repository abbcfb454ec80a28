"""A run before it is made: what determines it (its key), and what people call it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from pearl.experiments.seeds import LIMIT
from pearl.runs.canonical import digest

SHORT = 12
NO_DATA = "none"


class RunSpec(BaseModel):
    """Everything that determines a run; nothing else may."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    config: dict[str, Any]
    """{"environment": {"kind", settings}, "method", "horizon"}, JSON values."""
    seed: int = Field(ge=0, lt=LIMIT)
    data: str
    """Fingerprint of the data set; empty where everything is simulated."""
    code: str
    """Hash of the code, see `runs.code`."""

    @cached_property
    def key(self) -> str:
        """64 hex digits: the hash of the spec's canonical JSON."""
        return digest(self.model_dump(mode="json"))

    @property
    def short(self) -> str:
        """The key's first 12 digits."""
        return self.key[:SHORT]

    @property
    def flat_config(self) -> dict[str, Any]:
        """The config's values by dotted name, such as environment.memory."""
        return flat(self.config)


class PlannedRun(BaseModel):
    """A spec with the words that go with it; the words aren't part of the key.

    Two experiments that need the same spec share the run, under the words of the first.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    spec: RunSpec
    entry: str
    experiment: str
    title: str
    """The experiment's title."""
    profile: str
    method: str
    label: str
    name: str
    """For people: "RSM-LinUCB · M=180 · seed 0"."""
    data_source: str
    """hub, mirror, sample, or none."""
    provenance: dict[str, Any] | None
    """The data set's provenance, None where everything is simulated."""

    @property
    def key(self) -> str:
        """The spec's key."""
        return self.spec.key

    @property
    def kind(self) -> str:
        """The environment's kind, such as kv_cache."""
        return str(self.spec.config["environment"]["kind"])

    @property
    def horizon(self) -> int:
        """T, rounds."""
        return int(self.spec.config["horizon"])

    @property
    def data_label(self) -> str:
        """What a table prints beneath itself about the data."""
        return str(self.provenance["label"]) if self.provenance else "simulated, no data set"


def flat(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return a config's values by dotted name, sections in their order."""
    values: dict[str, Any] = {}
    for section, value in config.items():
        for name, inner in value.items() if isinstance(value, dict) else [("", value)]:
            values[f"{section}.{name}" if name else section] = inner
    return values
