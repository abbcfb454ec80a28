"""The trace as a Parquet table: what the environments read."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from pearl.datasets.mooncake.trace import Integers, MooncakeTrace, violations
from pearl.errors import DataError
from pearl.files import whole_file
from pearl.provenance import FILE_NAME as PROVENANCE
from pearl.provenance import Provenance

FILE_NAME = "requests.parquet"
LAYOUT_KEY, LAYOUT = b"pearl.table", b"mooncake requests 1"
REMEDY = "Build the table anew: `pearl data build mooncake`, or `dvc repro` for the folder tables/."
SCHEMA = pa.schema(
    [
        pa.field("timestamp", pa.int64(), nullable=False),
        pa.field("input_length", pa.int64(), nullable=False),
        pa.field("output_length", pa.int64(), nullable=False),
        pa.field(
            "hash_ids", pa.list_(pa.field("element", pa.int64(), nullable=False)), nullable=False
        ),
    ],
    metadata={LAYOUT_KEY: LAYOUT},
)


def write_table(trace: MooncakeTrace, folder: Path) -> None:
    """Write `requests.parquet` into a folder: one row a request, the publisher's column names."""
    ids = pa.ListArray.from_arrays(
        pa.array(trace.offsets.astype(np.int32)), pa.array(trace.blocks), type=SCHEMA.types[3]
    )
    columns = [trace.timestamp, trace.input_length, trace.output_length, ids]
    table = pa.Table.from_arrays([pa.array(column) for column in columns], schema=SCHEMA)
    with whole_file(folder / FILE_NAME) as temporary:
        pq.write_table(table, temporary, compression="zstd", row_group_size=1 << 20)


def read_table(folder: Path) -> MooncakeTrace:
    """Read what `write_table` wrote, checked again.

    Raises:
        DataError: the file is missing, damaged, of another layout, breaks a rule of the trace, or
            isn't the data that the provenance beside it describes.
    """
    file = folder / FILE_NAME
    table = _read(file)
    columns = {name: _integers(table[name]) for name in SCHEMA.names[:3]}
    ids = table["hash_ids"].combine_chunks()
    ids = ids.chunk(0) if isinstance(ids, pa.ChunkedArray) else ids
    try:
        trace = MooncakeTrace(
            **columns,
            offsets=ids.offsets.to_numpy().astype(np.int64),
            blocks=_integers(ids.values),
        )
    except ValueError as error:
        raise DataError(file, str(error), field="hash_ids", remedy=REMEDY) from error
    for found in violations(trace):
        problem = f"request {found.row}: {found.problem}"
        raise DataError(file, problem, field=found.field, remedy=REMEDY)
    if (folder / PROVENANCE).exists():
        _compare(folder, len(trace))
    return trace


def is_current(folder: Path) -> bool:
    """Say whether a folder holds a whole table in this version's layout (reads the footer only)."""
    try:
        schema = pq.read_schema(folder / FILE_NAME)
    except (OSError, pa.ArrowInvalid):
        return False
    return bool(schema.equals(SCHEMA, check_metadata=False)) and _layout(schema) == LAYOUT


def _read(file: Path) -> pa.Table:
    if not file.is_file():
        raise DataError(file, "there is no such file", remedy=REMEDY)
    try:
        table = pq.read_table(file)
    except (OSError, pa.ArrowException) as error:
        reason = str(error).splitlines()[0]
        raise DataError(file, f"damaged or no Parquet file: {reason}", remedy=REMEDY) from error
    for field in SCHEMA:
        if field.name not in table.schema.names:
            raise DataError(file, "the column is missing", field=field.name, remedy=REMEDY)
        found = table.schema.field(field.name).type
        if found != field.type:
            problem = f"the column holds {found}, not {field.type}"
            raise DataError(file, problem, field=field.name, remedy=REMEDY)
        if table[field.name].null_count:
            raise DataError(file, "the column has empty cells", field=field.name, remedy=REMEDY)
    extra = [name for name in table.schema.names if name not in SCHEMA.names]
    if extra:
        raise DataError(file, "a column that the table doesn't have", field=extra[0], remedy=REMEDY)
    if (layout := _layout(table.schema)) != LAYOUT:
        problem = f"the table's layout is {layout.decode(errors='replace') or 'unnamed'!r}"
        raise DataError(file, f"{problem}, not {LAYOUT.decode()!r}", remedy=REMEDY)
    return table


def _compare(folder: Path, rows: int) -> None:
    provenance = Provenance.read(folder, remedy=REMEDY)
    if provenance.dataset != "mooncake":
        problem = f"it describes {provenance.dataset!r}, not mooncake"
        raise DataError(folder / PROVENANCE, problem, field="dataset", remedy=REMEDY)
    if provenance.rows != rows:
        problem = f"it says {provenance.rows} requests, the table holds {rows}"
        raise DataError(folder / PROVENANCE, problem, field="rows", remedy=REMEDY)


def _layout(schema: pa.Schema) -> bytes:
    return bytes((schema.metadata or {}).get(LAYOUT_KEY, b""))


def _integers(column: pa.ChunkedArray | pa.Array) -> Integers:
    values: Integers = np.ascontiguousarray(column.to_numpy(), dtype=np.int64)
    return values
