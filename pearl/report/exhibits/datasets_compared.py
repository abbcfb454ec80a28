"""Table 2: preference data sets beside what a personalised bandit needs; PRISM's row measured."""

from __future__ import annotations

from collections.abc import Sequence

from pearl.report.cells import Cell
from pearl.report.exhibits.asked import Asked, fact
from pearl.report.exhibits.printed import load_printed_tables
from pearl.report.numbers import plain
from pearl.report.views import Entry, Grid

PRISM = "PRISM"
MEASURED = {
    "users": "users",
    "users with ratings": "users with ratings",
    "features": "stated preferences of a user",
    "lowest rating": "lowest rating",
    "highest rating": "highest rating",
    "ratings used": "different ratings",
    "models": "models",
    "most candidates": "candidates for a prompt, at most",
}


def datasets_cells(asked: Asked) -> list[Cell]:
    """Return the CSV file's cells: what was measured of PRISM."""
    row = "sample data" if asked.runs.on_sample_data else PRISM
    return [Cell(row, word, fact(asked.data.summary(name))) for name, word in MEASURED.items()]


def datasets_grids(asked: Asked, _cells: Sequence[Cell]) -> tuple[Grid, ...]:
    """Print the paper's table, PRISM's row as measured with the paper's words beneath."""
    printed = load_printed_tables().datasets
    sample = asked.runs.on_sample_data
    label = "Sample data in PRISM's schema" if sample else f"{PRISM}, as read here"
    rows = [(label, True, _measured(asked))]
    rows += [
        (name, False, tuple(Entry(word) for word in row))
        for name, row in printed.rows.items()
        if name != PRISM
    ]
    return (Grid("", ("data set", *printed.columns), tuple(rows), words=True),)


def datasets_beneath(asked: Asked) -> tuple[str, ...]:
    """Return the sentences beneath the table."""
    found = asked.data
    several, slates = found.summary("slates of several"), found.summary("slates")
    return (
        f"The first row is measured: {plain(found.summary('users with ratings'))} of its"
        f" {plain(found.summary('users'))} participants rated responses, in {plain(slates)} opening"
        f" turns, {plain(several)} of them with at least two and at most"
        f" {plain(found.summary('most candidates'))} candidates side by side.",
        "The other rows are the paper's; nothing here reads those data sets.",
    )


def _measured(asked: Asked) -> tuple[Entry, ...]:
    found, judged = asked.data, not asked.runs.on_sample_data
    published = load_printed_tables().datasets.rows[PRISM]
    low, high = found.summary("lowest rating"), found.summary("highest rating")
    users, models = found.summary("users"), found.summary("models")
    features = found.summary("features")
    said: tuple[tuple[str, bool | None], ...] = (
        ("\N{CHECK MARK}", True),
        (f"{plain(features)} stated preferences", features == 8),
        (f"cardinal {plain(low)}–{plain(high)}", (low, high) == (1, 100)),
        (f"{plain(models)} models", models == 21 if judged else None),
        (plain(users), users == 1500 if judged else None),
    )
    return tuple(
        Entry(words, published=paper, verdict=_word(same), tone=_tone(same))
        for (words, same), paper in zip(said, published, strict=True)
    )


def _word(same: bool | None) -> str:
    return "" if same is None else ("same" if same else "differs")


def _tone(same: bool | None) -> str:
    return "" if same is None else ("good" if same else "bad")
