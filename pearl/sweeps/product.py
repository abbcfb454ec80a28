"""An experiment as runs: the product of its grid, methods and seeds, on one source of data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pearl.datasets.prepared import identity, prepare
from pearl.datasets.registry import dataset as entry_of
from pearl.datasets.sources import SOURCES, SourceChoice, explain_source
from pearl.errors import DataError
from pearl.experiments import (
    Environment,
    Experiment,
    Params,
    Profile,
    cells,
    load_environment,
    load_experiment,
    load_params,
    profile_of,
)
from pearl.project import Project
from pearl.provenance import Provenance
from pearl.runs.code import code_hash
from pearl.runs.spec import NO_DATA, PlannedRun, RunSpec
from pearl.words import one_of


@dataclass(frozen=True)
class Data:
    """The tables that a sweep reads; without a data set `folder` and `provenance` are None."""

    line: str
    """Printed before anything else: which source, and who chose it."""
    source: str
    folder: Path | None = None
    provenance: Provenance | None = None

    @property
    def tables(self) -> Path:
        """What an entry is handed: the folder, or the name of none."""
        return self.folder or Path("no-data")


@dataclass(frozen=True)
class Setting:
    """Everything but seeds and data that a sweep is made of."""

    project: Project
    params: Params
    profile: Profile
    experiment: Experiment
    environment: Environment

    @classmethod
    def of(cls, project: Project, experiment_id: str, profile: str | None) -> Setting:
        """Read params.yaml, the experiment under a profile (params.yaml's by default), its world.

        Raises:
            SettingError: an unknown word.
        """
        params = load_params(project)
        chosen = params.profile if profile is None else profile_of(profile)
        experiment = load_experiment(experiment_id, project).under(chosen)
        environment = load_environment(experiment.environment, project)
        return cls(project, params, chosen, experiment, environment)

    def choice(self, flag: str | None) -> SourceChoice | None:
        """Return the source and who chose it; None for an environment without a data set."""
        if flag is not None:
            one_of(flag, SOURCES, "source (--source)")
        dataset = self.environment.dataset
        if dataset is None:
            return None
        sources = {"sources": self.params.sources}
        return explain_source(dataset, flag=flag, params=sources, profile=self.profile)

    def data(self, flag: str | None, *, stage: bool = False) -> Data:
        """Return tables that are ready to read; in a DVC stage those of tables/ or embeddings/.

        Raises:
            DataError, SourceError: they are missing or malformed.
        """
        choice = self.choice(flag)
        if choice is None:
            return self._no_data()
        if not stage:
            full = self._full(choice)
            prepared = prepare(self.project, choice.dataset, choice.source, full=full)
            return Data(choice.line, choice.source, prepared.folder, prepared.provenance)
        embedded = entry_of(choice.dataset).embedder is not None
        made_by = f"{'embed' if embedded else 'build'}@{choice.dataset}"
        room = self.project.embeddings if embedded else self.project.tables
        folder = room / choice.dataset
        remedy = f"Run `dvc repro {made_by}`."
        provenance = Provenance.read(folder, remedy=remedy)
        if provenance.source != choice.source:
            raise DataError(
                folder,
                f"made from source {provenance.source}, where {choice.line}",
                remedy=remedy,
            )
        return Data(choice.line, choice.source, folder, provenance)

    def data_identity(self, flag: str | None) -> Data:
        """Return what identifies the data, without building tables and without network.

        Raises:
            DataError, SourceError: a mirror or sample is missing or malformed.
        """
        choice = self.choice(flag)
        if choice is None:
            return self._no_data()
        full = self._full(choice)
        provenance = identity(self.project, choice.dataset, choice.source, full=full)
        return Data(choice.line, choice.source, None, provenance)

    def _full(self, choice: SourceChoice) -> bool:
        """Whether a sample has the publisher's size: it does under the papers' profile."""
        return self.profile == "paper" and choice.source == "sample"

    def _no_data(self) -> Data:
        return Data(f"{self.environment.kind}: simulated, no data set", NO_DATA)

    def runs(self, data: Data, seeds: Sequence[int]) -> Iterator[PlannedRun]:
        """Yield the runs of every cell of the grid and every seed.

        Raises:
            SettingError: what the environment doesn't know, see `experiments.cells`.
        """
        environment, experiment = self.environment, self.experiment
        code = code_hash(*environment.code_entries)
        trained = code_hash(environment.pretrain) if environment.pretrain else ""
        provenance: dict[str, Any] | None = None
        fingerprint = ""
        if data.provenance is not None:
            provenance = data.provenance.model_dump(mode="json")
            fingerprint = data.provenance.fingerprint
        for cell in cells(experiment, environment, self.params.settings(environment.kind)):
            part = environment.pretraining_part(cell.config)
            for seed in seeds:
                network = None
                if part is not None:
                    source = {"kind": environment.kind, "pretraining": part}
                    network = RunSpec(config=source, seed=seed, data=fingerprint, code=trained)
                yield PlannedRun(
                    spec=RunSpec(config=cell.config, seed=seed, data=fingerprint, code=code),
                    entry=environment.entry,
                    experiment=experiment.id,
                    title=experiment.title,
                    profile=self.profile,
                    method=cell.method,
                    label=cell.label,
                    name=f"{cell.title} · seed {seed}",
                    data_source=data.source,
                    provenance=provenance,
                    horizon_unit=environment.horizon_unit,
                    variant=cell.variant,
                    pretrain=environment.pretrain,
                    network=network,
                )
