"""Read the publisher's `utterances.jsonl`: one rated response a line, grouped into openings."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

from pearl.datasets.json_lines import read_objects
from pearl.datasets.prism.openings import CONVERSATION_TYPES, Openings
from pearl.datasets.prism.row import REMEDY, Row, shown
from pearl.datasets.prism.slates import SLATE_SIZE
from pearl.datasets.prism.survey import Survey

FILE_NAME = "utterances.jsonl"
COLUMNS = (
    *("utterance_id", "interaction_id", "conversation_id", "user_id", "turn", "within_turn_id"),
    *("conversation_type", "user_prompt", "model_response", "model_name", "model_provider"),
    *("score", "if_chosen", "included_in_balanced_subset"),
)
_KIND = "conversation_type"


class _Response(NamedTuple):
    place: int
    text: str
    model: str
    provider: str
    score: int
    chosen: bool


class _Conversation(NamedTuple):
    user: str
    kind: str
    first: Row
    prompts: list[str]
    opening: list[_Response]


def read_openings(path: Path, survey: Survey) -> Openings:
    """Read the opening turns of utterances in the publisher's format; later turns are checked.

    Tied scores are kept as they are, and so is "EMPTY STRING", the publisher's word for a missing
    text. Any null is an error.

    Raises:
        DataError: the file is missing, empty, foreign or truncated, a row breaks the schema, an
            utterance stands twice, a user isn't in the survey, a conversation changes its user or
            type, or has no opening turn or one of more than four responses; it names the file, the
            line, the field and a remedy.
    """
    rows = (Row(path, line, values) for line, values in read_objects(path, REMEDY))
    return openings_of(rows, survey)


def openings_of(rows: Iterable[Row], survey: Survey) -> Openings:
    """Return the openings of rows, wherever they come from; see `read_openings`."""
    users = {user: row for row, user in enumerate(survey.users)}
    ids: dict[str, int] = {}
    places: dict[tuple[str, int, int], int] = {}
    turns: dict[str, tuple[str, int]] = {}
    found: dict[str, _Conversation] = {}
    for row in rows:
        row.columns(COLUMNS, only=True)
        _once(row, ids, row.name("utterance_id"), "utterance_id")
        conversation, turn = row.name("conversation_id"), row.whole("turn", 0)
        place = row.whole("within_turn_id", 0, SLATE_SIZE - 1)
        _once(row, places, (conversation, turn, place), "within_turn_id")
        interaction = row.name("interaction_id")
        if turns.setdefault(interaction, (conversation, turn)) != (conversation, turn):
            other, earlier = turns[interaction]
            problem = f"{interaction} is turn {earlier} of {other} in an earlier line"
            raise row.wrong(problem, "interaction_id")
        talk = _conversation(row, found, conversation, users)
        response = _response(row, place)
        prompt = row.text("user_prompt")
        if turn == 0:
            talk.prompts.append(prompt)
            if prompt != talk.prompts[0]:
                problem = "another opening prompt than in the slate's earlier lines"
                raise row.wrong(problem, "user_prompt")
            talk.opening.append(response)
    for name, talk in found.items():
        if not talk.opening:
            raise talk.first.wrong(f"{name} has no opening turn (turn 0)", "turn")
    return _openings(found, users, len(ids))


def _once(row: Row, seen: dict[Any, int], key: Hashable, field: str) -> None:
    first = seen.setdefault(key, row.line)
    if first != row.line:
        raise row.wrong(f"{shown(key)} stands already in line {first}", field)


def _conversation(
    row: Row, found: dict[str, _Conversation], name: str, users: dict[str, int]
) -> _Conversation:
    user, kind = row.name("user_id"), row.name("conversation_type")
    if user not in users:
        raise row.wrong(f"{user} is not in the survey", "user_id")
    if kind not in CONVERSATION_TYPES:
        known = ", ".join(CONVERSATION_TYPES)
        raise row.wrong(f"{shown(kind)} is no conversation type; they are {known}", _KIND)
    talk = found.setdefault(name, _Conversation(user, kind, row, [], []))
    for field, here, before in (("user_id", user, talk.user), (_KIND, kind, talk.kind)):
        if here != before:
            raise row.wrong(f"{name} has {here} here and {before} in line {talk.first.line}", field)
    return talk


def _response(row: Row, place: int) -> _Response:
    row.flag("included_in_balanced_subset")
    return _Response(
        place=place,
        text=row.text("model_response"),
        model=row.name("model_name"),
        provider=row.name("model_provider"),
        score=row.whole("score", 1, 100),
        chosen=row.flag("if_chosen"),
    )


def _openings(found: dict[str, _Conversation], users: dict[str, int], utterances: int) -> Openings:
    slates = [sorted(talk.opening) for talk in found.values()]
    return Openings.of(
        conversations=list(found),
        user=[users[talk.user] for talk in found.values()],
        types=[talk.kind for talk in found.values()],
        prompts=[talk.prompts[0] for talk in found.values()],
        responses=[[each.text for each in slate] for slate in slates],
        models=[[each.model for each in slate] for slate in slates],
        providers=[[each.provider for each in slate] for slate in slates],
        scores=[[each.score for each in slate] for slate in slates],
        chosen=[[each.chosen for each in slate] for slate in slates],
        utterances=utterances,
    )
