"""A data set's manifest: what its publisher published, and what the committed sample holds."""

from __future__ import annotations

from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pearl.errors import DataError
from pearl.provenance import FileFacts, Provenance, Source
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
    files: tuple[FileFacts, ...] = Field(min_length=1)
    statistics: Statistics
    sample: SampleFacts | None = None

    def provenance(self, source: Source) -> Provenance:
        """What a folder of this data set from this source carries beside it.

        The mirror holds the publisher's own files, so only its `source` and label differ from the
        hub's. Raises ValueError for the sample of a manifest that names none.
        """
        if source != "sample":
            return Provenance(
                dataset=self.dataset,
                source=source,
                publisher=self.publisher,
                revision=self.revision,
                url=self.url,
                licence=self.licence,
                commercial=self.commercial,
                files=self.files,
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
