"""Which report is asked for: DVC's own in reports/, or a variant in reports/<profile>-<source>/."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pearl.errors import SettingError
from pearl.experiments import load_environment, load_experiments, load_params, profile_of
from pearl.project import Project


@dataclass(frozen=True)
class Asked:
    """A profile, the source that names the variant, and whether DVC makes that report."""

    profile: str
    source: str
    is_main: bool

    def results(self, project: Project) -> Path:
        """The folder of the result rows, written by the stages or by `pearl run`."""
        if self.is_main:
            return project.results
        return project.store / "results" / f"{self.profile}-{self.source}"

    def output(self, project: Project) -> Path:
        """The folder of the report."""
        if self.is_main:
            return project.reports
        return project.reports / f"{self.profile}-{self.source}"


def choose(project: Project, profile: str | None, source: str | None) -> Asked:
    """Settle what `pearl report` was asked for; None takes params.yaml's word.

    Raises:
        SettingError: an unknown word, or data sets of different sources under one name.
    """
    own = load_params(project)
    named = profile_of(profile) if profile is not None else own.profile
    experiments = [e for e in load_experiments(project).values() if e.report.table is not None]
    kinds = {experiment.environment for experiment in experiments}
    datasets = sorted({load_environment(kind, project).dataset or "" for kind in kinds} - {""})
    sources = {name: own.source(name, flag=source, profile=named).source for name in datasets}
    default = {name: own.source(name).source for name in datasets}
    if named == own.profile and sources == default:
        return Asked(named, " and ".join(sorted(set(sources.values()))), True)
    distinct = sorted(set(sources.values()))
    if len(distinct) > 1:
        raise SettingError(
            f"The data sets come from different sources: {sources}.",
            remedy="Name one with --source.",
        )
    return Asked(named, distinct[0], False)
