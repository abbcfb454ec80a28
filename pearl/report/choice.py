"""Which report is asked for: DVC's own in reports/, or a variant in reports/<profile>-<source>/."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from pearl.experiments import (
    Experiment,
    load_environment,
    load_experiments,
    load_params,
    profile_of,
)
from pearl.project import Project
from pearl.report.kinds import is_shown

NO_DATA = "none"
"""The source of what is simulated, as results name it."""
MIXED = "mixed"
"""Names a report whose data sets come from different sources; each section has one."""


@dataclass(frozen=True)
class Asked:
    """A profile, each data set's source, and whether DVC makes the report of these.

    `sources` are by data set, of those that some shown experiment reads.
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

    def source_of(self, experiment: Experiment, project: Project) -> str:
        """Return the source of an experiment's data; "none" where it is simulated."""
        dataset = load_environment(experiment.environment, project).dataset
        return NO_DATA if dataset is None else self.sources[dataset]

    def made(self, experiment: Experiment, project: Project) -> Path:
        """Return the file in which `pearl run` leaves an experiment's rows."""
        variant = f"{self.profile}-{self.source_of(experiment, project)}"
        return project.store / "results" / variant / f"{experiment.file_stem}.parquet"

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
    kinds = {experiment.environment for experiment in shown_experiments(project)}
    datasets = sorted({load_environment(kind, project).dataset or "" for kind in kinds} - {""})
    sources: dict[str, str] = {
        name: own.source(name, flag=source, profile=named).source for name in datasets
    }
    default: dict[str, str] = {name: own.source(name).source for name in datasets}
    return Asked(named, sources, named == own.profile and sources == default)


def shown_experiments(project: Project) -> tuple[Experiment, ...]:
    """Return what the report shows, by paper: tables, then figures, then what is neither."""
    return tuple(sorted(filter(is_shown, load_experiments(project).values()), key=_place))


def _place(experiment: Experiment) -> tuple[str, int, int, str]:
    word, _, rest = experiment.place.partition(" ")
    number = re.match(r"\d+", rest)
    kind = {"Table": 0, "Figure": 1}.get(word, 2) if number else 2
    return experiment.paper, kind, int(number[0]) if number else 0, experiment.id
