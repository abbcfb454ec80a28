"""A data set's manifest: what its publisher published, and what the committed sample holds."""

from __future__ import annotations

from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pearl.errors import DataError
from pearl.provenance import FileFacts, Provenance, Sha256, Source
from pearl.yaml_files import mapping_of

FILE_NAME = "manifest.yaml"

Statistics = dict[str, int | float]


class SampleFacts(BaseModel):
    """The sample that pearl's generator makes in the publisher's schema.

    `label` is what every table prints beneath numbers that stand on it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    label: str
    generator: str
    seed: int = Field(ge=0)
    licence: str
    rows: int = Field(ge=1)
    files: tuple[FileFacts, ...] = Field(min_length=1)
    statistics: Statistics


class PublishedFile(BaseModel):
    """One file as its publisher tells of it; None where it publishes no checksum or size.

    What isn't published is recorded when the file is first seen and passes every other check.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(min_length=1)
    sha256: Sha256 | None = None
    byte_count: int | None = Field(default=None, ge=0)

    @property
    def facts(self) -> FileFacts | None:
        """The whole facts, or None where the publisher leaves some of them open."""
        if self.sha256 is None or self.byte_count is None:
            return None
        return FileFacts(name=self.name, sha256=self.sha256, byte_count=self.byte_count)

    def contradiction(self, found: FileFacts) -> str:
        """Say in what a file differs from what was published of it; nothing ("") if it doesn't."""
        same = self.sha256 in (None, found.sha256) and self.byte_count in (None, found.byte_count)
        if same:
            return ""
        size = "" if self.byte_count is None else f" ({self.byte_count} bytes)"
        return (
            f"sha256 {found.sha256} ({found.byte_count} bytes), where the manifest names "
            f"{self.sha256 or 'none'}{size}"
        )


class Manifest(BaseModel):
    """The publisher's facts, and the sample's where there is one.

    `url` is the folder over HTTPS that holds `files` at the pinned `revision`; `rows` counts the
    publisher's records; `statistics` were measured on the publisher's file.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    dataset: str
    title: str
    publisher: str
    homepage: str
    licence: str
    commercial: bool
    revision: str = Field(pattern=r"^[0-9a-f]{40}$")
    url: str = Field(pattern=r"^https://")
    rows: int = Field(ge=1)
    files: tuple[PublishedFile, ...] = Field(min_length=1)
    statistics: Statistics
    sample: SampleFacts | None = None

    def provenance(self, source: Source, files: tuple[FileFacts, ...] | None = None) -> Provenance:
        """What a folder of this data set from this source carries beside it.

        The mirror holds the publisher's own files, so only its `source` and label differ from the
        hub's. `files` are the files as they were found: they are needed where the publisher leaves
        a checksum open. Raises ValueError without them there, and for the sample of a manifest
        that names none.
        """
        if source != "sample":
            known = files or tuple(f for f in (p.facts for p in self.files) if f is not None)
            if len(known) != len(self.files):
                raise ValueError(f"the manifest of {self.dataset} leaves a checksum open")
            return Provenance(
                dataset=self.dataset,
                source=source,
                publisher=self.publisher,
                revision=self.revision,
                url=self.url,
                licence=self.licence,
                commercial=self.commercial,
                files=known,
                rows=self.rows,
                label=f"{self.title} ({source})",
            )
        if self.sample is None:
            raise ValueError(f"the manifest of {self.dataset} names no sample")
        return Provenance(
            dataset=self.dataset,
            source="sample",
            publisher=f"pearl's generator ({self.sample.generator})",
            revision=f"seed {self.sample.seed}",
            url="",
            licence=self.sample.licence,
            commercial=True,
            files=self.sample.files,
            rows=self.sample.rows,
            label=self.sample.label,
        )


def parse(file: Path, content: bytes, *, remedy: str) -> Manifest:
    """Read a manifest's bytes; DataError names the line or the field that is wrong."""

    def refuse(problem: str, line: int | None) -> DataError:
        return DataError(file, problem, line=line, remedy=remedy)

    document = mapping_of(content, refuse)
    try:
        return Manifest.model_validate(document)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"]) or None
        raise DataError(file, first["msg"], field=field, remedy=remedy) from error


def with_sample(publisher_text: str, sample: SampleFacts) -> str:
    """Return the text of a sample's manifest: the publisher's, then the sample's own facts."""
    document = {"sample": sample.model_dump(mode="json")}
    facts = yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=1000)
    return f"{publisher_text}\n# What stands beside this file.\n{facts}"
