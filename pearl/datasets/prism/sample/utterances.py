"""The rows of utterances.jsonl, in the publisher's order and with the publisher's ids."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pearl.datasets.prism.sample.conversations import Conversations
from pearl.datasets.prism.sample.draws import Integers, integers
from pearl.datasets.prism.sample.grammar import TOPICS, Dice
from pearl.datasets.prism.sample.models import MODELS
from pearl.datasets.prism.sample.responses import DICE, follow_up, prompt, respond
from pearl.datasets.prism.sample.scores import chosen, later_scores, opening_scores
from pearl.datasets.prism.sample.sizes import EMPTY, UTTERANCES
from pearl.datasets.prism.sample.writer import TRAITS

MISSING = "EMPTY STRING"
_CHUNK = 1 << 12


@dataclass(frozen=True, eq=False)
class Answers:
    """Responses of the opening slates or of all later turns, one entry each in file order."""

    conversation: Integers
    model: Integers
    text: list[str]
    traits: Integers
    empty: Integers
    score: Integers
    chosen: Integers


def utterances(
    talks: Conversations, leaning: Integers, balanced: list[bool]
) -> list[dict[str, object]]:
    """Compose, score and list every utterance; `balanced` says which users are in the subset."""
    opening = _opening(talks, leaning)
    later = _later(talks, leaning, opening)
    rows: list[dict[str, object]] = []
    next_later, interaction = 0, _interactions(talks)
    prompts = _prompts(talks)
    for place in range(len(talks)):
        user = int(talks.user[place])
        at = int(talks.first[place])
        for turn in range(int(talks.turns[place])):
            answers = later if turn else opening
            start = next_later if turn else at
            count = 2 if turn else int(talks.first[place + 1]) - at
            next_later += count if turn else 0
            said = next(prompts)
            for shown in range(count):
                which = start + shown
                model = MODELS[answers.model[which]]
                rows.append(
                    {
                        "utterance_id": f"ut{len(rows)}",
                        "interaction_id": f"int{interaction[place] + turn}",
                        "conversation_id": f"c{place}",
                        "user_id": f"user{user}",
                        "turn": turn,
                        "within_turn_id": shown,
                        "conversation_type": talks.kind[place],
                        "user_prompt": said,
                        "model_response": answers.text[which],
                        "model_name": model.name,
                        "model_provider": model.provider,
                        "score": int(answers.score[which]),
                        "if_chosen": bool(answers.chosen[which]),
                        "included_in_balanced_subset": balanced[user],
                    }
                )
    return rows


def _opening(talks: Conversations, leaning: Integers) -> Answers:
    conversation = np.repeat(np.arange(len(talks)), np.diff(talks.first))
    text, traits, empty = _composed(talks, conversation, talks.model, "opening")
    score = opening_scores(talks, leaning, traits, empty)
    best = chosen(score, conversation, "scores/opening")
    return Answers(conversation, talks.model, text, traits, empty, score, best)


def _later(talks: Conversations, leaning: Integers, opening: Answers) -> Answers:
    conversation = np.repeat(np.arange(len(talks)), 2 * (talks.turns - 1))
    model = opening.model[np.flatnonzero(opening.chosen)][conversation]
    text, traits, empty = _composed(talks, conversation, model, "later")
    turn = np.arange(len(conversation)) // 2
    score = later_scores(talks, turn, leaning, traits, conversation, empty)
    return Answers(
        conversation, model, text, traits, empty, score, chosen(score, turn, "scores/later")
    )


def _composed(
    talks: Conversations, conversation: Integers, model: Integers, part: str
) -> tuple[list[str], Integers, Integers]:
    """Return texts, traits and which texts are missing, the publisher's share of them."""
    empty = _missing(model, part)
    texts, traits = [], []
    for which, dice in enumerate(_dice(f"text/{part}", len(conversation))):
        place = conversation[which]
        topic = TOPICS[talks.topic[place]]
        subject = topic.subjects[talks.subject[place]]
        made = respond(
            topic,
            subject,
            MODELS[model[which]],
            dice,
            focus=topic.suited(int(talks.focus[place])),
            delicate=bool(talks.delicate[place]),
            later=part == "later",
        )
        texts.append(MISSING if empty[which] else made.text)
        traits.append([0] * len(TRAITS) if empty[which] else made.row())
    return texts, np.array(traits, dtype=np.int64), empty


def _missing(model: Integers, part: str) -> Integers:
    """Choose the responses whose text is missing, by the models' weights."""
    wanted = (EMPTY * len(model) + UTTERANCES // 2) // UTTERANCES
    weight = np.array([each.empty for each in MODELS])[model]
    draws = integers(f"missing/{part}", 1 << 20, len(model)) // np.maximum(weight, 1)
    draws[weight == 0] = 1 << 20
    missing = np.zeros(len(model), dtype=np.int64)
    missing[np.argsort(draws, kind="stable")[:wanted]] = 1
    return missing


def _prompts(talks: Conversations) -> Iterator[str]:
    """Yield the users' messages in file order."""
    dice = _dice("text/prompts", int(talks.turns.sum()))
    for place in range(len(talks)):
        topic = TOPICS[talks.topic[place]]
        subject = topic.subjects[talks.subject[place]]
        yield prompt(topic, subject, next(dice))
        for _ in range(1, talks.turns[place]):
            yield follow_up(subject, next(dice))


def _dice(stream: str, count: int) -> Iterator[Dice]:
    for start in range(0, count, _CHUNK):
        size = min(_CHUNK, count - start)
        for row in integers(f"{stream}/{start}", 1 << 30, (size, DICE)).tolist():
            yield Dice(row)


def _interactions(talks: Conversations) -> Integers:
    """Return each conversation's first interaction: numbered by string sort of conversation ids."""
    order = sorted(range(len(talks)), key=lambda place: f"c{place}")
    first = np.empty(len(talks), dtype=np.int64)
    first[order] = np.cumsum(talks.turns[order]) - talks.turns[order]
    return first
