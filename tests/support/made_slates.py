"""A folder of embedded slates that no model and no publisher made: random unit vectors, and scores
that follow a taste that users share in part, so that there is something to learn."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from pearl.datasets.prism.slates_writer import write_slates
from pearl.files import seal
from pearl.provenance import FileFacts, Provenance

MODELS = ("made-up-a", "made-up-b", "made-up-c", "made-up-d")
TYPES = ("unguided", "values guided", "controversy guided")


def provenance(label: str = "made up for a test, not PRISM") -> Provenance:
    return Provenance(
        dataset="prism",
        source="sample",
        publisher="nobody",
        revision="made up",
        url="",
        licence="none",
        commercial=True,
        files=(FileFacts(name="utterances.jsonl", sha256="ab" * 32, byte_count=1),),
        rows=7,
        label=label,
    )


def write_made_slates(
    folder: Path, users: int = 12, per_user: int = 5, seed: int = 0, dimension: int = 384
) -> None:
    """Write `users` x `per_user` slates in random order, each with a spread above 30 points."""
    generator = np.random.default_rng([seed, users, per_user])
    count = users * per_user
    vectors = generator.standard_normal((count * 4, dimension))
    vectors /= np.sqrt((vectors**2).sum(axis=1, keepdims=True))
    embeddings = (np.rint(vectors * 2**20) / 2**20).astype(np.float32)
    shared = generator.standard_normal(dimension)
    tastes = shared + 0.5 * generator.standard_normal((users, dimension))
    user = generator.permutation(np.repeat(np.arange(users), per_user))
    arms = np.arange(count * 4).reshape(count, 4)
    liking = (vectors[arms] * tastes[user][:, None, :]).sum(axis=2)
    low, high = liking.min(axis=1, keepdims=True), liking.max(axis=1, keepdims=True)
    bottom = generator.integers(1, 35, (count, 1))
    top = generator.integers(67, 101, (count, 1))
    scores = np.rint(bottom + (top - bottom) * (liking - low) / (high - low)).astype(np.int64)
    folder.mkdir(parents=True, exist_ok=True)
    write_slates(
        folder,
        users=[f"user{i}" for i in range(users)],
        stated=generator.integers(0, 101, (users, 8)).astype(np.float64),
        conversations=[f"c{i}" for i in range(count)],
        types=[TYPES[i % 3] for i in range(count)],
        user=user,
        scores=scores,
        models=[MODELS] * count,
        arms=arms,
        embeddings=embeddings,
        min_spread=30,
    )
    provenance().write(folder)
    seal(folder)
