"""The rows of survey.jsonl, in the publisher's order of columns."""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta
from typing import Any

from pearl.datasets.prism.sample.conversations import Conversations
from pearl.datasets.prism.sample.draws import Integers, integers, normals, places, shares
from pearl.datasets.prism.sample.people import NEVER, TABLES, Person, draw, people
from pearl.datasets.prism.sample.sizes import SURVEYED, TYPES
from pearl.datasets.prism.sample.stated import PREFERENCES

_FIRST_DAY = datetime(2023, 11, 22, 8)
_MINUTES = 30 * 24 * 60
_OTHERS = {"other": 332, "none": SURVEYED - 332}  # of the surveyed, those with a wish of their own
_CENSUS = {"US": 230, "UK": 243}  # the publisher's census-matched samples


def survey(talks: Conversations, preferences: Integers, balanced: list[bool]) -> list[Person]:
    """Return the survey's rows; `preferences` is (users, 8), `balanced` one entry a user."""
    count = len(talks.held)
    persons = people(count)
    when = sorted(integers("survey/when", _MINUTES * 60, count).tolist())
    wishes = places(normals("survey/other", count), "survey/other")
    wishing = shares(_OTHERS, count)["other"]
    matched = _matched(persons, balanced)
    return [
        _row(
            at,
            person,
            held=int(talks.held[at]),
            preferences=[int(value) for value in preferences[at]],
            wishes=wishes[at] < wishing,
            seconds=when[at],
            matched=matched[at],
            balanced=balanced[at],
        )
        for at, person in enumerate(persons)
    ]


def balanced_users(talks: Conversations) -> list[bool]:
    """Say which users have at least two conversations of each type."""
    held = [Counter[str]() for _ in talks.held]
    for user, kind in zip(talks.user, talks.kind, strict=True):
        held[user][kind] += 1
    return [all(counts[kind] >= 2 for kind in TYPES) for counts in held]


def _matched(persons: list[Person], balanced: list[bool]) -> list[str]:
    """Choose the census-matched samples among the balanced users of the US and the UK."""
    matched = [""] * len(persons)
    for region, published in _CENSUS.items():
        wanted = published * len(persons) // SURVEYED
        suited = [
            at
            for at, person in enumerate(persons)
            if balanced[at] and person["location"]["special_region"] == region
        ]
        for at in suited[:wanted]:
            matched[at] = region
    return matched


def _row(
    at: int,
    person: Person,
    *,
    held: int,
    preferences: list[int],
    wishes: bool,
    seconds: int,
    matched: str,
    balanced: bool,
) -> Person:
    took = 240 + int(draw("took", at, 3).sum()) * 1400 // (3 << 20)
    frequency = person["lm_frequency_use"]
    uses = person["lm_direct_use"] == "Yes" and frequency != NEVER
    names = (*PREFERENCES, "other")
    other = int(draw("other", at, 1)[0])
    return {
        "user_id": f"user{at}",
        "survey_only": held == 0,
        "num_completed_conversations": held,
        "consent": "Yes, I consent to take part",
        "consent_age": "Yes, I certify that I am 18 years of age or over",
        "lm_familiarity": person["lm_familiarity"],
        "lm_indirect_use": ("Yes", "Yes", "No", "Unsure")[int(draw("indirect", at, 1)[0]) % 4],
        "lm_direct_use": person["lm_direct_use"],
        "lm_frequency_use": None if frequency == NEVER else frequency,
        "self_description": person["self_description"],
        "system_string": person["system_string"],
        "age": person["age"],
        "gender": person["gender"],
        "employment_status": person["employment_status"],
        "education": person["education"],
        "marital_status": person["marital_status"],
        "english_proficiency": person["english_proficiency"],
        "study_id": f"s{at}",
        "study_locale": person["study_locale"],
        "religion": person["religion"],
        "ethnicity": person["ethnicity"],
        "location": person["location"],
        "lm_usecases": _usecases(at, uses=uses),
        "stated_prefs": {
            **dict(zip(PREFERENCES, preferences, strict=True)),
            "other": 50 + other % 51 if wishes else None,
            "other_text": _one(TABLES["other_preferences"], other) if wishes else None,
        },
        "order_lm_usecases": _order("order/usecases", at, TABLES["usecases"]),
        "order_stated_prefs": _order("order/stated", at, names[:-1]),
        "generated_datetime": str(_FIRST_DAY + timedelta(seconds=seconds)),
        "timing_duration_s": took,
        "timing_duration_mins": round(took / 60, 2),
        "included_in_US_REP": matched == "US",
        "included_in_UK_REP": matched == "UK",
        "included_in_balanced_subset": balanced,
    }


def _usecases(at: int, *, uses: bool) -> dict[str, Any]:
    """Return 0 or 1 for each use, or null for those who use no language model."""
    names = (*TABLES["usecases"], "other")
    if not uses:
        return {**dict.fromkeys(names), "other_text": None}
    drawn = [int(value) for value in draw("usecases", at, len(names) + 1)]
    marked = {name: int(value % 10 < 3) for name, value in zip(names, drawn, strict=False)}
    marked["other"] = int(drawn[-1] % 20 == 0)
    text = _one(TABLES["other_usecases"], drawn[0]) if marked["other"] else None
    return {**marked, "other_text": text}


def _order(stream: str, at: int, names: tuple[str, ...] | list[str]) -> dict[str, int]:
    """Return the places in which the items were shown: no ranking; "other" stands last."""
    shown = places(draw(stream, at, len(names)), f"people/{stream}/{at}")
    order = {name: int(place) + 1 for name, place in zip(names, shown, strict=True)}
    return {**order, "other": len(names) + 1}


def _one(options: list[str], drawn: int) -> str:
    return options[drawn % len(options)]
