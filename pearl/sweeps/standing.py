"""Where the results stand that the settings name now: DVC's file, else what `pearl run` left."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pyarrow as pa
import pyarrow.parquet as pq

from pearl.datasets.prepared import identity
from pearl.errors import DataError, PearlError
from pearl.experiments import Exhibit, Experiment, Params
from pearl.project import Project
from pearl.provenance import Provenance
from pearl.runs.measured import Measured
from pearl.runs.spec import NO_DATA
from pearl.sweeps.measuring import notes_file, standing_on
from pearl.sweeps.product import Setting

By = Literal["dvc", "run"]
OTHER = "of other settings, data or code"


@dataclass(frozen=True)
class Standing:
    """One experiment's or exhibit's results under the settings as they are now.

    `file` is None where nothing can be shown; `left` then says what is there instead, "" where
    nothing is. `present` of `named` runs are in the file; an exhibit has none.
    """

    id: str
    file: Path | None
    by: By | None = None
    present: int = 0
    named: int = 0
    left: str = ""


def standing(project: Project, shown: Experiment | Exhibit, params: Params) -> Standing:
    """Look in results/, then in store/results/ of params.yaml's own profile and source.

    A file counts if the settings, the data and the code name all that it holds. Where the data's
    own files are gone, or an exhibit's settings stand nowhere, DVC's file is taken at its word.

    Args:
        project: where.
        shown: an experiment, not under any profile yet, or an exhibit that measures something.
        params: params.yaml.
    """
    if isinstance(shown, Exhibit):
        return _of_exhibit(project, shown, params)
    return _of_experiment(project, shown, params)


def _of_experiment(project: Project, experiment: Experiment, params: Params) -> Standing:
    setting = Setting.of(project, experiment.id, params.profile)
    choice = setting.choice(None)
    source = NO_DATA if choice is None else choice.source
    there = _there(project, experiment.file_stem, params.profile, source)
    if not there:
        return Standing(experiment.id, None)
    try:
        data = setting.data_identity(None)
    except PearlError as error:
        by, file = there[0]
        if by == "dvc":
            return Standing(experiment.id, file, by)
        return Standing(experiment.id, None, left=f"of data that isn't here: {error.problem}")
    named = {run.key for run in setting.runs(data, setting.experiment.seed_list())}
    for by, file in there:
        keys = _keys(file)
        if keys and keys <= named:
            return Standing(experiment.id, file, by, len(keys), len(named))
    return Standing(experiment.id, None, left=OTHER)


def _of_exhibit(project: Project, exhibit: Exhibit, params: Params) -> Standing:
    assert exhibit.dataset is not None
    source = params.source(exhibit.dataset).source
    there = _there(project, exhibit.file_stem, params.profile, source)
    if not there:
        return Standing(exhibit.id, None)
    data: Provenance | None = None
    with suppress(PearlError):
        full = params.profile == "paper" and source == "sample"
        data = identity(project, exhibit.dataset, source, full=full)
    for by, file in there:
        found = Measured.read(file)
        if (found.profile, found.source) != (params.profile, source):
            continue
        if data is not None and found.provenance.files != data.files:
            continue
        if by == "dvc" or (data is not None and _is_noted(project, exhibit, params, file)):
            return Standing(exhibit.id, file, by)
    return Standing(exhibit.id, None, left=OTHER)


def _is_noted(project: Project, exhibit: Exhibit, params: Params, file: Path) -> bool:
    """Say whether a measured file was made under the settings and by the code of now."""
    notes = notes_file(file)
    if not notes.is_file():
        return False
    said = json.loads(notes.read_text(encoding="utf-8"))
    return bool(said == standing_on(project, exhibit, params, params.profile))


def _keys(file: Path) -> set[str]:
    try:
        return set(pq.read_table(file, columns=["key"])["key"].to_pylist())
    except (pa.ArrowInvalid, OSError) as error:
        remedy = "Make it again with `dvc repro` or `pearl run`."
        raise DataError(file, f"not readable as Parquet: {error}", remedy=remedy) from error


def _there(project: Project, stem: str, profile: str, source: str) -> list[tuple[By, Path]]:
    name, variant = f"{stem}.parquet", f"{profile}-{source}"
    places: list[tuple[By, Path]] = [
        ("dvc", project.results / name),
        ("run", project.store / "results" / variant / name),
    ]
    return [(by, file) for by, file in places if file.is_file()]
