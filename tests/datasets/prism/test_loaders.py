import json
from dataclasses import fields

import numpy as np
import pytest
from made_prism import RETAINED, SLATES, survey_row, utterance_rows, write_made_prism, write_rows

from pearl.datasets.prism import entry, through_datasets
from pearl.datasets.prism.openings import counts
from pearl.datasets.prism.survey import read_survey
from pearl.datasets.prism.tables import read_tables, write_tables
from pearl.datasets.prism.utterances import read_openings
from pearl.errors import DataError, SourceError


@pytest.fixture
def raw(tmp_path):
    write_made_prism(tmp_path / "raw")
    return tmp_path / "raw"


def same(one, other):
    return all(
        np.array_equal(getattr(one, field.name), getattr(other, field.name))
        for field in fields(one)
    )


def edited(file, line, edit):
    """Change the row in a line (from 1) of a JSON lines file."""
    rows = [json.loads(text) for text in file.read_text(encoding="utf-8").splitlines()]
    edit(rows[line - 1])
    return write_rows(file, rows)


def put(*path_and_value):
    *path, last, value = path_and_value

    def edit(row):
        for name in path:
            row = row[name]
        row[last] = value

    return edit


def test_the_survey_is_read_with_nulls_where_they_may_be(raw):
    survey = read_survey(raw / "survey.jsonl")
    assert survey.users == tuple(f"user{i}" for i in range(7))
    assert survey.stated.shape == (7, 8)
    assert survey.stated[1].tolist() == [(17 + 11 * place) % 101 for place in range(8)]
    assert survey.survey_only.tolist() == [False] * 6 + [True]
    assert survey.completed.tolist() == [6] * 6 + [0]


