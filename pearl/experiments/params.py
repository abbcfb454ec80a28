"""params.yaml, checked: profile, sources, what is embedded, environments, the report's settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

from pydantic import BaseModel

from pearl.datasets.embedding.settings import embedding_settings
from pearl.datasets.sources import SourceChoice, explain_source
from pearl.errors import SettingError
from pearl.experiments.environment import load_environments
from pearl.project import Project
from pearl.words import one_of, suggestion, validated

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

    def source(
        self, dataset: str, *, flag: str | None = None, profile: str | None = None
    ) -> SourceChoice:
        """Choose a data set's source: `flag` (--source), else params.yaml's, else the profile's.

        With neither flag nor profile params.yaml alone decides: that is what a DVC stage takes.

        Raises:
            SettingError: a word that is no source or no profile.
        """
        chosen = self.profile if profile is None else profile_of(profile)
        return explain_source(dataset, flag=flag, params={"sources": self.sources}, profile=chosen)


def load_params(project: Project) -> Params:
    """Read and check params.yaml.

    Raises:
        SettingError: an unknown name, word or value, with the nearest known.
    """
    content = project.params()
    kinds = load_environments(project)
    known = ("profile", "sources", "embeddings", *kinds, "report")
    for name in content:
        if name not in known:
            raise SettingError(
                f"{project.params_file}: unknown name {name!r}", remedy=suggestion(str(name), known)
            )
    where = str(project.params_file)
    embedding_settings(project)
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
