"""Embedded slates: four rated responses to an opening prompt, each as a row of unit vectors."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from pearl.errors import DataError
from pearl.files import seal_fault
from pearl.provenance import FILE_NAME as PROVENANCE
from pearl.provenance import Provenance

USERS, SLATES, EMBEDDINGS = "users.parquet", "slates.parquet", "embeddings.npy"
STATED = (
    "values",
    "creativity",
    "fluency",
    "factuality",
    "diversity",
    "safety",
    "personalisation",
    "helpfulness",
)
"""The eight stated preferences, in the publisher's order; `other` isn't one of them."""
SLATE_SIZE = 4
EMBEDDED_ABOVE = (10, 20, 30)
"""The points that params.yaml's `embeddings.min_spread` may stand for, ascending."""
UNIT_TOLERANCE = 1e-5
LAYOUT_KEY, LAYOUT, SPREAD_KEY = b"pearl.table", b"prism slates 1", b"pearl.min_spread"
_REMEDY = "`pearl data embed prism` makes it anew (`dvc repro embed@prism` the one in embeddings/)."


def _list(of: pa.DataType) -> pa.DataType:
    return pa.list_(pa.field("element", of, nullable=False))


USER_SCHEMA = pa.schema(
    [
        pa.field("user_id", pa.string(), nullable=False),
        *(pa.field(name, pa.float64(), nullable=False) for name in STATED),
    ]
)
SLATE_SCHEMA = pa.schema(
    [
        pa.field("conversation_id", pa.string(), nullable=False),
        pa.field("user", pa.int32(), nullable=False),
        pa.field("conversation_type", pa.string(), nullable=False),
        pa.field("spread", pa.int32(), nullable=False),
        pa.field("scores", _list(pa.int32()), nullable=False),
        pa.field("models", _list(pa.string()), nullable=False),
        pa.field("responses", _list(pa.int32()), nullable=False),
    ]
)


@dataclass(frozen=True, eq=False)
class Slates:
    """The retained slates of U users, in the publisher's order of conversations.

    Attributes:
        users: U user ids, those with at least one retained slate, in the survey's order.
        stated: float64[U, 8] stated preferences, 0-100 as published, columns as `STATED`.
        conversations: N conversation ids.
        user: int64[N], row of `users`.
        scores: int64[N, 4], raw scores 1-100.
        arms: int64[N, 4], rows of `embeddings`.
        embeddings: float32[M, Z], one row a distinct text; unit norm to 1e-5.
    """

    users: tuple[str, ...]
    stated: NDArray[np.float64]
    conversations: tuple[str, ...]
    user: NDArray[np.int64]
    scores: NDArray[np.int64]
    arms: NDArray[np.int64]
    embeddings: NDArray[np.float32]


def read_slates(folder: Path, *, min_spread: int = 30) -> Slates:
    """Read the slates whose highest score exceeds the lowest by more than `min_spread`.

    What is returned doesn't depend on the threshold that the folder was embedded with.

    Args:
        folder: what `pearl data embed prism` made.
        min_spread: in whole points of the scale 1-100.

    Raises:
        DataError: a file is missing, damaged, or not as it was sealed; a value is out of range; or
            the folder was embedded with a higher threshold, so that slates would be missing.
    """
    users, slates = _table(folder / USERS, USER_SCHEMA), _table(folder / SLATES, SLATE_SCHEMA)
    embeddings = _embeddings(folder / EMBEDDINGS)
    if fault := seal_fault(folder):
        raise DataError(folder, fault, remedy=_REMEDY)
    found = Provenance.read(folder, remedy=_REMEDY).dataset
    if found != "prism":
        problem = f"it describes {found!r}, not prism"
        raise DataError(folder / PROVENANCE, problem, field="dataset", remedy=_REMEDY)
    held = _held_spread(folder / SLATES, slates.schema)
    if held > min_spread:
        raise DataError(
            folder / SLATES,
            f"it holds only slates with a spread above {held} points, where {min_spread} is asked",
            field="spread",
            remedy=_wider(min_spread),
        )
    stated = np.column_stack([users[name].to_numpy() for name in STATED]).astype(np.float64)
    user = _integers(slates["user"], (len(slates),), folder, "user", 0, len(users) - 1)
    size = (len(slates), SLATE_SIZE)
    scores = _integers(slates["scores"], size, folder, "scores", 1, 100)
    arms = _integers(slates["responses"], size, folder, "responses", 0, len(embeddings) - 1)
    spread = _integers(slates["spread"], (len(slates),), folder, "spread", 0, 99)
    if not np.array_equal(spread, scores.max(axis=1) - scores.min(axis=1)):
        problem = "a spread isn't the highest score minus the lowest"
        raise DataError(folder / SLATES, problem, field="spread", remedy=_REMEDY)
    keep = np.flatnonzero(spread > min_spread)
    if not len(keep):
        problem = f"no slate has a spread above {min_spread} points"
        remedy = "Ask for a smaller min_spread."
        raise DataError(folder / SLATES, problem, field="spread", remedy=remedy)
    used, user = np.unique(user[keep], return_inverse=True)
    texts, arms = _renumbered(arms[keep])
    ids, conversations = users["user_id"].to_pylist(), slates["conversation_id"].to_pylist()
    return Slates(
        users=tuple(ids[row] for row in used),
        stated=np.ascontiguousarray(stated[used]),
        conversations=tuple(conversations[row] for row in keep),
        user=user.astype(np.int64),
        scores=np.ascontiguousarray(scores[keep]),
        arms=arms,
        embeddings=np.ascontiguousarray(embeddings[texts]),
    )


