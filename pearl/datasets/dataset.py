"""What the rest of the program knows of a data set: a handful of functions and a manifest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pearl.datasets.manifest import Manifest


@dataclass(frozen=True)
class Check:
    """One line of `pearl data verify`: what was checked, whether it holds, what was seen."""

    name: str
    passed: bool
    seen: str


@dataclass(frozen=True)
class DataSet:
    """A data set: its publisher's manifest and the functions that read it.

    Attributes:
        manifest: the publisher's facts, from the package.
        build: reads the publisher's files in the first folder, writes typed tables into the
            second, and returns the number of records; DataError on anything malformed.
        is_current: says whether a folder holds whole tables in this version's layout.
        check_raw: checks the publisher's files in a folder beyond their checksums; the number is
            that of the records that its manifest names.
        check_tables: checks that the tables in the second folder say what the files in the first
            one say.
        write_sample: writes the sample and its manifest into a folder, the same bytes everywhere.
    """

    manifest: Manifest
    build: Callable[[Path, Path], int]
    is_current: Callable[[Path], bool]
    check_raw: Callable[[Path, int], list[Check]]
    check_tables: Callable[[Path, Path], list[Check]]
    write_sample: Callable[[Path], None]

    @property
    def name(self) -> str:
        """The name that commands, settings and folders use."""
        return self.manifest.dataset
