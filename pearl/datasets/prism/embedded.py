"""Openings to embedded slates: which are retained, and each response's vector."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from pearl.datasets.embedding.texts import embed_texts
from pearl.datasets.prism.slates import (
    LAYOUT,
    LAYOUT_KEY,
    SLATE_SCHEMA,
    SLATE_SIZE,
    SLATES,
    SPREAD_KEY,
    USER_SCHEMA,
    USERS,
)
from pearl.datasets.prism.slates_writer import write_slates
from pearl.datasets.prism.tables import read_tables
from pearl.errors import DataError


def embed(tables: Path, folder: Path, cache: Path, min_spread: int) -> None:
    """Write the slates of four with a spread above `min_spread` points, and their vectors.

    Each distinct text is embedded once; rows of embeddings.npy stand in order of first appearance.
    "EMPTY STRING" is embedded as that text.

    Raises:
        DataError: the tables are damaged, or no slate is retained.
        SourceError: the model can't be had.
    """
    survey, openings = read_tables(tables)
    kept = openings.retained(min_spread)
    if not len(kept):
        raise DataError(
            tables,
            f"no opening turn of four responses has a spread above {min_spread} points",
            remedy="Fetch the data set anew, or lower `embeddings.min_spread` in params.yaml.",
        )
    rows = openings.offsets[kept][:, None] + np.arange(SLATE_SIZE)
    texts = [openings.responses[row] for row in rows.ravel()]
    place = {text: number for number, text in enumerate(dict.fromkeys(texts))}
    arms = np.array([place[text] for text in texts], dtype=np.int64).reshape(-1, SLATE_SIZE)
    users, user = np.unique(openings.user[kept], return_inverse=True)
    write_slates(
        folder,
        users=[survey.users[row] for row in users],
        stated=survey.stated[users],
        conversations=[openings.conversations[row] for row in kept],
        types=[openings.types[row] for row in kept],
        user=user.astype(np.int64),
        scores=openings.scores[rows],
        models=[[openings.models[row] for row in slate] for slate in rows],
        arms=arms,
        embeddings=embed_texts(list(place), cache),
        min_spread=min_spread,
    )


def is_current(folder: Path, min_spread: int) -> bool:
    """Say whether a folder holds slates in this version's layout, down to a spread in points."""
    try:
        found = pq.read_schema(folder / SLATES)
        users = pq.read_schema(folder / USERS)
    except (OSError, pa.ArrowInvalid):
        return False
    metadata = found.metadata or {}
    held = metadata.get(SPREAD_KEY, b"")
    return (
        metadata.get(LAYOUT_KEY) == LAYOUT
        and held.isdigit()
        and int(held) <= min_spread
        and bool(found.equals(SLATE_SCHEMA, check_metadata=False))
        and bool(users.equals(USER_SCHEMA, check_metadata=False))
    )
