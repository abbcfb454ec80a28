"""Files of PRISM's exact schema that say nothing of people: for tests of the loaders."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pearl.datasets.manifest import FILE_NAME as MANIFEST
from pearl.datasets.manifest import SampleFacts, with_sample
from pearl.datasets.prism.slates import STATED
from pearl.files import sha256_of, write_text
from pearl.provenance import FileFacts

LABEL = "made up for a test, not PRISM"
MODELS = (
    ("command", "cohere"),
    ("claude-2", "anthropic"),
    ("gpt-4", "openai"),
    ("google/flan-t5-xxl", "huggingface_api"),
    ("models/chat-bison-001", "google"),
    ("luminous-supreme-control", "aleph"),
)
TYPES = ("unguided", "values guided", "controversy guided")
# Sizes of the opening slates, and their scores, round and round.
SLATES = (
    (90, 20, 55, 54),
    (1, 100, 50, 50),
    (40, 71, 60, 60),
    (40, 70, 60, 60),
    (10, 31, 20, 20),
    (70, 59, 60, 60),
    (88, 88, 88),
    (12, 90),
    (50,),
)
RETAINED = {30: 3, 20: 5, 10: 6}
"""Of the nine slates of SLATES: how many have four responses and a spread above so many points."""


def survey_row(number: int, *, alone: bool = False) -> dict[str, Any]:
    stated = {name: (17 * number + 11 * place) % 101 for place, name in enumerate(STATED)}
    return {
        "user_id": f"user{number}",
        "survey_only": alone,
        "num_completed_conversations": 0 if alone else 6,
        "consent": "Yes, I consent to take part",
        "consent_age": "I certify that I am 18 years of age or over",
        "lm_familiarity": "Somewhat familiar",
        "lm_indirect_use": "Yes",
        "lm_direct_use": "No",
        "lm_frequency_use": None if number % 3 else "Every week",
        "self_description": "EMPTY STRING",
        "system_string": "Be brief. é漢",
        "age": "25-34 years old",
        "gender": "Female",
        "employment_status": "Working full-time",
        "education": "University Bachelors Degree",
        "marital_status": "Never been married",
        "english_proficiency": "Native speaker",
        "study_id": "s0",
        "study_locale": "uk",
        "religion": {"self_described": "none", "categorised": "None", "simplified": "None"},
        "ethnicity": {"self_described": "white", "categorised": "White", "simplified": "White"},
        "location": {
            "birth_country": "United Kingdom",
            "birth_countryISO": "GBR",
            "birth_subregion": "Northern Europe",
            "reside_country": "United Kingdom",
            "reside_countryISO": "GBR",
            "reside_subregion": "Northern Europe",
            "same_birth_reside_country": "Yes",
            "special_region": "UK",
        },
        "lm_usecases": {"research": None if number % 2 else 1, "other": 0, "other_text": None},
        "stated_prefs": {
            **stated,
            "other": 40 if number % 4 == 1 else None,
            "other_text": "kindness" if number % 4 == 1 else None,
        },
        "order_lm_usecases": {"research": 3, "other": 19},
        "order_stated_prefs": {name: place + 1 for place, name in enumerate((*STATED, "other"))},
        "generated_datetime": "2023-11-27 10:00:00",
        "timing_duration_s": 600,
        "timing_duration_mins": 10.0,
        "included_in_US_REP": False,
        "included_in_UK_REP": True,
        "included_in_balanced_subset": True,
    }


def utterance_rows(users: int, per_user: int) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    turns = 0
    for conversation in range(users * per_user):
        scores = SLATES[conversation % len(SLATES)]
        for turn in range(2):
            given = scores if turn == 0 else (75, 60)
            for place, score in enumerate(given):
                model, provider = MODELS[(conversation + (place if turn == 0 else 0)) % 6]
                text = f"Answer {place} of {model} to question {conversation % 7}, turn {turn}."
                rows.append(
                    {
                        "utterance_id": f"ut{len(rows)}",
                        "interaction_id": f"int{turns}",
                        "conversation_id": f"c{conversation}",
                        "user_id": f"user{conversation // per_user}",
                        "turn": turn,
                        "within_turn_id": place,
                        "conversation_type": TYPES[conversation % 3],
                        "user_prompt": f"Question {conversation % 7}, turn {turn}?",
                        "model_response": "EMPTY STRING" if conversation == 1 else text,
                        "model_name": model,
                        "model_provider": provider,
                        "score": score,
                        "if_chosen": score == max(given) and given.index(score) == place,
                        "included_in_balanced_subset": conversation % 2 == 0,
                    }
                )
            turns += 1
    return rows


def write_rows(file: Path, rows: list[dict[str, Any]]) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    file.write_bytes(text.encode())
    return file


def write_made_prism(folder: Path, users: int = 6, per_user: int = 6) -> int:
    """Write survey.jsonl (with one user more, without conversations) and utterances.jsonl.

    Returns the number of utterances.
    """
    survey = [survey_row(number, alone=number == users) for number in range(users + 1)]
    write_rows(folder / "survey.jsonl", survey)
    rows = utterance_rows(users, per_user)
    write_rows(folder / "utterances.jsonl", rows)
    return len(rows)


def write_made_sample(folder: Path, publisher_text: str, *, users: int = 6) -> None:
    """Write the made-up files as a sample, with its manifest."""
    rows = write_made_prism(folder, users)
    files = [folder / "survey.jsonl", folder / "utterances.jsonl"]
    facts = SampleFacts(
        label=LABEL,
        generator=__name__,
        seed=0,
        licence="Apache-2.0",
        rows=rows,
        files=tuple(
            FileFacts(name=f.name, sha256=sha256_of(f), byte_count=f.stat().st_size) for f in files
        ),
        statistics={"utterances": rows},
    )
    write_text(folder / MANIFEST, with_sample(publisher_text, facts))
