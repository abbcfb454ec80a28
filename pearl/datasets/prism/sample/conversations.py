"""Who talks how often, about what, for how many turns, and which models answer first."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pearl.datasets.prism.sample.draws import (
    UNIT,
    Integers,
    by_weights,
    dealt,
    integers,
    normals,
    places,
    shares,
    shuffled,
)
from pearl.datasets.prism.sample.grammar import KINDS, TOPICS
from pearl.datasets.prism.sample.models import MODELS
from pearl.datasets.prism.sample.sizes import OPENING_SLATES, TYPES, Size

# Per mille of the prompts of each type that some models refuse to answer.
_DELICATE = {"unguided": 56, "values guided": 75, "controversy guided": 220}
_OF_USER, _OF_CONVERSATION = 566, 825  # shares .32 and .68 of the variance of the turns


@dataclass(frozen=True, eq=False)
class Conversations:
    """The conversations in file order, one entry each unless said otherwise.

    `held`: conversations of each user, 0 for those in the survey only.
    `user`, `kind` (type), `topic`, `subject` (its place in the topic), `turns`.
    `focus`: the place of the topic's point that suits the prompt best.
    `delicate`: whether models may refuse to answer.
    `first`: offsets into `model`, which lists the models of the opening slates in shown order.
    """

    held: Integers
    user: Integers
    kind: list[str]
    topic: Integers
    subject: Integers
    turns: Integers
    focus: Integers
    delicate: Integers
    first: Integers
    model: Integers

    def __len__(self) -> int:
        return len(self.user)


def make_conversations(size: Size) -> Conversations:
    """Lay out the conversations of a sample."""
    held = _held(size)
    user = np.repeat(np.arange(size.surveyed), held)
    kind = _kinds(held, user)
    topic = _topics(kind)
    subjects = np.array([len(TOPICS[place].subjects) for place in topic])
    slates = np.array([int(k) for k in dealt("slates", OPENING_SLATES, len(user))])
    first = np.concatenate([[0], np.cumsum(slates)])
    return Conversations(
        held=held,
        user=user,
        kind=kind,
        topic=topic,
        subject=integers("subjects", 1 << 20, len(user)) % subjects,
        turns=_turns(size, user),
        focus=integers("focus", 1 << 20, len(user)),
        delicate=(integers("delicate", 1000, len(user)) < [_DELICATE[name] for name in kind]) * 1,
        first=first,
        model=_models(first),
    )


def _held(size: Size) -> Integers:
    counts = {**size.conversations_of_a_user, "0": size.surveyed - size.conversing}
    deck = [int(held) for held, users in counts.items() for _ in range(users)]
    return shuffled("held", deck)


def _kinds(held: Integers, user: Integers) -> list[str]:
    """Give each user the three types in turn, then make some of them unguided.

    The users whose guided conversations become unguided are few, as many kept to the task.
    """
    total = len(user)
    start = np.concatenate([[0], np.cumsum(held)[:-1]])
    place = np.arange(total) - start[user]
    turn = integers("kinds/first", 3, len(held))
    names = list(TYPES)
    kind = [names[at] for at in (place + turn[user]) % 3]
    wanted = shares(TYPES, total)
    unruly = integers("kinds/unruly", 1 << 40, len(held))[user]
    for name in names[1:]:
        mine = sorted((at for at in range(total) if kind[at] == name), key=lambda at: unruly[at])
        for at in mine[: len(mine) - wanted[name]]:
            kind[at] = names[0]
    order = np.lexsort((integers("kinds/order", 1 << 40, total), user))
    return [kind[at] for at in order]


def _topics(kind: list[str]) -> Integers:
    draws = integers("topics", 1 << 20, len(kind))
    suited = {
        name: [at for at, topic in enumerate(TOPICS) if topic.kind in kinds]
        for name, kinds in KINDS.items()
    }
    chosen = [
        suited[name][draw % len(suited[name])] for name, draw in zip(kind, draws, strict=True)
    ]
    return np.array(chosen, dtype=np.int64)


def _turns(size: Size, user: Integers) -> Integers:
    """Talkative users talk longer in each of their conversations."""
    talkative = normals("turns/user", size.surveyed)[user] * _OF_USER
    latent = (talkative + normals("turns", len(user)) * _OF_CONVERSATION) // UNIT
    values = np.array([int(turns) for turns in size.turns])
    scaled = shares(size.turns, len(user))
    return values[by_weights(places(latent, "turns"), np.array(list(scaled.values())))]


def _models(first: Integers) -> Integers:
    """Deal models to the opening slates, each as often as published, none twice in one slate."""
    total = int(first[-1])
    scaled = shares({model.name: model.shown for model in MODELS}, total)
    deck = np.repeat(np.arange(len(MODELS)), list(scaled.values()))
    dealt_models = shuffled("models", deck)
    slate = np.searchsorted(first, np.arange(total), side="right") - 1
    others = integers("models/swaps", total, 64 * total)
    tried = 0

    def fits(at: int, model: int) -> bool:
        low, high = first[slate[at]], first[slate[at] + 1]
        return all(dealt_models[near] != model for near in range(low, high) if near != at)

    for at in range(total):
        while not fits(at, dealt_models[at]):
            other, tried = int(others[tried]), tried + 1
            mine, theirs = dealt_models[at], dealt_models[other]
            if fits(at, theirs) and fits(other, mine):
                dealt_models[at], dealt_models[other] = theirs, mine
    return dealt_models
