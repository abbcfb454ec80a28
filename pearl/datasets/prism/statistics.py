"""Measured facts of survey.jsonl and utterances.jsonl, under the names of published.yaml."""

from __future__ import annotations

import json
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

from pearl.datasets.prism.moments import correlation, least_squares, mean, quantile, sd
from pearl.datasets.prism.phrasing import WORDINGS, wordings
from pearl.datasets.prism.slates import SLATE_SIZE, STATED

Rows = list[dict[str, Any]]
Facts = dict[str, int | float]

MISSING = "EMPTY STRING"
TIE = 5  # points: the publisher's rule for a tie between two responses
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
        **_slates("opening", opening),
        **_slates("later", later),
        **_battles(opening),
        **_models(opening),
        **_wording(said, opening),
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


def _moments(name: str, values: list[Any], *, ends: bool = False) -> Facts:
    found: Facts = {f"{name}_mean": mean(values), f"{name}_sd": sd(values)}
    if ends:
        found |= {f"{name}_least": min(values), f"{name}_most": max(values)}
    return found


def _counts(people: Rows, said: Rows, turns: dict[Any, Rows], opening: list[Rows]) -> Facts:
    sizes = Counter(len(rows) for rows in opening)
    spread = sum(_range(rows) > RETAINED_ABOVE for rows in opening if len(rows) == SLATE_SIZE)
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
        **_moments("conversations_of_a_user", list(held.values()), ends=True),
        **_moments("utterances_of_a_user", list(spoken.values()), ends=True),
        **_moments("models_rated_by_a_user", list(rated.values()), ends=True),
        **_moments("opening_slates_of_a_model", list(shown.values()), ends=True),
        **_moments("raters_of_a_model", list(raters.values()), ends=True),
        **_moments("turns_of_a_conversation", list(length.values()), ends=True),
    }


def _scores(said: Rows, opening: list[Rows], later: list[Rows]) -> Facts:
    scores = [row["score"] for row in said]
    empty = [row["score"] for row in said if row["model_response"] == MISSING]
    within = Counter(scores)
    share = {name: sum(within[score] for score in at) for name, at in _SPIKES.items()}
    return {
        **_moments("score", scores, ends=True),
        **{f"score_p{level}": quantile(scores, level / 100) for level in (25, 50, 75)},
        **{f"score_{name}_share": count / len(scores) for name, count in share.items()},
        **_moments("opening_score", [row["score"] for rows in opening for row in rows]),
        **_moments("later_score", [row["score"] for rows in later for row in rows]),
        "empty_texts": len(empty),
        "empty_share": len(empty) / len(said),
        **_moments("empty_score", empty),
        "empty_score_p50": quantile(empty, 0.5),
        "empty_score_p75": quantile(empty, 0.75),
    }


_SPIKES = {"1_2": (1, 2), "49_50": (49, 50), "99_100": (99, 100)}


def _slates(part: str, groups: list[Rows]) -> Facts:
    """Ranges within interactions, and the means of a user's interactions over users."""
    ranges = [_range(rows) for rows in groups]
    users: dict[str, list[Rows]] = {}
    for rows in groups:
        users.setdefault(rows[0]["user_id"], []).append(rows)
    own_range = [mean([_range(rows) for rows in mine]) for mine in users.values()]
    own_mean = [mean([row["score"] for rows in mine for row in rows]) for mine in users.values()]
    own_sd = [
        mean([sd([row["score"] for row in rows]) for rows in mine if len(rows) > 1])
        for mine in users.values()
        if any(len(rows) > 1 for rows in mine)
    ]
    away = [
        mean([abs(mean([row["score"] for row in rows]) - 50) for rows in mine])
        for mine in users.values()
    ]
    return {
        **_moments(f"{part}_range", ranges),
        **_moments(f"{part}_user_range", own_range),
        **_moments(f"{part}_user_mean", own_mean),
        **_moments(f"{part}_user_within_sd", own_sd),
        **_moments(f"{part}_user_away_from_50", away),
        f"{part}_user_mean_range_correlation": correlation(own_mean, own_range),
    }


def _range(rows: Rows) -> int:
    scores = [row["score"] for row in rows]
    return int(max(scores) - min(scores))


def _battles(opening: list[Rows]) -> Facts:
    """All pairs of an opening slate, the response shown first against the one shown later."""
    gaps = [
        first["score"] - second["score"]
        for rows in opening
        for first, second in combinations(rows, 2)
    ]
    return {
        "battles": len(gaps),
        "first_shown_wins": mean([gap > TIE for gap in gaps]),
        "second_shown_wins": mean([gap < -TIE for gap in gaps]),
        "ties": mean([abs(gap) <= TIE for gap in gaps]),
    }


def _models(opening: list[Rows]) -> Facts:
    """Mean opening score and win rate of each model; a tie is a win and a loss, as published."""
    scores: dict[str, list[int]] = {}
    won, fought = Counter[str](), Counter[str]()
    for rows in opening:
        for row in rows:
            scores.setdefault(row["model_name"], []).append(row["score"])
        for one, other in combinations(rows, 2):
            for row, rival in ((one, other), (other, one)):
                gap = row["score"] - rival["score"]
                won[row["model_name"]] += gap >= -TIE
                fought[row["model_name"]] += (gap >= -TIE) + (gap <= TIE)
    names = sorted(scores)
    means = {name: mean(scores[name]) for name in names}
    return {
        "model_mean_sd": sd(list(means.values())),
        **{f"opening_mean[{name}]": means[name] for name in names},
        **{f"win_rate[{name}]": won[name] / max(1, fought[name]) for name in names},
    }


def _wording(said: Rows, opening: list[Rows]) -> Facts:
    """Wordings of opening responses, what they do to the score, and how often longer is chosen."""
    rows = [row for slate in opening for row in slate]
    marks = [wordings(row["model_response"]) for row in rows]
    length = [len(row["model_response"]) for row in rows]
    columns = [[float(mark[name]) for mark in marks] for name in WORDINGS]
    slopes, explained = least_squares([list(map(float, length)), *columns], _floats(rows))
    refused = {
        row["utterance_id"] for row, mark in zip(rows, marks, strict=True) if mark["refusal"]
    }
    hit = [slate for slate in opening if any(row["utterance_id"] in refused for row in slate)]
    mixed = [slate for slate in hit if not all(row["utterance_id"] in refused for row in slate)]
    other = [
        not any(row["if_chosen"] and row["utterance_id"] in refused for row in slate)
        for slate in mixed
    ]
    return {
        "opening_r_squared": explained,
        **{f"{name}_share": mean(column) for name, column in zip(WORDINGS, columns, strict=True)},
        **{f"{name}_points": slope for name, slope in zip(WORDINGS, slopes[1:], strict=True)},
        "length_score_correlation": correlation(
            [len(row["model_response"]) for row in said], [row["score"] for row in said]
        ),
        "no_refusal_in_slate_share": 1 - len(hit) / len(opening),
        "other_than_refusal_chosen_share": mean(other),
    }


def _floats(rows: Rows) -> list[float]:
    return [float(row["score"]) for row in rows]


def _stated(people: Rows) -> Facts:
    columns = {name: [row["stated_prefs"][name] for row in people] for name in STATED}
    found: Facts = {}
    for name, column in columns.items():
        found |= _moments(f"stated_{name}", column)
        found[f"stated_{name}_p50"] = quantile(column, 0.5)
    for one, other in combinations(STATED, 2):
        found[f"stated_correlation[{one},{other}]"] = correlation(columns[one], columns[other])
    return found
