"""Read the publisher's `survey.jsonl`: one participant a line, with what he says that he wants."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pearl.datasets.json_lines import read_objects
from pearl.datasets.prism.row import REMEDY, Row
from pearl.datasets.prism.slates import STATED

FILE_NAME = "survey.jsonl"
COLUMNS = (
    *("user_id", "survey_only", "num_completed_conversations", "consent", "consent_age"),
    *("lm_familiarity", "lm_indirect_use", "lm_direct_use", "lm_frequency_use"),
    *("self_description", "system_string", "age", "gender", "employment_status", "education"),
    *("marital_status", "english_proficiency", "study_id", "study_locale", "religion", "ethnicity"),
    *("location", "lm_usecases", "stated_prefs", "order_lm_usecases", "order_stated_prefs"),
    *("generated_datetime", "timing_duration_s", "timing_duration_mins"),
    *("included_in_US_REP", "included_in_UK_REP", "included_in_balanced_subset"),
)
_STATED_COLUMNS = (*STATED, "other", "other_text")


@dataclass(frozen=True, eq=False)
class Survey:
    """What is read of U participants, in the file's order.

    Attributes:
        users: U ids, each once.
        stated: float64[U, 8] stated preferences, 0-100, columns as `STATED`.
        survey_only: bool[U], who had no conversation.
        completed: int64[U], completed conversations, 0-7 in the publisher's file.
    """

    users: tuple[str, ...]
    stated: NDArray[np.float64]
    survey_only: NDArray[np.bool_]
    completed: NDArray[np.int64]


def read_survey(path: Path) -> Survey:
    """Read a survey in the publisher's format.

    Columns that pearl doesn't read (demographics, display orders, timings) have to be there; what
    they hold, null or not, is let be. Of the stated preferences only `other` and `other_text` may
    be null.

    Raises:
        DataError: the file is missing, empty, foreign or truncated, or a row breaks the schema; it
            names the file, the line, the field and a remedy.
    """
    return survey_of(Row(path, line, values) for line, values in read_objects(path, REMEDY))


def survey_of(rows: Iterable[Row]) -> Survey:
    """Return the survey of rows, wherever they come from; see `read_survey`."""
    lines: dict[str, int] = {}
    stated: list[list[float]] = []
    alone: list[bool] = []
    completed: list[int] = []
    for row in rows:
        row.columns(COLUMNS, only=True)
        user = row.name("user_id")
        if user in lines:
            raise row.wrong(f"{user} stands already in line {lines[user]}", "user_id")
        lines[user] = row.line
        preferences = row.inner("stated_prefs")
        preferences.columns(_STATED_COLUMNS, only=True)
        stated.append([preferences.number(name, 0, 100) for name in STATED])
        if preferences.values["other"] is not None:
            preferences.number("other", 0, 100)
        if preferences.values["other_text"] is not None:
            preferences.text("other_text")
        alone.append(row.flag("survey_only"))
        completed.append(row.whole("num_completed_conversations", 0, 1_000_000))
    return Survey(
        users=tuple(lines),
        stated=np.array(stated, dtype=np.float64).reshape(-1, len(STATED)),
        survey_only=np.array(alone, dtype=np.bool_),
        completed=np.array(completed, dtype=np.int64),
    )
