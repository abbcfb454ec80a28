"""Prompts and responses, composed of a topic's phrases in a model's manner.

A response is aimed at a fifth of the publisher's length, so the file stays small.
"""

from __future__ import annotations

from pearl.datasets.prism.sample.grammar import PHRASES, Dice, Topic, fill, yours
from pearl.datasets.prism.sample.models import Model
from pearl.datasets.prism.sample.writer import Response, Writer

SHORTER = 5  # the publisher's characters to one of the sample's
DICE = 72  # integers that a text may take
_BRIEF = 13  # aims at fewer characters are answered in a few words


def prompt(topic: Topic, subject: str, dice: Dice) -> str:
    """Compose the first message of a conversation."""
    ask = fill(dice.pick(topic.asks), s=subject)
    return dice.pick(PHRASES["prompt_open"]) + ask + dice.pick(PHRASES["prompt_close"])


def follow_up(subject: str, dice: Dice) -> str:
    """Compose a later message of a conversation."""
    return fill(dice.pick(PHRASES["follow"]), s=subject)


def aimed_length(model: Model, dice: Dice, *, later: bool) -> int:
    """Draw the number of characters to aim at; later responses are shorter."""
    low, middle, high = model.length
    marks = (low // 2, low, middle, high, 2 * high - middle // 2)
    place = dice.below(4000)
    step, part = place // 1000, place % 1000
    published = marks[step] + (marks[step + 1] - marks[step]) * part // 1000
    return published // (SHORTER * (2 if later else 1))


def respond(
    topic: Topic,
    subject: str,
    model: Model,
    dice: Dice,
    *,
    focus: tuple[str, ...] = (),
    delicate: bool,
    later: bool,
) -> Response:
    """Compose one response of a model, which may refuse to answer a `delicate` prompt.

    `focus`: the points that suit the prompt best, which most models come to speak of.
    """
    aim = aimed_length(model, dice, later=later)
    chances = model.styles | {"refusal": model.styles["refusal"] * delicate}
    wanted = {style for style, chance in chances.items() if dice.chance(chance)}
    made = Writer(topic, yours(subject), aim, wanted, dice, focus)
    if "refusal" in wanted:
        return made.refuse()
    if aim < _BRIEF:
        return made.answer_briefly()
    return made.write()
