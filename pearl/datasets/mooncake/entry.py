"""The Mooncake trace as a data set: what the registry holds of it."""

from __future__ import annotations

from dataclasses import fields
from importlib import resources
from pathlib import Path

import numpy as np

from pearl.datasets.dataset import Check, DataSet
from pearl.datasets.manifest import FILE_NAME as MANIFEST
from pearl.datasets.manifest import parse
from pearl.datasets.mooncake import sample
from pearl.datasets.mooncake.jsonl import read_jsonl
from pearl.datasets.mooncake.table import is_current, read_table, write_table
from pearl.datasets.mooncake.trace import MooncakeTrace, new_block_order_holds
from pearl.errors import DataError
from pearl.provenance import Provenance

FILE_NAME = "conversation_trace.jsonl"
TEXT = resources.files(__package__).joinpath(MANIFEST).read_text(encoding="utf-8")


def build(raw: Path, tables: Path) -> int:
    """Read the publisher's file and write the table; return the number of requests."""
    trace = read_jsonl(raw / FILE_NAME)
    write_table(trace, tables)
    return len(trace)


def check_raw(raw: Path, provenance: Provenance) -> list[Check]:
    """Check every rule of the trace, its number of requests and the numbering of block ids."""
    try:
        trace = read_jsonl(raw / FILE_NAME)
    except DataError as error:
        return [Check("every line and rule of the trace", False, str(error))]
    rows = provenance.rows
    seen = f"{len(trace.blocks):,} prefix-chained block references"
    order = new_block_order_holds(trace)
    gap = "no gap" if order else "a gap or a later id before an earlier one"
    return [
        Check("every line and rule of the trace", True, seen),
        Check(f"{rows:,} requests", len(trace) == rows, f"{len(trace):,}"),
        Check("block ids numbered in order of first appearance", order, gap),
    ]


def check_tables(raw: Path, tables: Path) -> list[Check]:
    """Check that the table says what the publisher's file says."""
    name = "the table equals the publisher's file"
    try:
        written, read = read_jsonl(raw / FILE_NAME), read_table(tables)
    except DataError as error:
        return [Check(name, False, str(error))]
    differ = [
        field.name
        for field in fields(MooncakeTrace)
        if not np.array_equal(getattr(written, field.name), getattr(read, field.name))
    ]
    seen = f"differs in {', '.join(differ)}" if differ else f"{len(read):,} requests"
    return [Check(name, not differ, seen)]


def write_sample(folder: Path) -> None:
    """Write samples/mooncake anew."""
    sample.write_sample(folder, TEXT)


MOONCAKE = DataSet(
    manifest=parse(Path(MANIFEST), TEXT.encode(), remedy="Install pearl-bandits anew."),
    build=build,
    is_current=is_current,
    check_raw=check_raw,
    check_tables=check_tables,
    write_sample=write_sample,
)
