"""Tables 2 to 4 as the paper prints them, from published/pearl_tables.yaml."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from pearl.words import validated
from pearl.yaml_files import read_mapping

FILE = "pearl_tables.yaml"
SOURCES = ("setting", "field", "fact", "attribute", "planned", "fixed", "dataset")


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class DataSets(_Data):
    """Table 2: what it says of each data set, column by column."""

    columns: tuple[str, ...]
    rows: dict[str, tuple[str, ...]]

    @model_validator(mode="after")
    def _is_a_table(self) -> Self:
        for name, row in self.rows.items():
            if len(row) != len(self.columns):
                raise ValueError(f"{name} has {len(row)} of {len(self.columns)} columns")
        return self


class PrintedMethod(_Data):
    """A row of Table 3; `axes` are what its words mean for each of the registry's `methods`."""

    printed: str
    selection: str
    personalised: bool
    online: bool
    tests: str
    methods: tuple[str, ...] = Field(min_length=1)
    axes: dict[str, Any]


class PrintedSetting(_Data):
    """A row of Table 4, and the one place where ours stands (see the file's words on it).

    `value` is what ours is compared with, a list regardless of its order; `template` shows ours
    where the bare value says too little, `none` where it is null.
    """

    parameter: str
    published: str
    value: Any = None
    template: str = "{}"
    none: str = ""
    setting: str | None = None
    grid: str | None = None
    field: str | None = None
    methods: tuple[str, ...] = ()
    fact: str | None = None
    head: str | None = None
    attribute: str | None = None
    planned: Literal["seeds", "horizon"] | None = None
    fixed: str | None = None
    dataset: Literal[True] | None = None

    @model_validator(mode="after")
    def _stands_in_one_place(self) -> Self:
        named = [name for name in SOURCES if getattr(self, name) is not None]
        if len(named) != 1:
            raise ValueError(f"{self.parameter}: ours stands in one place, not in {named}")
        if (self.value is None) != (self.fixed is not None or self.dataset is not None):
            raise ValueError(f"{self.parameter}: a value to compare with, or fixed words")
        return self


class PrintedTables(_Data):
    """All three tables."""

    datasets: DataSets
    methods: tuple[PrintedMethod, ...]
    configuration: tuple[PrintedSetting, ...]


@cache
def load_printed_tables() -> PrintedTables:
    """Read the file; SettingError where it isn't what it may be."""
    file = resources.files("pearl.report") / "published" / FILE
    return validated(PrintedTables, read_mapping(file), f"published/{FILE}")
