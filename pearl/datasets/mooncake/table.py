"""The trace as a Parquet table: what the environments read."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from pearl.datasets.mooncake.trace import Integers, MooncakeTrace, violations
from pearl.errors import DataError
from pearl.files import SEAL, seal_fault, whole_file
from pearl.provenance import FILE_NAME as PROVENANCE
from pearl.provenance import Provenance

FILE_NAME = "requests.parquet"
LAYOUT_KEY, LAYOUT = b"pearl.table", b"mooncake requests 1"
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
        DataError: the file is missing, damaged, of another layout, breaks a rule of the trace,
            isn't the data that the provenance beside it describes, or isn't what was sealed.
    """
    file, remedy = folder / FILE_NAME, _remedy(folder)
    table = _read(file, remedy)
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
        raise DataError(file, str(error), field="hash_ids", remedy=remedy) from error
    for found in violations(trace):
        problem = f"request {found.row}: {found.problem}"
        raise DataError(file, problem, field=found.field, remedy=remedy)
    if (folder / PROVENANCE).exists() or (folder / SEAL).exists():
        _compare(folder, len(trace), remedy)
    return trace


def is_current(folder: Path) -> bool:
    """Say whether a folder holds a whole table in this version's layout (reads the footer only)."""
    try:
        schema = pq.read_schema(folder / FILE_NAME)
    except (OSError, pa.ArrowInvalid):
        return False
    return bool(schema.equals(SCHEMA, check_metadata=False)) and _layout(schema) == LAYOUT


def _remedy(folder: Path) -> str:
    """Name the commands that mend the table: which one depends on where it stands."""
    source = "hub|mirror|sample"
    with suppress(DataError):
        source = Provenance.read(folder).source
    return (
        f"`pearl data build mooncake --source {source}` mends the store's table, "
        "`dvc repro build@mooncake` the one in tables/."
    )


def _read(file: Path, remedy: str) -> pa.Table:
    if not file.is_file():
        raise DataError(file, "there is no such file", remedy=remedy)
    try:
        table = pq.read_table(file)
    except (OSError, pa.ArrowException) as error:
        reason = str(error).splitlines()[0]
        raise DataError(file, f"damaged or no Parquet file: {reason}", remedy=remedy) from error
    for field in SCHEMA:
        if field.name not in table.schema.names:
            raise DataError(file, "the column is missing", field=field.name, remedy=remedy)
        found = table.schema.field(field.name).type
        if found != field.type:
            problem = f"the column holds {found}, not {field.type}"
            raise DataError(file, problem, field=field.name, remedy=remedy)
        if table[field.name].null_count:
            raise DataError(file, "the column has empty cells", field=field.name, remedy=remedy)
    extra = [name for name in table.schema.names if name not in SCHEMA.names]
    if extra:
        raise DataError(file, "a column that the table doesn't have", field=extra[0], remedy=remedy)
    if (layout := _layout(table.schema)) != LAYOUT:
        problem = f"the table's layout is {layout.decode(errors='replace') or 'unnamed'!r}"
        raise DataError(file, f"{problem}, not {LAYOUT.decode()!r}", remedy=remedy)
    return table


def _compare(folder: Path, rows: int, remedy: str) -> None:
    provenance = Provenance.read(folder, remedy=remedy)
    if provenance.dataset != "mooncake":
        problem = f"it describes {provenance.dataset!r}, not mooncake"
        raise DataError(folder / PROVENANCE, problem, field="dataset", remedy=remedy)
    if provenance.rows != rows:
        problem = f"it says {provenance.rows} requests, the table holds {rows}"
        raise DataError(folder / PROVENANCE, problem, field="rows", remedy=remedy)
    if fault := seal_fault(folder):
        raise DataError(folder, fault, remedy=remedy)


def _layout(schema: pa.Schema) -> bytes:
    return bytes((schema.metadata or {}).get(LAYOUT_KEY, b""))


def _integers(column: pa.ChunkedArray | pa.Array) -> Integers:
    values: Integers = np.ascontiguousarray(column.to_numpy(), dtype=np.int64)
    return values
