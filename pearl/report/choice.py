"""Which report is asked for: the main one, or a variant in reports/<profile>-<source>/."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from pearl.experiments import (
    Exhibit,
    load_environment,
    load_exhibits,
    load_experiments,
    load_params,
    profile_of,
)
from pearl.project import Project
from pearl.report.kinds import is_shown
from pearl.report.layout import Shown

NO_DATA = "none"
"""The source of what is simulated, as results name it."""
MIXED = "mixed"
"""Names a report whose data sets come from different sources; each section has one."""


@dataclass(frozen=True)
class Asked:
    """A profile, each data set's source, and whether the main report is of these.

    `sources` are by data set, of those that something shown reads.
    """

    profile: str
    sources: dict[str, str]
    is_main: bool

    @property
    def source(self) -> str:
        """The source that names the variant."""
        named = sorted(set(self.sources.values()))
        return named[0] if len(named) == 1 else (MIXED if named else NO_DATA)

    @property
    def words(self) -> str:
        """Profile and source for people."""
        told = self.source
        if told == MIXED:
            told = ", ".join(f"{name}: {source}" for name, source in self.sources.items())
        return f"profile {self.profile}, source {told}"

    def source_of(self, shown: Shown, project: Project) -> str:
        """Return the source of the data; "none" where it is simulated, or there is none."""
        dataset = dataset_of(shown, project)
        return NO_DATA if dataset is None else self.sources[dataset]

    def made(self, shown: Shown, project: Project) -> Path:
        """Return the file in which `pearl run` leaves what it made."""
        variant = f"{self.profile}-{self.source_of(shown, project)}"
        return project.store / "results" / variant / f"{shown.file_stem}.parquet"

    def of_runs(self, project: Project) -> dict[str, Path]:
        """Return the files that `pearl run` made, by id."""
        files = {one.id: self.made(one, project) for one in all_shown(project)}
        return {name: file for name, file in files.items() if file.is_file()}

    def output(self, project: Project) -> Path:
        """Return the folder of the variant's report."""
        return project.reports / f"{self.profile}-{self.source}"


def choose(project: Project, profile: str | None, source: str | None) -> Asked:
    """Settle what `pearl report` was asked for; None takes params.yaml's word.

    Raises:
        SettingError: an unknown word.
    """
    own = load_params(project)
    named = profile_of(profile) if profile is not None else own.profile
    datasets = sorted({dataset_of(each, project) or "" for each in all_shown(project)} - {""})
    sources: dict[str, str] = {
        name: own.source(name, flag=source, profile=named).source for name in datasets
    }
    default: dict[str, str] = {name: own.source(name).source for name in datasets}
    return Asked(named, sources, named == own.profile and sources == default)


def of_pipeline(project: Project) -> dict[str, Path]:
    """Return the files that DVC made, by id."""
    files = {one.id: project.results / f"{one.file_stem}.parquet" for one in all_shown(project)}
    return {name: file for name, file in files.items() if file.is_file()}


def all_shown(project: Project) -> tuple[Shown, ...]:
    """Return what the report shows, by paper: tables, then figures, then what is neither."""
    experiments = [each for each in load_experiments(project).values() if is_shown(each)]
    return tuple(sorted([*experiments, *load_exhibits().values()], key=_place))


def dataset_of(shown: Shown, project: Project) -> str | None:
    """Return the data set that an experiment or exhibit reads; None where it reads none."""
    if isinstance(shown, Exhibit):
        return shown.dataset
    return load_environment(shown.environment, project).dataset


def _place(experiment: Shown) -> tuple[str, int, int, str]:
    word, _, rest = experiment.place.partition(" ")
    number = re.match(r"\d+", rest)
    kind = {"Table": 0, "Figure": 1}.get(word, 2) if number else 2
    return experiment.paper, kind, int(number[0]) if number else 0, experiment.id
