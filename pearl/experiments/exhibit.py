"""An exhibit is a table or figure that no run stands behind.

It is measured in a data set's tables, or made from what is written down here: the registry of
methods, params.yaml, the paper's statements checked by `pearl.theory`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from pearl.errors import SettingError
from pearl.experiments.environment import DOTTED, load_environment, load_object
from pearl.experiments.experiment import Experiment, Shown, load_experiment, yaml_files
from pearl.experiments.params import Params, Profile
from pearl.project import Project
from pearl.words import validated
from pearl.yaml_files import read_mapping

Values = Mapping[str, Mapping[str, float]]
"""What was measured: values by quantity and name."""
Measure = Callable[[Path, Mapping[str, Any]], Values]


class Exhibit(BaseModel):
    """One table or figure of a paper, made without runs."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = Field(pattern=r"^[a-z0-9_]+(/[a-z0-9_-]+)+$")
    title: str
    paper: Literal["memory", "pearl"]
    place: str
    """Where the paper shows it, such as "Table 2"."""
    question: str
    made_of: str
    """What it is made of, for people."""
    dataset: str | None = None
    """The data set whose tables (not its embeddings) `measure` reads; None where it reads none."""
    measure: str | None = Field(default=None, pattern=DOTTED)
    """`measure(tables, settings) -> values by quantity and name`: finite numbers."""
    settings_of: str | None = None
    """The experiment whose settings it shows, or measures under; None where it needs none."""
    report: Shown

    @model_validator(mode="after")
    def _both_or_neither(self) -> Exhibit:
        if (self.measure is None) != (self.dataset is None):
            raise ValueError("measure and dataset go together: name both or neither")
        return self

    @property
    def file_stem(self) -> str:
        """The id as a file name, such as pearl-figure2."""
        return self.id.replace("/", "-")

    def measured(self, tables: Path, settings: Mapping[str, Any]) -> Values:
        """Measure a data set's tables.

        Raises:
            SettingError: nothing is measured, or `measure` can't be called.
        """
        if self.measure is None:
            raise SettingError(f"{self.id} measures nothing: it is made of {self.made_of}.")
        function: Any = load_object(self.measure)
        if not callable(function):
            raise SettingError(f"{self.id}: {self.measure} is no function.")
        values: Values = function(tables, settings)
        return values

    def experiment(self, profile: Profile, project: Project | None = None) -> Experiment | None:
        """Return the experiment of `settings_of` under a profile."""
        if self.settings_of is None:
            return None
        return load_experiment(self.settings_of, project).under(profile)

    def settings(
        self, params: Params, profile: Profile, project: Project | None = None
    ) -> dict[str, Any]:
        """Return the settings and horizon of that experiment under a profile; {} without one."""
        found = self.experiment(profile, project)
        if found is None:
            return {}
        environment = load_environment(found.environment, project)
        named = {**params.settings(found.environment), **found.settings}
        where = f"{self.id}, settings of {found.id}"
        checked = validated(environment.settings_model(), named, where)
        return {**checked.model_dump(mode="json"), "horizon": found.horizon}


def load_exhibits() -> dict[str, Exhibit]:
    """Return pearl's exhibits by id; SettingError: a malformed file, or an id used twice."""
    exhibits: dict[str, Exhibit] = {}
    for place in yaml_files(files("pearl.experiments") / "exhibits"):
        exhibit = validated(Exhibit, read_mapping(place), str(place))
        if exhibit.id in exhibits:
            raise SettingError(f"{place}: exhibit {exhibit.id!r} exists already; rename it.")
        exhibits[exhibit.id] = exhibit
    return dict(sorted(exhibits.items()))
