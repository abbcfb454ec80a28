"""Checksums that a publisher leaves open: recorded at first sight, checked ever after.

A file counts as the publisher's when everything published of it holds and its content passes the
data set's own checks that identify it (schema, rules, the publisher's counts); only then is its
checksum recorded.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from pearl.datasets.dataset import DataSet
from pearl.errors import DataError
from pearl.files import sha256_of, write_text
from pearl.project import Project
from pearl.provenance import FileFacts

FILE_NAME = "checksums.json"
Refuse = Callable[[Path, str], Exception]
"""Makes the error from the file and what is wrong with it."""
_RECORD = TypeAdapter(tuple[FileFacts, ...])


def checked_files(
    project: Project, entry: DataSet, folder: Path, refuse: Refuse
) -> tuple[FileFacts, ...]:
    """Check the publisher's files in a folder and return their facts; reads no network.

    Raises:
        Exception: what `refuse` makes of a file that is missing, differs from what was published
            or from what was first seen, or fails the data set's checks at first sight.
    """
    found = tuple(_facts(folder / file.name, refuse) for file in entry.manifest.files)
    seen = {facts.name: facts for facts in recorded(project, entry)}
    for published, facts in zip(entry.manifest.files, found, strict=True):
        if problem := published.contradiction(facts):
            raise refuse(folder / facts.name, problem)
        first = seen.get(facts.name, facts)
        if first != facts:
            raise refuse(
                folder / facts.name,
                f"sha256 {facts.sha256} ({facts.byte_count} bytes), where {first.sha256} "
                f"({first.byte_count} bytes) was first seen ({record_of(project, entry)})",
            )
    if any(file.facts is None and file.name not in seen for file in entry.manifest.files):
        for check in entry.check_raw(folder, entry.manifest.provenance("hub", found)):
            if check.identifies and not check.passed:
                raise refuse(folder, f"{check.name}: {check.seen}")
        _write(record_of(project, entry), entry, found)
    return found


def known_files(project: Project, entry: DataSet) -> tuple[FileFacts, ...] | None:
    """Return the facts of the publisher's files without looking at them, None if unknown yet."""
    seen = {facts.name: facts for facts in recorded(project, entry)}
    known = [file.facts or seen.get(file.name) for file in entry.manifest.files]
    whole = tuple(facts for facts in known if facts is not None)
    return whole if len(whole) == len(known) else None


def recorded(project: Project, entry: DataSet) -> tuple[FileFacts, ...]:
    """Return what was recorded at first sight; DataError where the record is damaged."""
    file = record_of(project, entry)
    if not file.is_file():
        return ()
    try:
        return _RECORD.validate_json(file.read_bytes())
    except ValidationError as error:
        remedy = f"Delete it: `pearl data fetch {entry.name}` checks the files again."
        raise DataError(file, "no record of checksums", remedy=remedy) from error


def record_of(project: Project, entry: DataSet) -> Path:
    """The record's path: one for each revision, for copies from hub and mirror alike."""
    return downloads(project, entry) / FILE_NAME


def downloads(project: Project, entry: DataSet) -> Path:
    """The folder where downloads of the pinned revision gather, and stay."""
    return project.store / "downloads" / entry.name / entry.manifest.revision


def _facts(file: Path, refuse: Refuse) -> FileFacts:
    if not file.is_file():
        raise refuse(file, "there is no such file")
    return FileFacts(name=file.name, sha256=sha256_of(file), byte_count=file.stat().st_size)


def _write(record: Path, entry: DataSet, found: tuple[FileFacts, ...]) -> None:
    named = [
        facts.model_dump(mode="json")
        for file, facts in zip(entry.manifest.files, found, strict=True)
        if file.facts is None
    ]
    write_text(record, json.dumps(named, indent=2) + "\n")