def test_openings_keep_sizes_ties_and_missing_texts_as_published(raw):
    survey = read_survey(raw / "survey.jsonl")
    openings = read_openings(raw / "utterances.jsonl", survey)
    assert openings.conversations == tuple(f"c{i}" for i in range(36))
    assert openings.user.tolist() == [i // 6 for i in range(36)]
    assert openings.sizes.tolist() == [len(SLATES[i % 9]) for i in range(36)]
    for row in range(9):
        place = slice(*openings.offsets[row : row + 2])
        assert tuple(openings.scores[place]) == SLATES[row]
        assert openings.spreads[row] == max(SLATES[row]) - min(SLATES[row])
    assert openings.responses[4:8] == ("EMPTY STRING",) * 4
    assert openings.prompts[0] == "Question 0, turn 0?"
    assert openings.utterances == len(utterance_rows(6, 6)) == sum(openings.sizes + 2)
    assert openings.chosen.sum() == 36


@pytest.mark.parametrize("spread", [10, 20, 30])
def test_the_filter_takes_slates_of_four_strictly_above_the_spread(raw, spread):
    openings = read_openings(raw / "utterances.jsonl", read_survey(raw / "survey.jsonl"))
    kept = openings.retained(spread)
    assert len(kept) == 4 * RETAINED[spread]
    for row in range(len(openings.conversations)):
        scores = SLATES[row % 9]
        assert (row in kept) == (len(scores) == 4 and max(scores) - min(scores) > spread)


def test_slates_stand_in_shown_order_whatever_the_files_order(tmp_path, raw):
    rows = utterance_rows(6, 6)
    rows[0:4] = [rows[2], rows[0], rows[3], rows[1]]
    shuffled = write_rows(tmp_path / "utterances.jsonl", rows)
    survey = read_survey(raw / "survey.jsonl")
    assert same(read_openings(shuffled, survey), read_openings(raw / "utterances.jsonl", survey))


def test_counts_by_hand(raw):
    survey = read_survey(raw / "survey.jsonl")
    openings = read_openings(raw / "utterances.jsonl", survey)
    assert counts(openings, len(survey.users)) == {
        "survey_users": 7,
        "users_with_conversations": 6,
        "utterances": 36 * 2 + 4 * 30,
        "opening_utterances": 4 * 30,
        "conversations": 36,
        "opening_slates_of_4": 24,
        "opening_slates_of_3": 4,
        "opening_slates_of_2": 4,
        "opening_slates_of_1": 4,
        "retained_slates": 12,
    }


def test_tables_say_what_the_files_say(raw, tmp_path):
    survey, openings = entry.read(raw)
    write_tables(survey, openings, tmp_path / "tables")
    found = read_tables(tmp_path / "tables")
    assert same(survey, found[0])
    assert same(openings, found[1])
    assert entry.is_current(tmp_path / "tables")
    assert all(check.passed for check in entry.check_tables(raw, tmp_path / "tables"))
    (tmp_path / "tables" / "openings.parquet").write_bytes(b"cut")
    assert not entry.is_current(tmp_path / "tables")
    assert not all(check.passed for check in entry.check_tables(raw, tmp_path / "tables"))


@pytest.mark.parametrize(
    ("line", "edit", "field", "said"),
    [
        (2, put("user_id", "user0"), "user_id", "user0 stands already in line 1"),
        (2, put("user_id", 3), "user_id", "3 is not a text"),
        (2, put("user_id", " "), "user_id", "empty"),
        (3, put("stated_prefs", "safety", None), "stated_prefs.safety", "null is not a number"),
        (3, put("stated_prefs", "safety", True), "stated_prefs.safety", "true is not a number"),
        (3, put("stated_prefs", "values", 101), "stated_prefs.values", "outside 0-100"),
        (3, put("stated_prefs", "values", float("nan")), "stated_prefs.values", "outside 0-100"),
        (3, put("stated_prefs", "other", "much"), "stated_prefs.other", '"much" is not a number'),
        (3, put("stated_prefs", "other_text", 3), "stated_prefs.other_text", "3 is not a text"),
        (3, put("stated_prefs", "colour", 3), "stated_prefs.colour", "schema doesn't have"),
        (3, lambda r: r["stated_prefs"].pop("other"), "stated_prefs.other", "missing"),
        (3, put("stated_prefs", None), "stated_prefs", "null is not an object"),
        (4, lambda row: row.pop("age"), "age", "missing"),
        (4, put("colour", "red"), "colour", "schema doesn't have"),
        (4, put("survey_only", "no"), "survey_only", "neither true nor false"),
        (4, put("num_completed_conversations", -1), "num_completed_conversations", "outside"),
        (4, put("num_completed_conversations", 10**30), "num_completed_conversations", "outside"),
    ],
)
def test_a_wrong_survey_row_is_named_with_file_line_and_field(raw, line, edit, field, said):
    file = edited(raw / "survey.jsonl", line, edit)
    with pytest.raises(DataError) as caught:
        read_survey(file)
    assert (caught.value.file, caught.value.line, caught.value.field) == (file, line, field)
    assert said in caught.value.problem
    assert "pearl data fetch prism" in caught.value.remedy


@pytest.mark.parametrize(
    ("line", "edit", "field", "said"),
    [
        (5, put("score", 0), "score", "0 is outside 1-100"),
        (5, put("score", 101), "score", "101 is outside 1-100"),
        (5, put("score", 50.0), "score", "not a whole number"),
        (5, put("score", None), "score", "null is not a whole number"),
        (5, put("score", True), "score", "true is not a whole number"),
        (5, put("turn", -1), "turn", "outside 0 and above"),
        (5, put("within_turn_id", 4), "within_turn_id", "outside 0-3"),
        (5, put("model_response", None), "model_response", "null is not a text"),
        (5, put("user_prompt", None), "user_prompt", "null is not a text"),
        (5, put("model_name", ""), "model_name", "empty"),
        (5, put("if_chosen", 1), "if_chosen", "neither true nor false"),
        (5, put("user_id", "user99"), "user_id", "user99 is not in the survey"),
        (5, put("user_id", "user3"), "user_id", "c0 has user3 here and user0 in line 1"),
        (5, put("conversation_type", "chat"), "conversation_type", "no conversation type"),
        (2, put("conversation_type", "values guided"), "conversation_type", "c0 has values guided"),
        (5, put("utterance_id", "ut1"), "utterance_id", "stands already in line 2"),
        (4, put("within_turn_id", 1), "within_turn_id", "stands already in line 2"),
        (5, put("interaction_id", "int0"), "interaction_id", "int0 is turn 0 of c0"),
        (3, put("user_prompt", "Else?"), "user_prompt", "another opening prompt"),
        (5, lambda row: row.pop("model_provider"), "model_provider", "missing"),
        (5, put("extra", 1), "extra", "schema doesn't have"),
    ],
)
def test_a_wrong_utterance_is_named_with_file_line_and_field(raw, line, edit, field, said):
    file = edited(raw / "utterances.jsonl", line, edit)
    with pytest.raises(DataError) as caught:
        read_openings(file, read_survey(raw / "survey.jsonl"))
    assert (caught.value.file, caught.value.line, caught.value.field) == (file, line, field)
    assert said in caught.value.problem


def test_half_a_character_is_refused(raw):
    file = raw / "utterances.jsonl"
    file.write_text(file.read_text(encoding="utf-8").replace("Answer 0", "\\ud800", 1))
    with pytest.raises(DataError, match="half a character"):
        read_openings(file, read_survey(raw / "survey.jsonl"))


def test_a_conversation_without_its_opening_turn_is_refused(tmp_path, raw):
    rows = [row for row in utterance_rows(6, 6) if row["conversation_id"] != "c2" or row["turn"]]
    file = write_rows(tmp_path / "utterances.jsonl", rows)
    with pytest.raises(DataError, match="c2 has no opening turn") as caught:
        read_openings(file, read_survey(raw / "survey.jsonl"))
    assert caught.value.line == 13


@pytest.mark.parametrize(
    ("content", "line", "said"),
    [
        (b"", None, "empty"),
        (b"\x1f\x8b...", 1, "gzip"),
        (b"PAR1...", 1, "Parquet"),
        (b"version https://git-lfs.github.com/spec/v1\n", 1, "Git LFS pointer"),
        (b"<html>", 1, "web page"),
        (b"[1]\n", 1, "JSON array"),
        (b'{"user_id": "a"', 1, "cut off"),
        (b"3\n", 1, "a JSON int"),
        (b"\n", None, "empty"),
        (b'{"user_id": "\xff"}\n', 1, "not UTF-8"),
        (b'{"user_id": "a", "user_id": "b"}\n', 1, "stands twice"),
        (b'{"a": {"b": 1, "b": 2}}\n', 1, "stands twice"),
        (b'{"user_id": "\0"}\n', 1, "NUL"),
    ],
)
def test_foreign_and_damaged_files_are_explained(tmp_path, content, line, said):
    file = tmp_path / "survey.jsonl"
    file.write_bytes(content)
    with pytest.raises(DataError, match=said) as caught:
        read_survey(file)
    assert caught.value.line == line
    with pytest.raises(DataError, match="no such file"):
        read_survey(tmp_path / "absent.jsonl")


def test_a_file_cut_in_its_last_line_is_refused(raw):
    file = raw / "utterances.jsonl"
    file.write_bytes(file.read_bytes()[:-30])
    with pytest.raises(DataError, match="cut off") as caught:
        read_openings(file, read_survey(raw / "survey.jsonl"))
    assert caught.value.line == len(utterance_rows(6, 6))


def test_the_datasets_library_gives_equal_tables(raw, tmp_path):
    survey, openings = entry.read(raw)
    through = through_datasets.from_files(
        raw / "survey.jsonl", raw / "utterances.jsonl", tmp_path / "cache"
    )
    assert same(survey, through[0])
    assert same(openings, through[1])


def test_the_datasets_library_is_held_to_the_same_rules(raw, tmp_path):
    edited(raw / "utterances.jsonl", 5, put("score", 101))
    with pytest.raises(DataError, match="101 is outside 1-100") as caught:
        through_datasets.from_files(
            raw / "survey.jsonl", raw / "utterances.jsonl", tmp_path / "cache"
        )
    assert (caught.value.line, caught.value.field) == (5, "score")


def test_the_hub_through_the_datasets_library_says_what_is_missing_offline(tmp_path, monkeypatch):
    monkeypatch.setattr("datasets.config.HF_HUB_OFFLINE", True)
    with pytest.raises(SourceError, match="HannahRoseKirk/prism-alignment") as caught:
        through_datasets.from_hub(entry.PUBLISHED.revision, tmp_path / "cache")
    assert "survey.jsonl and utterances.jsonl" in caught.value.remedy


def test_a_row_of_each_file_is_the_schema_that_the_loaders_hold_to():
    from pearl.datasets.prism import survey, utterances

    assert tuple(survey_row(0)) == survey.COLUMNS
    assert tuple(utterance_rows(1, 1)[0]) == utterances.COLUMNS
