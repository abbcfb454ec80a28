"""Opening turns: one prompt a conversation, and the one to four responses that its user rated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pearl.datasets.prism.slates import SLATE_SIZE

CONVERSATION_TYPES = ("unguided", "values guided", "controversy guided")


@dataclass(frozen=True, eq=False)
class Openings:
    """N opening turns in the publisher's order of conversations, with R responses in all.

    Attributes:
        conversations: N ids.
        user: int64[N], row of the survey.
        types: N of `CONVERSATION_TYPES`.
        prompts: N opening prompts.
        offsets: int64[N + 1]; slate n holds responses offsets[n] to offsets[n + 1] - 1, in the
            order of `within_turn_id`.
        responses, models, providers: R texts; "EMPTY STRING" is a missing text.
        scores: int64[R], 1-100, ties as published.
        chosen: bool[R], the publisher's `if_chosen`.
        utterances: the publisher's records, those of later turns included.
    """

    conversations: tuple[str, ...]
    user: NDArray[np.int64]
    types: tuple[str, ...]
    prompts: tuple[str, ...]
    offsets: NDArray[np.int64]
    responses: tuple[str, ...]
    models: tuple[str, ...]
    providers: tuple[str, ...]
    scores: NDArray[np.int64]
    chosen: NDArray[np.bool_]
    utterances: int

    @classmethod
    def of(
        cls,
        *,
        conversations: Sequence[str],
        user: Sequence[int],
        types: Sequence[str],
        prompts: Sequence[str],
        responses: Sequence[Sequence[str]],
        models: Sequence[Sequence[str]],
        providers: Sequence[Sequence[str]],
        scores: Sequence[Sequence[int]],
        chosen: Sequence[Sequence[bool]],
        utterances: int,
    ) -> Openings:
        """Return the openings of lists that hold one list a slate."""
        sizes = np.array([len(slate) for slate in responses], dtype=np.int64)
        return cls(
            conversations=tuple(conversations),
            user=np.array(user, dtype=np.int64),
            types=tuple(types),
            prompts=tuple(prompts),
            offsets=np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes)]),
            responses=tuple(text for slate in responses for text in slate),
            models=tuple(text for slate in models for text in slate),
            providers=tuple(text for slate in providers for text in slate),
            scores=np.array([score for slate in scores for score in slate], dtype=np.int64),
            chosen=np.array([mark for slate in chosen for mark in slate], dtype=np.bool_),
            utterances=utterances,
        )

    @property
    def sizes(self) -> NDArray[np.int64]:
        """int64[N]: responses of each slate, 1-4."""
        return np.diff(self.offsets)

    @property
    def spreads(self) -> NDArray[np.int64]:
        """int64[N]: highest minus lowest score of each slate, 0-99; 0 for a slate of one."""
        starts = self.offsets[:-1]
        if not len(starts):
            return np.empty(0, dtype=np.int64)
        highest, lowest = (f.reduceat(self.scores, starts) for f in (np.maximum, np.minimum))
        spread: NDArray[np.int64] = highest - lowest
        return spread

    def retained(self, min_spread: int) -> NDArray[np.int64]:
        """Return the rows of slates of four whose spread exceeds `min_spread` whole points."""
        return np.flatnonzero((self.sizes == SLATE_SIZE) & (self.spreads > min_spread))


def counts(openings: Openings, users: int) -> dict[str, int]:
    """Return the facts that pin the protocol, by the names of the manifest's statistics."""
    sizes = np.bincount(openings.sizes, minlength=SLATE_SIZE + 1)
    return {
        "survey_users": users,
        "users_with_conversations": len(np.unique(openings.user)),
        "utterances": openings.utterances,
        "opening_utterances": len(openings.scores),
        "conversations": len(openings.conversations),
        **{f"opening_slates_of_{size}": int(sizes[size]) for size in range(SLATE_SIZE, 0, -1)},
        "retained_slates": len(openings.retained(30)),
    }
