"""Write the folder that `read_slates` reads."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from pearl.datasets.prism.slates import (
    EMBEDDINGS,
    LAYOUT,
    LAYOUT_KEY,
    SLATE_SCHEMA,
    SLATES,
    SPREAD_KEY,
    STATED,
    USER_SCHEMA,
    USERS,
)
from pearl.files import whole_file


def write_slates(
    folder: Path,
    *,
    users: Sequence[str],
    stated: NDArray[np.float64],
    conversations: Sequence[str],
    types: Sequence[str],
    user: NDArray[np.int64],
    scores: NDArray[np.int64],
    models: Sequence[Sequence[str]],
    arms: NDArray[np.int64],
    embeddings: NDArray[np.float32],
    min_spread: int,
) -> None:
    """Write users.parquet, slates.parquet and embeddings.npy; shapes as in `Slates`.

    `min_spread` says that every slate with a higher spread is here, in whole points. Provenance
    and seal are the caller's.
    """
    preferences = dict(zip(STATED, stated.T, strict=True))
    written = pa.table({"user_id": list(users), **preferences}, schema=USER_SCHEMA)
    spread = scores.max(axis=1) - scores.min(axis=1)
    slates = pa.table(
        {
            "conversation_id": list(conversations),
            "user": user.astype(np.int32),
            "conversation_type": list(types),
            "spread": spread.astype(np.int32),
            "scores": scores.tolist(),
            "models": [list(slate) for slate in models],
            "responses": arms.tolist(),
        },
        schema=SLATE_SCHEMA,
    ).replace_schema_metadata({LAYOUT_KEY: LAYOUT, SPREAD_KEY: str(min_spread).encode()})
    for name, table in ((USERS, written), (SLATES, slates)):
        with whole_file(folder / name) as temporary:
            pq.write_table(table, temporary, compression="zstd")
    with whole_file(folder / EMBEDDINGS) as temporary, temporary.open("wb") as stream:
        np.save(stream, np.ascontiguousarray(embeddings, dtype=np.float32))
