"""Scores of 1-100: levels of user and model, taste, style, order and noise, bent to the marginal.

Each response gets a latent value in thousandths of the noise within slates; ranking all of them
gives each score as often as published (marginals.py). A user's scale widens or narrows all of
his slates, and a few slates are rated all but equal.
"""

from __future__ import annotations

import numpy as np

from pearl.datasets.prism.sample import marginals
from pearl.datasets.prism.sample.conversations import Conversations
from pearl.datasets.prism.sample.draws import (
    UNIT,
    Integers,
    by_quantiles,
    by_weights,
    integers,
    normals,
    places,
    shuffled,
)
from pearl.datasets.prism.sample.models import MODELS
from pearl.datasets.prism.sample.sizes import TYPES
from pearl.datasets.prism.sample.tastes import NOISE_SD, affinity, standardised, taste
from pearl.datasets.prism.sample.writer import TRAITS

USER_SD = 345
SCALE_SD = 300
SCALE_WITH_LEVEL, SCALE_ALONE = 440, 898  # correlation of a user's scale with his level
NARROWEST = 200
EQUAL_PER_MILLE, EQUAL_SCALE = 70, 125  # slates rated all but equal
FIRST = 75  # what being shown first adds

# What everyone likes or dislikes: standardised "length", else per occurrence.
LIKED = {
    "length": 205,
    "enumerate": 337,
    "lines": -651,
    "question": 27,
    "deanthro": -230,
    "refusal": -528,
    "self_id": -188,
}

LATER_USER_SD, LATER_CONVERSATION_SD, LATER_TURN_SD, LATER_NOISE_SD = 420, 440, 200, 798
LATER_SCALE_SD = 444
LATER_EQUAL_PER_MILLE = 83


def liking(traits: Integers, standard: Integers) -> Integers:
    """Return what everyone's likes add to each response."""
    added = LIKED["length"] * standard[:, TRAITS.index("length")] // UNIT
    for trait, weight in LIKED.items():
        if trait != "length":
            added += weight * traits[:, TRAITS.index(trait)]
    return added


def user_levels(users: int) -> tuple[Integers, Integers]:
    """Return each user's level (sd 1000) and scale (about 1000)."""
    level = normals("scores/user", users)
    alone = normals("scores/scale", users)
    mixed = (SCALE_WITH_LEVEL * level + SCALE_ALONE * alone) // UNIT
    return level, np.maximum(UNIT + SCALE_SD * mixed // UNIT, NARROWEST)


def opening_scores(
    talks: Conversations, leaning: Integers, traits: Integers, empty: Integers
) -> Integers:
    """Score the responses of the opening slates; `traits` as Response.row, one row each."""
    slate = np.repeat(np.arange(len(talks)), np.diff(talks.first))
    user = talks.user[slate]
    kind = np.array([list(TYPES).index(name) for name in talks.kind])[slate]
    standard = standardised(traits)
    within = (
        np.array([model.level for model in MODELS])[talks.model]
        + liking(traits, standard)
        + taste(leaning, user, kind, standard)
        + affinity(len(leaning), user, talks.model)
        + normals("scores/opening", len(user)) * NOISE_SD // UNIT
    )
    within[talks.first[:-1]] += FIRST
    level, scale = user_levels(len(leaning))
    equal = integers("scores/equal", 1000, len(talks)) < EQUAL_PER_MILLE
    width = scale[user] * np.where(equal, EQUAL_SCALE, UNIT)[slate] // UNIT
    latent = level[user] * USER_SD // UNIT + within * width // UNIT
    return _bent(latent, marginals.OPENING, empty, "scores/opening")


def later_scores(
    talks: Conversations,
    turn: Integers,
    leaning: Integers,
    traits: Integers,
    conversation: Integers,
    empty: Integers,
) -> Integers:
    """Score the later responses, two a turn of the one chosen model.

    `turn` numbers the turns of all conversations from 0, `conversation` names theirs; both are
    one entry a response.
    """
    user = talks.user[conversation]
    kind = np.array([list(TYPES).index(name) for name in talks.kind])[conversation]
    standard = standardised(traits)
    level, _ = user_levels(len(leaning))
    mixed = (707 * level + 707 * normals("scores/later/user", len(leaning))) // UNIT
    alone = normals("scores/later/scale", len(leaning))
    scale = np.maximum(UNIT + LATER_SCALE_SD * alone // UNIT, NARROWEST)
    turns = int(turn[-1]) + 1
    equal = integers("scores/later/equal", 1000, turns)[turn] < LATER_EQUAL_PER_MILLE
    width = scale[user] * np.where(equal, EQUAL_SCALE, UNIT) // UNIT
    noise = normals("scores/later", len(user)) * NOISE_SD // UNIT
    within = liking(traits, standard) + taste(leaning, user, kind, standard) + noise
    latent = (
        mixed[user] * LATER_USER_SD
        + normals("scores/later/conversation", len(talks))[conversation] * LATER_CONVERSATION_SD
        + normals("scores/later/turn", turns)[turn] * LATER_TURN_SD
        + within * width // UNIT * LATER_NOISE_SD
    ) // UNIT
    return _bent(latent, marginals.LATER, empty, "scores/later")


def chosen(scores: Integers, group: Integers, stream: str) -> Integers:
    """Say for each response whether it is the best of its group, ties broken at random."""
    ties = integers(f"{stream}/chosen", 1 << 40, len(scores))
    order = np.lexsort((ties, scores, group))
    last = np.append(group[order][1:] != group[order][:-1], True)
    best = np.zeros(len(scores), dtype=np.int64)
    best[order[last]] = 1
    return best


def _bent(latent: Integers, weights: Integers, empty: Integers, stream: str) -> Integers:
    scores = np.zeros(len(latent), dtype=np.int64)
    written, missing = np.flatnonzero(empty == 0), np.flatnonzero(empty)
    scores[written] = 1 + by_weights(places(latent[written], stream), weights)
    if len(missing):
        ranks = shuffled(f"{stream}/empty", range(len(missing)))
        scores[missing] = by_quantiles(ranks, marginals.EMPTY)
    return scores
