"""An exhibit's values measured in a data set's tables, and written where results go."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pearl.datasets import prepared
from pearl.datasets.sources import SOURCES, explain_source
from pearl.errors import DataError, SettingError
from pearl.experiments import Exhibit, Params, Profile, load_params, profile_of
from pearl.files import write_text
from pearl.project import Project
from pearl.provenance import Provenance
from pearl.runs.code import code_hash
from pearl.runs.measured import Measured
from pearl.words import one_of


def measure(
    project: Project,
    exhibit: Exhibit,
    *,
    profile: str | None = None,
    source: str | None = None,
    stage: bool = False,
    announce: Callable[[str], None] | None = None,
) -> Path:
    """Measure an exhibit and write its file; in store/ what it was measured under stands beside it.

    Args:
        project: where.
        exhibit: one that measures something.
        profile: smoke, sample or paper; params.yaml's by default.
        source: hub, mirror or sample; params.yaml's or the profile's by default.
        stage: read tables/ and write results/, as a DVC stage does; else store/ has both.
        announce: told which source is read, and who chose it, before it is read.

    Raises:
        SettingError: an unknown word, or an exhibit that measures nothing.
        DataError, SourceError: the tables are missing or malformed.
    """
    if exhibit.dataset is None:
        raise SettingError(f"{exhibit.id} measures nothing: it is made of {exhibit.made_of}.")
    if source is not None:
        one_of(source, SOURCES, "source (--source)")
    params = load_params(project)
    chosen = params.profile if profile is None else profile_of(profile)
    choice = explain_source(
        exhibit.dataset, flag=source, params={"sources": params.sources}, profile=chosen
    )
    if announce:
        announce(choice.line)
    if stage:
        folder = project.tables / exhibit.dataset
        remedy = f"Run `dvc repro build@{exhibit.dataset}`."
        provenance = Provenance.read(folder, remedy=remedy)
        if provenance.source != choice.source:
            problem = f"made from source {provenance.source}, where {choice.line}"
            raise DataError(folder, problem, remedy=remedy)
        target = project.results
    else:
        full = chosen == "paper" and choice.source == "sample"
        found = prepared.tables(project, exhibit.dataset, choice.source, full=full)
        folder, provenance = found.folder, found.provenance
        target = project.store / "results" / f"{chosen}-{choice.source}"
    values = exhibit.measured(folder, exhibit.settings(params, chosen, project))
    file = target / f"{exhibit.file_stem}.parquet"
    Measured(exhibit.id, chosen, choice.source, provenance, values).write(file)
    if not stage:
        notes = json.dumps(standing_on(project, exhibit, params, chosen), indent=1, sort_keys=True)
        write_text(notes_file(file), notes + "\n")
    return file


def standing_on(
    project: Project, exhibit: Exhibit, params: Params, profile: Profile
) -> dict[str, Any]:
    """Return what beside the data decides an exhibit's values: its settings and the code."""
    assert exhibit.measure is not None
    settings = exhibit.settings(params, profile, project)
    return {
        "exhibit": exhibit.id,
        "settings": json.loads(json.dumps(settings)),
        "code": code_hash(exhibit.measure),
    }


def notes_file(file: Path) -> Path:
    """Return where the notes of a measured file in store/ stand."""
    return file.with_suffix(".json")
