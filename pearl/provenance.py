"""Where data comes from: carried beside every table, into every run, under every report."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    ValidationError,
    model_serializer,
)

from pearl.errors import DataError
from pearl.files import write_text

Source = Literal["hub", "mirror", "sample"]
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]

FILE_NAME = "provenance.json"


class FileFacts(BaseModel):
    """One file of a data set: its name, SHA-256 (64 hex digits) and size in bytes."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(min_length=1)
    sha256: Sha256
    byte_count: int = Field(ge=0)


class EmbeddingFacts(BaseModel):
    """What turned texts into vectors: the model, its weights, and how its numbers are rounded."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str = Field(min_length=1)
    weights_sha256: Sha256
    dimension: int = Field(ge=1)
    rounding: str


class Provenance(BaseModel):
    """Everything that says which data a number stands on.

    `rows` counts the publisher's records (requests, conversations). `commercial` says whether the
    licence allows commercial use. `label` is what a table prints beneath itself. `embedding` is
    there only where texts became vectors.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    dataset: str = Field(min_length=1)
    source: Source
    publisher: str
    revision: str
    url: str
    licence: str
    commercial: bool
    files: tuple[FileFacts, ...] = Field(min_length=1)
    rows: int = Field(ge=0)
    label: str
    embedding: EmbeddingFacts | None = None

    @model_serializer(mode="wrap")
    def _without_what_is_absent(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        document: dict[str, Any] = handler(self)
        if document.get("embedding") is None:
            document.pop("embedding", None)
        return document

    @property
    def fingerprint(self) -> str:
        """16 hex digits that name these bytes from this source.

        Hashes the data set, the source, each file's name and SHA-256, and what embedded its texts;
        a new licence text or label doesn't change it.
        """
        identity: dict[str, Any] = {
            "dataset": self.dataset,
            "source": self.source,
            "files": sorted([facts.name, facts.sha256] for facts in self.files),
        }
        if self.embedding is not None:
            identity["embedding"] = self.embedding.model_dump(mode="json")
        canonical = json.dumps(identity, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).hexdigest()[:16]

    def to_json(self) -> str:
        """Return indented JSON, keys sorted, ending in a line feed: the same text everywhere."""
        document = self.model_dump(mode="json")
        return json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Provenance:
        """Read what `to_json` wrote; raises pydantic's ValidationError otherwise."""
        return cls.model_validate_json(text)

    def write(self, folder: Path) -> None:
        """Write `provenance.json` into a data folder."""
        write_text(folder / FILE_NAME, self.to_json())

    @classmethod
    def read(cls, folder: Path, *, remedy: str = "build the data set again") -> Provenance:
        """Read a data folder's `provenance.json`; DataError if it is missing or malformed."""
        file = folder / FILE_NAME
        if not file.is_file():
            raise DataError(file, "there is no such file", remedy=remedy)
        try:
            return cls.from_json(file.read_text(encoding="utf-8"))
        except UnicodeDecodeError as error:
            raise DataError(file, "the file is not UTF-8 text", remedy=remedy) from error
        except ValidationError as error:
            first = error.errors()[0]
            field = ".".join(str(part) for part in first["loc"]) or None
            raise DataError(file, first["msg"], field=field, remedy=remedy) from error