def _wider(points: int) -> str:
    """Say which of the spreads that can be embedded holds the slates asked for."""
    enough = [least for least in EMBEDDED_ABOVE if least <= points]
    if not enough:
        least = EMBEDDED_ABOVE[0] / 100
        return f"Ask for a min_spread of {least:g} or more: below it nothing is embedded."
    return f"Set `embeddings.min_spread: {enough[-1] / 100:g}` in params.yaml. {_REMEDY}"


def _renumbered(arms: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the rows in use, in order of first appearance, and `arms` as places among them."""
    rows, first, which = np.unique(arms, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return rows[order], place[which].reshape(arms.shape)


def _table(file: Path, schema: pa.Schema) -> pa.Table:
    if not file.is_file():
        raise DataError(file, "there is no such file", remedy=_REMEDY)
    try:
        table = pq.read_table(file)
    except (OSError, pa.ArrowException) as error:
        reason = str(error).splitlines()[0]
        raise DataError(file, f"damaged or no Parquet file: {reason}", remedy=_REMEDY) from error
    if not table.schema.equals(schema, check_metadata=False):
        problem = f"its columns are not those of {LAYOUT.decode()!r}"
        raise DataError(file, problem, remedy=_REMEDY)
    return table


def _held_spread(file: Path, schema: pa.Schema) -> int:
    metadata = schema.metadata or {}
    held = metadata.get(SPREAD_KEY, b"")
    if metadata.get(LAYOUT_KEY) != LAYOUT or not held.isdigit():
        problem = f"its layout isn't {LAYOUT.decode()!r}"
        raise DataError(file, problem, remedy=_REMEDY)
    return int(held)


def _integers(
    column: pa.ChunkedArray,
    shape: tuple[int, ...],
    folder: Path,
    field: str,
    least: int,
    most: int,
) -> NDArray[np.int64]:
    """Return a column of whole numbers, one or SLATE_SIZE a row; DataError out of range."""
    lists = len(shape) == 2
    values = column.combine_chunks()
    flat = (values.flatten() if lists else values).to_numpy(zero_copy_only=False)
    lengths = np.diff(values.offsets.to_numpy()) if lists else np.empty(0, dtype=np.int64)
    if lists and not (lengths == SLATE_SIZE).all():
        problem = f"a slate that doesn't hold {SLATE_SIZE}"
        raise DataError(folder / SLATES, problem, field=field, remedy=_REMEDY)
    if len(flat) and (flat.min() < least or flat.max() > most):
        problem = f"a value outside {least}-{most}"
        raise DataError(folder / SLATES, problem, field=field, remedy=_REMEDY)
    whole: NDArray[np.int64] = flat.astype(np.int64).reshape(shape)
    return whole


def _embeddings(file: Path) -> NDArray[np.float32]:
    if not file.is_file():
        raise DataError(file, "there is no such file", remedy=_REMEDY)
    try:
        found = np.load(file, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise DataError(file, "damaged or no NumPy file", remedy=_REMEDY) from error
    if found.ndim != 2 or found.dtype != np.float32:
        problem = f"it holds {found.dtype} of shape {found.shape}, not float32 rows"
        raise DataError(file, problem, remedy=_REMEDY)
    norms = np.sqrt(np.square(found.astype(np.float64)).sum(axis=1))
    if not (np.abs(norms - 1.0) <= UNIT_TOLERANCE).all():
        problem = f"a row isn't of unit norm to {UNIT_TOLERANCE:g}"
        raise DataError(file, problem, remedy=_REMEDY)
    rows: NDArray[np.float32] = found
    return rows
