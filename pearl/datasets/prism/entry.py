"""PRISM as a data set: what the registry holds of it."""

from __future__ import annotations

import hashlib
from dataclasses import fields
from importlib import resources
from pathlib import Path

import numpy as np

from pearl.datasets.dataset import Check, DataSet, Embedder, FullSample
from pearl.datasets.embedding.model import FACTS
from pearl.datasets.manifest import FILE_NAME as MANIFEST
from pearl.datasets.manifest import Manifest, parse
from pearl.datasets.prism import embedded
from pearl.datasets.prism.compared import compare
from pearl.datasets.prism.openings import Openings, counts
from pearl.datasets.prism.statistics import statistics
from pearl.datasets.prism.survey import FILE_NAME as SURVEY
from pearl.datasets.prism.survey import Survey, read_survey
from pearl.datasets.prism.tables import is_current, read_tables, write_tables
from pearl.datasets.prism.utterances import FILE_NAME as UTTERANCES
from pearl.datasets.prism.utterances import read_openings
from pearl.errors import DataError
from pearl.provenance import Provenance

PACKAGE = resources.files(__package__)
TEXT = PACKAGE.joinpath(MANIFEST).read_text(encoding="utf-8")
MEASURES = ("moments.py", "phrasing.py", "statistics.py")
PRINTED = (
    *("survey_users", "users_with_conversations", "utterances"),
    *("opening_utterances", "conversations"),
)
"""Counts that the publisher prints; the others of its manifest are derived, or another paper's."""
REMEDY = "Install pearl-bandits anew."
PUBLISHED: Manifest = parse(Path(MANIFEST), TEXT.encode(), remedy=REMEDY)


def read(raw: Path) -> tuple[Survey, Openings]:
    """Read the publisher's two files of a folder; DataError on anything malformed."""
    survey = read_survey(raw / SURVEY)
    return survey, read_openings(raw / UTTERANCES, survey)


def build(raw: Path, tables: Path) -> int:
    """Read the publisher's files and write the tables; return the number of utterances."""
    survey, openings = read(raw)
    write_tables(survey, openings, tables)
    return openings.utterances


def check_raw(raw: Path, provenance: Provenance) -> list[Check]:
    """Check every rule of the files, and the counts that the protocol stands on.

    The published counts are asked of the publisher's files alone; a sample is held to its own
    number of records, and its counts are shown.
    """
    name = "every line and rule of survey.jsonl and utterances.jsonl"
    try:
        survey, openings = read(raw)
    except DataError as error:
        return [Check(name, False, str(error))]
    found = counts(openings, len(survey.users))
    seen = f"{len(survey.users):,} participants, {openings.utterances:,} utterances"
    checks = [Check(name, True, seen)]
    if provenance.source == "sample":
        return checks + _sample_checks(raw, found, provenance.rows)
    for fact, published in PUBLISHED.statistics.items():
        count, said = found[fact], f"{found[fact]:,}"
        if fact == "retained_slates":
            said += f" ({len(openings.retained(29)):,} with those of exactly 30 points)"
        named = f"{published:,} {_words(fact)}"
        checks.append(Check(named, count == published, said, identifies=fact in PRINTED))
    return checks


def _sample_checks(raw: Path, found: dict[str, int], rows: int) -> list[Check]:
    told = ", ".join(f"{_words(fact)} {count:,}" for fact, count in found.items())
    note = "the published counts are the publisher's data's alone"
    checks = [
        Check(f"{rows:,} utterances", found["utterances"] == rows, f"{found['utterances']:,}"),
        Check("opening slates of the sample", True, f"{told} ({note})"),
    ]
    manifest = raw / MANIFEST
    if manifest.is_file():
        sample = parse(manifest, manifest.read_bytes(), remedy=REMEDY).sample
        measured, held = statistics(raw), sample.statistics if sample else {}
        differ = [fact for fact, value in held.items() if measured.get(fact) != value]
        seen = f"differs in {', '.join(differ)}" if differ else f"{len(held)} facts measured again"
        checks.append(Check("the statistics that its manifest names", not differ, seen))
    return checks


def check_tables(raw: Path, tables: Path) -> list[Check]:
    """Check that the tables say what the publisher's files say."""
    name = "the tables equal the publisher's files"
    try:
        written, found = read(raw), read_tables(tables)
    except DataError as error:
        return [Check(name, False, str(error))]
    pairs: list[tuple[Survey | Openings, Survey | Openings]] = list(
        zip(written, found, strict=True)
    )
    differ = [
        field.name
        for one, other in pairs
        for field in fields(one)
        if not np.array_equal(getattr(one, field.name), getattr(other, field.name))
    ]
    seen = f"differs in {', '.join(differ)}" if differ else f"{found[1].utterances:,} utterances"
    return [Check(name, not differ, seen)]


def write_sample(folder: Path) -> None:
    """Write samples/prism anew."""
    from pearl.datasets.prism import sample

    sample.write_sample(folder, TEXT)


def write_full_sample(folder: Path) -> None:
    """Write the sample at the publisher's size."""
    from pearl.datasets.prism import sample

    sample.write_sample(folder, TEXT, full=True)


def _generator_version() -> str:
    """Name the generator's code and data, and what measures it: 16 hex digits."""
    digest = hashlib.sha256(TEXT.encode())
    files = [*PACKAGE.joinpath("sample").iterdir(), *map(PACKAGE.joinpath, MEASURES)]
    for file in sorted(files, key=lambda file: file.name):
        if file.name.endswith((".py", ".yaml")):
            digest.update(f"{file.name}\0".encode() + file.read_bytes())
    return digest.hexdigest()[:16]


def _words(fact: str) -> str:
    return fact.replace("_", " ")


PRISM = DataSet(
    manifest=PUBLISHED,
    build=build,
    is_current=is_current,
    check_raw=check_raw,
    check_tables=check_tables,
    write_sample=write_sample,
    compare=compare,
    full_sample=FullSample(version=_generator_version(), write=write_full_sample),
    embedder=Embedder(facts=FACTS, embed=embedded.embed, is_current=embedded.is_current),
)
