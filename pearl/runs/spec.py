"""A run before it is made: what determines it (its key), and what people call it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from pearl.experiments.environment import HorizonUnit
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


class PlannedNetwork(BaseModel):
    """A network to be pretrained, with the words that go with it.

    Runs that need the same one share it: methods of one seed, split and data set.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    spec: RunSpec
    """Its config is {"kind": the environment's, "pretraining": the part that determines it}."""
    entry: str
    """`pretrain(part, tables, seed) -> arrays by name`."""
    name: str
    """For people: "prism pretraining · seed 0"."""
    profile: str
    data_source: str
    provenance: dict[str, Any] | None

    @property
    def key(self) -> str:
        """The spec's key."""
        return self.spec.key

    @property
    def kind(self) -> str:
        """The environment's kind."""
        return str(self.spec.config["kind"])

    @property
    def part(self) -> dict[str, Any]:
        """What the pretraining is handed of a run's config."""
        part: dict[str, Any] = self.spec.config["pretraining"]
        return part

    @property
    def data_label(self) -> str:
        """What a table prints beneath itself about the data."""
        return data_label(self.provenance)


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
    horizon_unit: HorizonUnit = "rounds"
    variant: str = ""
    """Which of the experiment's variants it belongs to; empty for the base."""
    pretrain: str | None = None
    """The environment's pretraining, "module:function"; None where it has none."""
    network: RunSpec | None = None
    """The pretrained network that the run starts from; None where the method has none."""

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
        """T, in `horizon_unit`."""
        return int(self.spec.config["horizon"])

    @property
    def length(self) -> str:
        """T for people, such as "T = 20,000" or "10 epochs"."""
        return horizon_text(self.horizon, self.horizon_unit)

    @property
    def planned_network(self) -> PlannedNetwork | None:
        """The network that the run starts from, as it is to be made."""
        if self.pretrain is None or self.network is None:
            return None
        return PlannedNetwork(
            spec=self.network,
            entry=self.pretrain,
            name=f"{self.kind} pretraining · seed {self.network.seed}",
            profile=self.profile,
            data_source=self.data_source,
            provenance=self.provenance,
        )

    @property
    def data_label(self) -> str:
        """What a table prints beneath itself about the data."""
        return data_label(self.provenance)


def horizon_text(horizon: int, unit: HorizonUnit) -> str:
    """Return how long a run is, for people."""
    return f"T = {horizon:,}" if unit == "rounds" else f"{horizon:,} epochs"


def data_label(provenance: Mapping[str, Any] | None) -> str:
    """Return what a table prints beneath itself about the data."""
    return str(provenance["label"]) if provenance else "simulated, no data set"


def flat(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return a config's values by dotted name, sections in their order."""
    values: dict[str, Any] = {}
    for section, value in config.items():
        for name, inner in value.items() if isinstance(value, dict) else [("", value)]:
            values[f"{section}.{name}" if name else section] = inner
    return values
