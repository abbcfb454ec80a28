"""Which environments there are: each one line of data that names code, settings and data set.

pearl's own stand in environments.yaml beside this file; a project adds its own in
`experiments/environments.yaml` at its root (the modules it names must be importable).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.resources import files
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from pearl.errors import SettingError
from pearl.project import Project
from pearl.words import one_of, suggestion, validated
from pearl.yaml_files import read_mapping

DOTTED = r"^[A-Za-z_][\w.]*:[A-Za-z_]\w*$"
HorizonUnit = Literal["rounds", "epochs"]
# What a method shows to people; it decides nothing, so it isn't part of a run's config.
METHOD_WORDS = {"label", "family"}


class Environment(BaseModel):
    """One kind of environment; the "module:name" strings are imported when needed."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: str
    dataset: str | None
    """The data set whose tables `entry` reads; None where everything is simulated."""
    entry: str = Field(pattern=DOTTED)
    """`run(config, tables, seed) -> Trajectory`; `tables` is a folder (empty without data).

    With `pretrain` it is called as `run(config, tables, seed, pretrained)`.
    """
    settings: str = Field(pattern=DOTTED)
    """A pydantic model; its values stand under `kind` in params.yaml."""
    methods: str = Field(pattern=DOTTED)
    """A function without arguments that returns the methods by name."""
    shown: dict[str, str] = {}
    """Settings that stand in a run's name, with their symbol."""
    horizon_unit: HorizonUnit = "rounds"
    """What a horizon counts: the rounds of the regret curve, or epochs of many rounds each."""
    pretrain: str | None = Field(default=None, pattern=DOTTED)
    """`pretrain(part, tables, seed) -> arrays by name`: makes the network that a run starts from.

    The array "loss", where there is one, is the loss by epoch.
    """
    pretraining: str | None = Field(default=None, pattern=DOTTED)
    """`pretraining(config) -> part`: what of a run's config determines its network.

    JSON values; None where the method has no network. Equal parts share one network a seed.
    """

    @model_validator(mode="after")
    def _both_or_neither(self) -> Environment:
        if (self.pretrain is None) != (self.pretraining is None):
            raise ValueError("pretrain and pretraining go together: name both or neither")
        return self

    @property
    def code_entries(self) -> tuple[str, ...]:
        """The entry points whose code decides a run."""
        named = (self.entry, self.pretrain, self.pretraining)
        return tuple(dict.fromkeys(name for name in named if name is not None))

    def entry_point(self) -> Callable[..., Any]:
        """Import and return `entry`; SettingError where there is none or it can't be called."""
        return self._function(self.entry)

    def pretraining_part(self, config: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return what of a run's config determines its network; None where it has none."""
        if self.pretraining is None:
            return None
        part: dict[str, Any] | None = self._function(self.pretraining)(config)
        return part

    def settings_model(self) -> type[BaseModel]:
        """Return the model of the settings."""
        model = load_object(self.settings)
        if not (isinstance(model, type) and issubclass(model, BaseModel)):
            raise SettingError(f"Environment {self.kind}: {self.settings} is no pydantic model.")
        return model

    def method_models(self) -> dict[str, BaseModel]:
        """Return the methods that can face this environment, by name."""
        methods: dict[str, BaseModel] = load_object(self.methods)()
        return methods

    def _function(self, dotted: str) -> Callable[..., Any]:
        found: Any = load_object(dotted)
        if not callable(found):
            raise SettingError(f"Environment {self.kind}: {dotted} is no function.")
        function: Callable[..., Any] = found
        return function

    def method(self, name: str) -> BaseModel:
        """Return one method; SettingError with the nearest name where there is none."""
        methods = self.method_models()
        return methods[one_of(name, methods, f"method of {self.kind}")]


def load_object(dotted: str) -> Any:
    """Import "module:name"; SettingError where there is no such module or name."""
    where, _, name = dotted.partition(":")
    try:
        module = import_module(where)
    except ImportError as error:
        raise SettingError(
            f"{dotted} can't be imported: {error}",
            remedy="Check the name in environments.yaml and that its package is installed.",
        ) from error
    if not hasattr(module, name):
        known = [word for word in vars(module) if not word.startswith("_")]
        raise SettingError(
            f"{dotted} can't be imported: {where} has no {name!r}.",
            remedy=f"Check the name in environments.yaml. {suggestion(name, known)}",
        )
    return getattr(module, name)


def load_environments(project: Project | None = None) -> dict[str, Environment]:
    """Return pearl's environments and the project's own, by kind."""
    places = [files("pearl.experiments") / "environments.yaml"]
    if project is not None and (own := project.root / "experiments/environments.yaml").is_file():
        places.append(own)
    environments: dict[str, Environment] = {}
    for place in places:
        for kind, entry in read_mapping(place).items():
            if kind in environments:
                raise SettingError(f"{place}: environment {kind!r} exists already; rename it.")
            fields = {"kind": kind, **entry} if isinstance(entry, Mapping) else entry
            environments[kind] = validated(Environment, fields, f"{place}, {kind}")
    return environments


def load_environment(kind: str, project: Project | None = None) -> Environment:
    """Return one environment; SettingError with the nearest kind where there is none."""
    environments = load_environments(project)
    return environments[one_of(kind, environments, "environment")]


def label_of(method: BaseModel, name: str) -> str:
    """Return what people call a method: its label, else its name."""
    return str(getattr(method, "label", "") or name)


def method_config(method: BaseModel) -> dict[str, Any]:
    """Return what determines a method's choices, as JSON values."""
    return method.model_dump(mode="json", exclude=METHOD_WORDS)
