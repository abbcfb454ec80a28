"""Measured facts of survey.jsonl and utterances.jsonl, under the names of published.yaml."""

from __future__ import annotations

import json
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

from pearl.datasets.prism.moments import correlation, mean, quantile
from pearl.datasets.prism.slate_facts import (
    Facts,
    Rows,
    battle_facts,
    model_facts,
    moments_of,
    score_range,
    slate_facts,
    wording_facts,
)
from pearl.datasets.prism.slates import SLATE_SIZE, STATED

MISSING = "EMPTY STRING"
RETAINED_ABOVE = 30


def statistics(folder: Path) -> Facts:
    """Return the facts that manifests carry; what isn't a count is rounded to 4 digits.

    Reads a folder's two files in the publisher's schema, which the readers have checked.
    """
    people, said = _read(folder / "survey.jsonl"), _read(folder / "utterances.jsonl")
    turns = _grouped(said, "conversation_id", "turn")
    opening = [rows for (_, turn), rows in turns.items() if turn == 0]
    later = [rows for (_, turn), rows in turns.items() if turn > 0]
    found = {
        **_counts(people, said, turns, opening),
        **_talks(said, turns, opening),
        **_scores(said, opening, later),
        **slate_facts("opening", opening),
        **slate_facts("later", later),
        **battle_facts(opening),
        **model_facts(opening),
        **wording_facts(said, opening),
        **_stated(people),
    }
    return {name: fact if isinstance(fact, int) else round(fact, 4) for name, fact in found.items()}


def _read(file: Path) -> Rows:
    with file.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def _grouped(rows: Rows, *keys: str) -> dict[Any, Rows]:
    groups: dict[Any, Rows] = {}
    for row in rows:
        groups.setdefault(tuple(row[key] for key in keys), []).append(row)
    return groups


def _counts(people: Rows, said: Rows, turns: dict[Any, Rows], opening: list[Rows]) -> Facts:
    sizes = Counter(len(rows) for rows in opening)
    spread = sum(score_range(rows) > RETAINED_ABOVE for rows in opening if len(rows) == SLATE_SIZE)
    kinds = Counter(rows[0]["conversation_type"] for rows in opening)
    opened = sum(len(rows) for rows in opening)
    return {
        "survey_users": len(people),
        "users_with_conversations": len({row["user_id"] for row in said}),
        "survey_only": sum(row["survey_only"] for row in people),
        "conversations": len(opening),
        "interactions": len(turns),
        "utterances": len(said),
        "opening_utterances": opened,
        "later_utterances": len(said) - opened,
        "models": len({row["model_name"] for row in said}),
        "providers": len({row["model_provider"] for row in said}),
        "chosen": sum(row["if_chosen"] for row in said),
        **{f"opening_slates_of_{k}": sizes[k] for k in range(SLATE_SIZE, 0, -1)},
        "opening_slate_mean": mean([len(rows) for rows in opening]),
        "opening_slates_of_4_share": sizes[SLATE_SIZE] / len(opening),
        "retained_slates": spread,
        "retained_share": spread / max(1, sizes[SLATE_SIZE]),
        **{f"conversations_{kind.replace(' ', '_')}": kinds[kind] for kind in sorted(kinds)},
        **{f"share_{kind.replace(' ', '_')}": kinds[kind] / len(opening) for kind in sorted(kinds)},
        "other_preference_share": mean(
            [row["stated_prefs"]["other"] is not None for row in people]
        ),
    }


def _talks(said: Rows, turns: dict[Any, Rows], opening: list[Rows]) -> Facts:
    held = Counter(rows[0]["user_id"] for rows in opening)
    spoken = Counter(row["user_id"] for row in said)
    length = Counter(conversation for conversation, _ in turns)
    opened = [row for rows in opening for row in rows]
    rated = Counter(user for user, _ in {(row["user_id"], row["model_name"]) for row in opened})
    raters = Counter(model for _, model in {(row["user_id"], row["model_name"]) for row in opened})
    shown = Counter(row["model_name"] for row in opened)
    return {
        **moments_of("conversations_of_a_user", list(held.values()), ends=True),
        **moments_of("utterances_of_a_user", list(spoken.values()), ends=True),
        **moments_of("models_rated_by_a_user", list(rated.values()), ends=True),
        **moments_of("opening_slates_of_a_model", list(shown.values()), ends=True),
        **moments_of("raters_of_a_model", list(raters.values()), ends=True),
        **moments_of("turns_of_a_conversation", list(length.values()), ends=True),
    }


def _scores(said: Rows, opening: list[Rows], later: list[Rows]) -> Facts:
    scores = [row["score"] for row in said]
    empty = [row["score"] for row in said if row["model_response"] == MISSING]
    within = Counter(scores)
    share = {name: sum(within[score] for score in at) for name, at in _SPIKES.items()}
    return {
        **moments_of("score", scores, ends=True),
        **{f"score_p{level}": quantile(scores, level / 100) for level in (25, 50, 75)},
        **{f"score_{name}_share": count / len(scores) for name, count in share.items()},
        **moments_of("opening_score", [row["score"] for rows in opening for row in rows]),
        **moments_of("later_score", [row["score"] for rows in later for row in rows]),
        "empty_texts": len(empty),
        "empty_share": len(empty) / len(said),
        **moments_of("empty_score", empty),
        "empty_score_p50": quantile(empty, 0.5),
        "empty_score_p75": quantile(empty, 0.75),
    }


_SPIKES = {"1_2": (1, 2), "49_50": (49, 50), "99_100": (99, 100)}


def _stated(people: Rows) -> Facts:
    columns = {name: [row["stated_prefs"][name] for row in people] for name in STATED}
    found: Facts = {}
    for name, column in columns.items():
        found |= moments_of(f"stated_{name}", column)
        found[f"stated_{name}_p50"] = quantile(column, 0.5)
    for one, other in combinations(STATED, 2):
        found[f"stated_correlation[{one},{other}]"] = correlation(columns[one], columns[other])
    return found
