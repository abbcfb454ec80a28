"""How far apart users' ratings are, by hand on a few slates."""

from math import sqrt
from pathlib import Path

import numpy as np
import pytest

from pearl.datasets.prism.heterogeneity import four_properties, heterogeneity
from pearl.datasets.prism.openings import Openings
from pearl.datasets.prism.survey import Survey
from pearl.datasets.prism.tables import write_tables
from pearl.environments.prism_counts import interaction_counts
from pearl.environments.prism_settings import PrismSettings

# Conversations as (user, models, scores); user 2 rates nothing.
SLATES = [
    (0, ("a", "b"), (10, 30)),
    (0, ("a", "b", "c", "a"), (20, 60, 1, 50)),
    (1, ("a", "c", "b", "b"), (70, 100, 90, 100)),
    (1, ("c", "b", "a", "c"), (40, 80, 85, 20)),
    (3, ("c", "a", "b", "c"), (30, 20, 10, 80)),
]


@pytest.fixture
def tables(tmp_path: Path) -> Path:
    survey = Survey(
        users=("u0", "u1", "u2", "u3"),
        stated=np.zeros((4, 8)),
        survey_only=np.array([False, False, True, False]),
        completed=np.array([2, 2, 0, 1]),
    )
    openings = Openings.of(
        conversations=[f"c{n}" for n in range(len(SLATES))],
        user=[user for user, _, _ in SLATES],
        types=["unguided"] * len(SLATES),
        prompts=["?"] * len(SLATES),
        responses=[["!"] * len(scores) for _, _, scores in SLATES],
        models=[list(models) for _, models, _ in SLATES],
        providers=[["p"] * len(scores) for _, _, scores in SLATES],
        scores=[list(scores) for _, _, scores in SLATES],
        chosen=[[s == max(scores) for s in scores] for _, _, scores in SLATES],
        utterances=100,
    )
    write_tables(survey, openings, tmp_path)
    return tmp_path


def test_means_and_spreads_by_hand(tables: Path) -> None:
    found = heterogeneity(tables, {})
    # u0: 171 / 6, u1: 585 / 8, u3: 140 / 4
    assert found["user mean"] == {"0": 171 / 6, "1": 585 / 8, "2": 35.0}
    # b: u0 (30, 60) 45, u1 (90, 100, 80) 90, u3 10: mean 145/3
    middle = 145 / 3
    wanted = sqrt(((45 - middle) ** 2 + (90 - middle) ** 2 + (10 - middle) ** 2) / 2)
    assert found["model sd"]["b"] == pytest.approx(wanted, rel=1e-12)
    assert found["model raters"] == {"a": 3.0, "b": 3.0, "c": 3.0}
    summary = found["summary"]
    means = [171 / 6, 585 / 8, 35.0]
    assert summary["sd of means"] == pytest.approx(np.std(means, ddof=1), rel=1e-12)
    assert summary["mean of means"] == pytest.approx(np.mean(means), rel=1e-12)
    assert (summary["users"], summary["models"]) == (3.0, 3.0)
    assert summary["least model sd"] == min(found["model sd"].values())


def test_a_model_that_one_user_rated_has_no_spread(tables: Path) -> None:
    from pearl.datasets.prism.tables import read_tables

    survey, openings = read_tables(tables)
    models = ("z", *openings.models[1:])
    write_tables(survey, type(openings)(**{**vars(openings), "models": models}), tables)
    found = heterogeneity(tables, {})
    assert found["model sd"]["z"] == 0.0
    assert found["model raters"]["z"] == 1.0


def test_what_table_2_says(tables: Path) -> None:
    assert four_properties(tables, {})["summary"] == {
        "users": 4.0,
        "users with ratings": 3.0,
        "slates of several": 5.0,
        "slates": 5.0,
        "features": 8.0,
        "lowest rating": 1.0,
        "highest rating": 100.0,
        "ratings used": 12.0,
        "models": 3.0,
        "most candidates": 4.0,
    }


@pytest.mark.parametrize(
    ("changes", "interactions", "pretraining", "total"),
    [
        # Slates of four whose spread exceeds 30 points: 59, 30 (no), 65, 70.
        ({}, 3, 0, 30),
        ({"min_spread": 0.2}, 4, 1, 30),
        ({"min_spread": 0.2, "interactions": "fresh"}, 4, 1, 3),
        ({"min_spread": 0.65}, 1, 0, 10),
    ],
)
def test_interactions_of_a_world(
    tables: Path, changes: dict[str, object], interactions: int, pretraining: int, total: int
) -> None:
    settings = {**PrismSettings().model_dump(mode="json"), **changes, "horizon": 10}
    found = interaction_counts(tables, settings)["summary"]
    assert found["interactions"] == interactions
    assert found["pretraining"] == pretraining
    assert found["online"] == interactions - pretraining
    assert found["total"] == total
    assert (found["users"], found["candidates"]) == (4.0, 4.0)
