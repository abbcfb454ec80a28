"""Survey and openings as Parquet tables: what is embedded, and what analyses read."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from pearl.datasets.prism.openings import Openings
from pearl.datasets.prism.slates import LAYOUT_KEY, STATED
from pearl.datasets.prism.survey import Survey
from pearl.errors import DataError
from pearl.files import whole_file

USERS, OPENINGS = "users.parquet", "openings.parquet"
LAYOUT, COUNT_KEY = b"prism openings 1", b"pearl.utterances"
REMEDY = "`pearl data build prism` makes it anew (`dvc repro build@prism` the one in tables/)."


def _list(of: pa.DataType) -> pa.DataType:
    return pa.list_(pa.field("element", of, nullable=False))


USER_SCHEMA = pa.schema(
    [
        pa.field("user_id", pa.string(), nullable=False),
        *(pa.field(name, pa.float64(), nullable=False) for name in STATED),
        pa.field("survey_only", pa.bool_(), nullable=False),
        pa.field("num_completed_conversations", pa.int64(), nullable=False),
    ],
    metadata={LAYOUT_KEY: LAYOUT},
)
OPENING_SCHEMA = pa.schema(
    [
        pa.field("conversation_id", pa.string(), nullable=False),
        pa.field("user", pa.int64(), nullable=False),
        pa.field("conversation_type", pa.string(), nullable=False),
        pa.field("prompt", pa.string(), nullable=False),
        pa.field("responses", _list(pa.string()), nullable=False),
        pa.field("models", _list(pa.string()), nullable=False),
        pa.field("providers", _list(pa.string()), nullable=False),
        pa.field("scores", _list(pa.int64()), nullable=False),
        pa.field("chosen", _list(pa.bool_()), nullable=False),
    ],
    metadata={LAYOUT_KEY: LAYOUT},
)


def write_tables(survey: Survey, openings: Openings, folder: Path) -> None:
    """Write users.parquet, one row a participant, and openings.parquet, one row a conversation."""
    users = pa.table(
        {
            "user_id": list(survey.users),
            **dict(zip(STATED, survey.stated.T, strict=True)),
            "survey_only": survey.survey_only,
            "num_completed_conversations": survey.completed,
        },
        schema=USER_SCHEMA,
    )
    lists = {
        "responses": openings.responses,
        "models": openings.models,
        "providers": openings.providers,
        "scores": openings.scores,
        "chosen": openings.chosen,
    }
    rows = pa.table(
        {
            "conversation_id": list(openings.conversations),
            "user": openings.user,
            "conversation_type": list(openings.types),
            "prompt": list(openings.prompts),
            **{name: _lists(name, values, openings) for name, values in lists.items()},
        },
        schema=OPENING_SCHEMA,
    ).replace_schema_metadata({LAYOUT_KEY: LAYOUT, COUNT_KEY: str(openings.utterances).encode()})
    for name, table in ((USERS, users), (OPENINGS, rows)):
        with whole_file(folder / name) as temporary:
            pq.write_table(table, temporary, compression="zstd")


def read_tables(folder: Path) -> tuple[Survey, Openings]:
    """Read what `write_tables` wrote; DataError where a file is missing, damaged or foreign."""
    users, rows = _read(folder / USERS, USER_SCHEMA), _read(folder / OPENINGS, OPENING_SCHEMA)
    survey = Survey(
        users=tuple(users["user_id"].to_pylist()),
        stated=np.column_stack([users[name].to_numpy() for name in STATED]),
        survey_only=users["survey_only"].to_numpy(),
        completed=users["num_completed_conversations"].to_numpy(),
    )
    columns = {name: rows[name].combine_chunks() for name in OPENING_SCHEMA.names}
    flat = {name: columns[name].flatten() for name in OPENING_SCHEMA.names[4:]}
    openings = Openings(
        conversations=tuple(columns["conversation_id"].to_pylist()),
        user=columns["user"].to_numpy(),
        types=tuple(columns["conversation_type"].to_pylist()),
        prompts=tuple(columns["prompt"].to_pylist()),
        offsets=columns["scores"].offsets.to_numpy().astype(np.int64),
        responses=tuple(flat["responses"].to_pylist()),
        models=tuple(flat["models"].to_pylist()),
        providers=tuple(flat["providers"].to_pylist()),
        scores=flat["scores"].to_numpy(),
        chosen=flat["chosen"].to_numpy(zero_copy_only=False),
        utterances=int((rows.schema.metadata or {}).get(COUNT_KEY, b"0")),
    )
    if len(openings.user) and openings.user.max() >= len(survey.users):
        problem = f"a row of user {openings.user.max()}, where {USERS} has {len(survey.users)}"
        raise DataError(folder / OPENINGS, problem, field="user", remedy=REMEDY)
    return survey, openings


def is_current(folder: Path) -> bool:
    """Say whether a folder holds whole tables in this version's layout (reads footers only)."""
    try:
        for name, schema in ((USERS, USER_SCHEMA), (OPENINGS, OPENING_SCHEMA)):
            _same(folder / name, pq.read_schema(folder / name), schema)
    except (OSError, pa.ArrowInvalid, DataError):
        return False
    return True


def _lists(name: str, values: object, openings: Openings) -> pa.ListArray:
    kind = OPENING_SCHEMA.field(name).type
    return pa.ListArray.from_arrays(
        pa.array(openings.offsets.astype(np.int32)), pa.array(values, kind.value_type), type=kind
    )


def _read(file: Path, schema: pa.Schema) -> pa.Table:
    if not file.is_file():
        raise DataError(file, "there is no such file", remedy=REMEDY)
    try:
        table = pq.read_table(file)
    except (OSError, pa.ArrowException) as error:
        reason = str(error).splitlines()[0]
        raise DataError(file, f"damaged or no Parquet file: {reason}", remedy=REMEDY) from error
    _same(file, table.schema, schema)
    return table


def _same(file: Path, found: pa.Schema, expected: pa.Schema) -> None:
    layout = (found.metadata or {}).get(LAYOUT_KEY)
    if layout != LAYOUT or not found.equals(expected, check_metadata=False):
        problem = f"its columns are not those of {LAYOUT.decode()!r}"
        raise DataError(file, problem, remedy=REMEDY)
