"""What a sweep has to do: the runs of an experiment, those found, those failed, those missing."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pearl.errors import SettingError
from pearl.experiments import Experiment, Profile, read_seeds
from pearl.project import Project
from pearl.runs.failures import Failure
from pearl.runs.spec import SHORT, PlannedRun
from pearl.runs.store import RunStore
from pearl.runs.stored import StoredRun
from pearl.sweeps.product import Data, Setting


@dataclass(frozen=True)
class Plan:
    """The runs of one experiment under one profile on one source, sorted by key.

    `runs` are those asked for: `found` is there, `failed` holds earlier failures that are left
    alone, `missing` is to be made. `rest` are the experiment's own other runs, of which those
    in the store (`beside`) share the results file. `stage` tells that this is the DVC stage's
    plan, made of params.yaml alone.
    """

    project: Project
    experiment: Experiment
    profile: Profile
    data: Data
    runs: tuple[PlannedRun, ...]
    found: tuple[StoredRun, ...]
    failed: tuple[Failure, ...]
    missing: tuple[PlannedRun, ...]
    rest: tuple[PlannedRun, ...] = ()
    beside: tuple[StoredRun, ...] = ()
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
    dry: bool = False,
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
        dry: find out which data it is, but don't build its tables; such a plan can't be made.

    Raises:
        SettingError: an unknown word, no run or several for `only`, or a stage given settings.
        DataError: data is missing or malformed.
        CorruptRunError: a stored run of the plan, or of the experiment's own, is damaged.
    """
    if stage and (profile, source, seeds, only) != (None, None, None, None):
        raise SettingError("A DVC stage takes its settings from params.yaml alone.")
    setting = Setting.of(project, experiment_id, profile)
    own = setting.experiment.seed_list()
    asked = own if seeds is None else read_seeds(seeds)
    data = setting.data_identity(source) if dry else setting.data(source, stage=stage)
    every = {run.key: run for run in setting.runs(data, sorted({*own, *asked}))}
    wanted = {key for key, run in every.items() if run.spec.seed in asked}
    where = f"{experiment_id} under {setting.profile} on {data.source}"
    if only is not None:
        wanted = {_only(only, wanted, where)}
    runs = tuple(every[key] for key in sorted(wanted))
    rest = tuple(every[key] for key in sorted(set(every) - wanted) if every[key].spec.seed in own)
    store = RunStore.of(project)
    found = _stored(store, runs)
    left = [run for run in runs if run.key not in {each.key for each in found}]
    failed = {run.key: failure for run in left if (failure := store.failure(run.key))}
    if retry_failed:
        failed = {}
    return Plan(
        project=project,
        experiment=setting.experiment,
        profile=setting.profile,
        data=data,
        runs=runs,
        found=found,
        failed=tuple(failed.values()),
        missing=tuple(run for run in left if run.key not in failed),
        rest=rest,
        beside=_stored(store, rest),
        stage=stage,
    )


def _only(prefix: str, keys: set[str], where: str) -> str:
    fitting = sorted(key for key in keys if key.startswith(prefix))
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        shown = ", ".join(key[:SHORT] for key in fitting[:5])
        raise SettingError(
            f"{len(fitting)} runs of {where} have a key that begins with {prefix!r}: {shown}.",
            remedy="Give more of its digits.",
        )
    raise SettingError(
        f"No run of {where} has the key {prefix}.",
        remedy="Settings, data or code differ from those that made it:"
        f" `pearl reproduce {prefix}` says which, as far as it can.",
    )


def _stored(store: RunStore, runs: tuple[PlannedRun, ...]) -> tuple[StoredRun, ...]:
    return tuple(store.read(run.key) for run in runs if store.has(run.key))
