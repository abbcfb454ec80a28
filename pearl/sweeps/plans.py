"""What a sweep has to do: the runs of an experiment, those found, those failed, those missing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pearl.datasets.prepared import prepare
from pearl.datasets.sources import SOURCES, explain_source
from pearl.errors import DataError, SettingError
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
    read_seeds,
)
from pearl.experiments.words import one_of
from pearl.project import Project
from pearl.provenance import Provenance
from pearl.runs.code import code_hash
from pearl.runs.failures import Failure
from pearl.runs.spec import NO_DATA, PlannedRun, RunSpec
from pearl.runs.store import RunStore
from pearl.runs.stored import StoredRun


@dataclass(frozen=True)
class Data:
    """The tables that a sweep reads; without a data set `folder` and `provenance` are None."""

    line: str
    """Printed before anything else: which source, and who chose it."""
    source: str
    folder: Path | None = None
    provenance: Provenance | None = None


@dataclass(frozen=True)
class Plan:
    """The runs of one experiment under one profile on one source, sorted by key.

    `failed` holds earlier failures that are left alone, `missing` what is to be made.
    `stage` tells that this is the DVC stage's plan, made of params.yaml alone.
    """

    project: Project
    experiment: Experiment
    profile: Profile
    data: Data
    runs: tuple[PlannedRun, ...]
    found: tuple[StoredRun, ...]
    failed: tuple[Failure, ...]
    missing: tuple[PlannedRun, ...]
    stage: bool = False

    @property
    def variant(self) -> str:
        """Profile and source as a folder's name, such as paper-mirror."""
        return f"{self.profile}-{self.data.source}"

    @property
    def results_file(self) -> Path:
        """Where the rows go: results/ for the DVC stage, store/results/ otherwise."""
        name = f"{self.experiment.file_stem}.parquet"
        if self.stage:
            return self.project.results / name
        return self.project.store / "results" / self.variant / name


def plan(
    project: Project,
    experiment_id: str,
    *,
    profile: str | None = None,
    source: str | None = None,
    seeds: str | None = None,
    only: str | None = None,
    retry_failed: bool = False,
    stage: bool = False,
) -> Plan:
    """Prepare the data, take the product of grid, methods and seeds, and look what is there.

    Args:
        project: where.
        experiment_id: such as memory/figure1e.
        profile: smoke, sample or paper; params.yaml's by default.
        source: hub, mirror or sample; params.yaml's or the profile's by default.
        seeds: such as "0-2" or "0,3,5", instead of the experiment's.
        only: the beginning of one key: the plan is that run alone.
        retry_failed: count earlier failures among the missing.
        stage: read tables/ and obey params.yaml alone, as a DVC stage must.

    Raises:
        SettingError: an unknown word, or a stage that is given settings.
        DataError: data is missing or malformed.
        CorruptRunError: a stored run of the plan is damaged.
    """
    if stage and (profile, source, seeds, only) != (None, None, None, None):
        raise SettingError("A DVC stage takes its settings from params.yaml alone.")
    params = load_params(project)
    chosen = params.profile if profile is None else profile_of(profile)
    experiment = load_experiment(experiment_id, project).under(chosen)
    environment = load_environment(experiment.environment, project)
    data = _data(project, environment, params, chosen, source, stage=stage)
    numbers = experiment.seed_list() if seeds is None else read_seeds(seeds)
    planned = {
        run.key: run
        for run in _product(experiment, environment, params, chosen, data, numbers)
        if only is None or run.key.startswith(only)
    }
    if not planned:
        raise SettingError(
            f"No run of {experiment_id} under {chosen} on {data.source} has the key {only}.",
            remedy="Settings, data or code differ from those that made it: see `pearl reproduce`.",
        )
    runs = tuple(planned[key] for key in sorted(planned))
    store = RunStore.of(project)
    found = tuple(store.read(run.key) for run in runs if store.has(run.key))
    rest = [run for run in runs if run.key not in {each.key for each in found}]
    failed = {run.key: failure for run in rest if (failure := store.failure(run.key))}
    if retry_failed:
        failed = {}
    return Plan(
        project=project,
        experiment=experiment,
        profile=chosen,
        data=data,
        runs=runs,
        found=found,
        failed=tuple(failed.values()),
        missing=tuple(run for run in rest if run.key not in failed),
        stage=stage,
    )


def _product(
    experiment: Experiment,
    environment: Environment,
    params: Params,
    profile: Profile,
    data: Data,
    seeds: tuple[int, ...],
) -> Iterator[PlannedRun]:
    code = code_hash(environment.entry)
    provenance: dict[str, Any] | None = None
    fingerprint = ""
    if data.provenance is not None:
        provenance = data.provenance.model_dump(mode="json")
        fingerprint = data.provenance.fingerprint
    for cell in cells(experiment, environment, params.settings(environment.kind)):
        for seed in seeds:
            yield PlannedRun(
                spec=RunSpec(config=cell.config, seed=seed, data=fingerprint, code=code),
                entry=environment.entry,
                experiment=experiment.id,
                title=experiment.title,
                profile=profile,
                method=cell.method,
                label=cell.label,
                name=f"{cell.title} · seed {seed}",
                data_source=data.source,
                provenance=provenance,
            )


def _data(
    project: Project,
    environment: Environment,
    params: Params,
    profile: Profile,
    flag: str | None,
    *,
    stage: bool,
) -> Data:
    if flag is not None:
        one_of(flag, SOURCES, "source (--source)")
    dataset = environment.dataset
    if dataset is None:
        return Data(f"{environment.kind}: simulated, no data set", NO_DATA)
    choice = explain_source(dataset, flag=flag, params={"sources": params.sources}, profile=profile)
    if not stage:
        prepared = prepare(project, dataset, choice.source)
        return Data(choice.line, choice.source, prepared.folder, prepared.provenance)
    folder = project.tables / dataset
    remedy = f"Run `dvc repro build@{dataset}`."
    provenance = Provenance.read(folder, remedy=remedy)
    if provenance.source != choice.source:
        raise DataError(
            folder,
            f"made from source {provenance.source}, where {choice.line}",
            remedy=remedy,
        )
    return Data(choice.line, choice.source, folder, provenance)
