"""Figure 2's numbers: how far apart users' mean ratings are, over all models and for each."""

from __future__ import annotations

from collections.abc import Sequence

from pearl.report.cells import Cell
from pearl.report.exhibits.asked import Asked, fact
from pearl.report.numbers import plain
from pearl.report.views import Entry, Grid

SPREAD, RATERS = "sd of users' mean ratings", "users"
ALL = "all models"


def heterogeneity_cells(asked: Asked) -> list[Cell]:
    """Return the CSV file's cells: all models, then each."""
    found = asked.data
    cells = [
        Cell(ALL, SPREAD, fact(found.summary("sd of means"))),
        Cell(ALL, "mean of users' mean ratings", fact(found.summary("mean of means"))),
        Cell(ALL, RATERS, fact(found.summary("users"))),
    ]
    for name in ranked(asked):
        cells.append(Cell(name, SPREAD, fact(found.values["model sd"][name])))
        cells.append(Cell(name, RATERS, fact(found.values["model raters"][name])))
    return cells


def heterogeneity_grids(asked: Asked, _cells: Sequence[Cell]) -> tuple[Grid, ...]:
    """Print the users' spread over all models, then for each."""
    found = asked.data
    sample = asked.runs.on_sample_data
    sd, users = found.summary("sd of means"), found.summary("users")
    rows = [
        (
            ALL,
            True,
            (
                _beside(sd, 1, "11.5", abs(sd - 11.5) <= 0.05, sample),
                _beside(users, 0, "1,395", users == 1395, sample),
            ),
        )
    ]
    for name in ranked(asked):
        spread = found.values["model sd"][name]
        rows.append(
            (
                name,
                False,
                (
                    Entry(plain(spread, 1)),
                    Entry(plain(found.values["model raters"][name])),
                ),
            )
        )
    return (Grid("", ("model", SPREAD, RATERS), tuple(rows)),)


def heterogeneity_beneath(asked: Asked) -> tuple[str, ...]:
    """Return the sentences beneath the table."""
    found = asked.data
    spread = found.values["model sd"]
    above = sum(value > 13 for value in spread.values())
    return (
        "Ratings are those of the opening turns, 1 to 100, in which a user rates responses side by"
        " side. For a model: the standard deviation, over the users who rated it, of a user's mean"
        f" rating of it; it exceeds 13 for {above} of {len(spread)} models, in the paper for"
        " all 21.",
        "A user rates a model once or twice, so a model's column holds the noise of single ratings"
        " beside disagreement: more than half of a rating's variance lies within a user.",
        "No intervals: the numbers are of all the data at hand.",
    )


def ranked(asked: Asked) -> list[str]:
    """Return the models, the one most agreed upon first."""
    spread = asked.data.values["model sd"]
    return sorted(spread, key=lambda name: (spread[name], name))


def _beside(value: float, decimals: int, published: str, holds: bool, sample: bool) -> Entry:
    if sample:
        return Entry(plain(value, decimals), published=published)
    word = "reproduced" if holds else "not reproduced"
    return Entry(
        plain(value, decimals),
        published=published,
        verdict=word,
        tone="good" if holds else "bad",
    )
