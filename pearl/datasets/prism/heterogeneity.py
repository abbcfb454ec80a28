"""How far apart users' ratings are (Figure 2), and what PRISM offers a bandit (Table 2).

Both are of the opening turns, whose responses one user rates side by side on a scale of 1 to 100.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from pearl.datasets.prism.moments import mean, sd
from pearl.datasets.prism.openings import Openings
from pearl.datasets.prism.tables import read_tables

Values = dict[str, dict[str, float]]


def heterogeneity(tables: Path, _settings: Mapping[str, Any]) -> Values:
    """Measure how users' mean ratings are spread, over all models and for each.

    Args:
        tables: the folder of PRISM's tables.

    Returns:
        By quantity: "user mean" by place among the users with ratings (from 0), "model sd" and
        "model raters" by model: the standard deviation (n - 1), over the users who rated the model,
        of a user's mean rating of it, and their number; "summary" with the number of users, the
        mean and standard deviation of their means, the number of models and the least "model sd".
        Ratings are 1-100, means exact sums of whole points over counts.
    """
    _, openings = read_tables(tables)
    raters = _raters(openings)
    users = np.unique(raters)
    means = [_mean(openings, raters == user) for user in users]
    models = np.array(openings.models)
    names = sorted(set(openings.models))
    spread, counts = {}, {}
    for name in names:
        of_model = models == name
        who = np.unique(raters[of_model])
        spread[name] = sd([_mean(openings, of_model & (raters == user)) for user in who])
        counts[name] = float(len(who))
    return {
        "user mean": {str(place): value for place, value in enumerate(means)},
        "model sd": spread,
        "model raters": counts,
        "summary": {
            "users": float(len(users)),
            "mean of means": mean(means),
            "sd of means": sd(means),
            "models": float(len(names)),
            "least model sd": min(spread.values(), default=0.0),
        },
    }


def four_properties(tables: Path, _settings: Mapping[str, Any]) -> Values:
    """Measure what Table 2 says of PRISM: users, features of them, the scale, the candidates."""
    survey, openings = read_tables(tables)
    sizes = openings.sizes
    return {
        "summary": {
            "users": float(len(survey.users)),
            "users with ratings": float(len(np.unique(openings.user))),
            "slates of several": float((sizes > 1).sum()),
            "slates": float(len(sizes)),
            "features": float(survey.stated.shape[1]),
            "lowest rating": float(openings.scores.min(initial=100)),
            "highest rating": float(openings.scores.max(initial=0)),
            "ratings used": float(len(np.unique(openings.scores))),
            "models": float(len(set(openings.models))),
            "most candidates": float(sizes.max(initial=0)),
        }
    }


def _raters(openings: Openings) -> np.ndarray:
    """Return the user of each response."""
    return np.repeat(openings.user, openings.sizes)


def _mean(openings: Openings, chosen: np.ndarray) -> float:
    scores = openings.scores[chosen]
    return int(scores.sum()) / len(scores)
