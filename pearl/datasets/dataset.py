"""What the rest of the program knows of a data set: a handful of functions and a manifest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pearl.datasets.manifest import Manifest
from pearl.provenance import EmbeddingFacts, Provenance


@dataclass(frozen=True)
class Check:
    """One line of `pearl data verify`: what was checked, whether it holds, what was seen.

    Where a check that `identifies` fails, the files aren't the publisher's; the others check what
    is derived from them.
    """

    name: str
    passed: bool
    seen: str
    identifies: bool = True


@dataclass(frozen=True)
class Comparison:
    """A fact of the sample beside the published one.

    `status` says how the published value is known; `within` is None where it has no tolerance.
    """

    name: str
    published: str
    status: Literal["measured", "exact", "derived", "digitised", "approx"]
    tolerance: str
    sample: str
    within: bool | None


@dataclass(frozen=True)
class FullSample:
    """The sample at the publisher's size: generated when asked for, never committed.

    `version` names the generator's code, so that another version's sample isn't taken for it.
    """

    version: str
    write: Callable[[Path], None]


@dataclass(frozen=True)
class Embedder:
    """What turns a data set's tables into vectors.

    Attributes:
        facts: the model, its weights and the rounding: part of the data's identity.
        embed: reads tables from the first folder, writes vectors into the second, keeps finished
            texts in the third (a cache that outlives a kill), for slates above a spread in points.
        is_current: says whether a folder holds vectors in this version's layout, with slates down
            to a spread in points.
    """

    facts: EmbeddingFacts
    embed: Callable[[Path, Path, Path, int], None]
    is_current: Callable[[Path, int], bool]


@dataclass(frozen=True)
class DataSet:
    """A data set: its publisher's manifest and the functions that read it.

    Attributes:
        manifest: the publisher's facts, from the package.
        build: reads the publisher's files in the first folder, writes typed tables into the
            second, and returns the number of records; DataError on anything malformed.
        is_current: says whether a folder holds whole tables in this version's layout.
        check_raw: checks the publisher's files in a folder beyond their checksums, against the
            facts of the provenance's source.
        check_tables: checks that the tables in the second folder say what the files in the first
            one say.
        write_sample: writes the sample and its manifest into a folder, the same bytes everywhere.
        compare: the facts of the sample in a folder beside the published ones; where it is absent
            the manifests' statistics are compared.
        full_sample: the sample at full size, where the generator knows it.
        embedder: what embeds the tables, where texts have to become vectors.
    """

    manifest: Manifest
    build: Callable[[Path, Path], int]
    is_current: Callable[[Path], bool]
    check_raw: Callable[[Path, Provenance], list[Check]]
    check_tables: Callable[[Path, Path], list[Check]]
    write_sample: Callable[[Path], None]
    compare: Callable[[Path], list[Comparison]] | None = None
    full_sample: FullSample | None = None
    embedder: Embedder | None = None

    @property
    def name(self) -> str:
        """The name that commands, settings and folders use."""
        return self.manifest.dataset
