"""Facts of the opening slates and later turns: ranges, pairs, models and wordings."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import Any

from pearl.datasets.prism.moments import correlation, least_squares, mean, sd
from pearl.datasets.prism.phrasing import WORDINGS, wordings

Rows = list[dict[str, Any]]
Facts = dict[str, int | float]

TIE = 5  # points: the publisher's rule for a tie between two responses


def moments_of(name: str, values: list[Any], *, ends: bool = False) -> Facts:
    """Return mean and sd of values under a name, and with `ends` the least and the most."""
    found: Facts = {f"{name}_mean": mean(values), f"{name}_sd": sd(values)}
    if ends:
        found |= {f"{name}_least": min(values), f"{name}_most": max(values)}
    return found


def slate_facts(part: str, groups: list[Rows]) -> Facts:
    """Ranges within interactions, and the means of a user's interactions over users."""
    ranges = [score_range(rows) for rows in groups]
    users: dict[str, list[Rows]] = {}
    for rows in groups:
        users.setdefault(rows[0]["user_id"], []).append(rows)
    own_range = [mean([score_range(rows) for rows in mine]) for mine in users.values()]
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
        **moments_of(f"{part}_range", ranges),
        **moments_of(f"{part}_user_range", own_range),
        **moments_of(f"{part}_user_mean", own_mean),
        **moments_of(f"{part}_user_within_sd", own_sd),
        **moments_of(f"{part}_user_away_from_50", away),
        f"{part}_user_mean_range_correlation": correlation(own_mean, own_range),
    }


def score_range(rows: Rows) -> int:
    """Return the points between the best and the worst response of an interaction."""
    scores = [row["score"] for row in rows]
    return int(max(scores) - min(scores))


def battle_facts(opening: list[Rows]) -> Facts:
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


def model_facts(opening: list[Rows]) -> Facts:
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


def wording_facts(said: Rows, opening: list[Rows]) -> Facts:
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
