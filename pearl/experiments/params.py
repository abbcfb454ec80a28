"""params.yaml, checked: profile, sources, the environments' settings, the report's settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

from pydantic import BaseModel

from pearl.errors import SettingError
from pearl.experiments.environment import load_environments
from pearl.experiments.words import one_of, suggestion, validated
from pearl.project import Project

Profile = Literal["smoke", "sample", "paper"]
PROFILES: tuple[Profile, ...] = get_args(Profile)
SOURCES = ("hub", "mirror", "sample")


@dataclass(frozen=True)
class Params:
    """What params.yaml says; absent sections have their defaults.

    `environments` holds, for every kind with data or settings, the settings model's values.
    `report` is handed to the report, which checks it.
    """

    profile: Profile
    sources: dict[str, str | None]
    environments: dict[str, BaseModel]
    report: dict[str, Any]

    def settings(self, kind: str) -> dict[str, Any]:
        """Return an environment's settings as params.yaml and their defaults give them."""
        return self.environments[kind].model_dump()


def load_params(project: Project) -> Params:
    """Read and check params.yaml.

    Raises:
        SettingError: an unknown name, word or value, with the nearest known.
    """
    content = project.params()
    kinds = load_environments(project)
    known = ("profile", "sources", *kinds, "report")
    for name in content:
        if name not in known:
            raise SettingError(
                f"{project.params_file}: unknown name {name!r}", remedy=suggestion(str(name), known)
            )
    where = str(project.params_file)
    datasets = sorted({kind.dataset for kind in kinds.values() if kind.dataset})
    sources: dict[str, str | None] = dict.fromkeys(datasets)
    for dataset, source in _section(content, "sources", where).items():
        one_of(dataset, datasets, f"data set ({where}, sources)")
        if source is not None:
            one_of(str(source), SOURCES, f"source ({where}, sources.{dataset})")
        sources[dataset] = source
    return Params(
        profile=profile_of(content.get("profile", "sample"), where),
        sources=sources,
        environments={
            kind: validated(
                environment.settings_model(), _section(content, kind, where), f"{where}, {kind}"
            )
            for kind, environment in kinds.items()
        },
        report=_section(content, "report", where),
    )


def profile_of(word: object, where: str = "--profile") -> Profile:
    """Return a word as a profile; SettingError with the nearest where it is none."""
    name = one_of(str(word), PROFILES, f"profile ({where})")
    return next(profile for profile in PROFILES if profile == name)


def _section(content: dict[str, Any], name: str, where: str) -> dict[str, Any]:
    section = content.get(name)
    if section is None:
        return {}
    if not isinstance(section, dict):
        raise SettingError(f"{where}, {name}: expected named settings, found {section!r}.")
    return section
