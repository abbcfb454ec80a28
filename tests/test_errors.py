"""Errors cross from a worker process whole."""

import pickle
from pathlib import Path

import pytest

from pearl.errors import DataError, PearlError, SettingError, SourceError
from pearl.runs import CorruptRunError

ERRORS = [
    PearlError("it broke", remedy="mend it"),
    SettingError("no such word"),
    SourceError("no mirror", remedy="name one"),
    DataError(Path("a/b.jsonl"), "cut off", line=3, field="timestamp", remedy="fetch it again"),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_pickled_and_back(error: PearlError) -> None:
    back = pickle.loads(pickle.dumps(error))
    assert type(back) is type(error)
    assert str(back) == str(error)
    assert back.__dict__ == error.__dict__


def test_a_damaged_run_too(tmp_path: Path) -> None:
    error = CorruptRunError(tmp_path, "a file is missing")
    back = pickle.loads(pickle.dumps(error))
    assert (str(back), back.folder) == (str(error), tmp_path)


def test_the_message_names_file_line_field_and_remedy() -> None:
    text = str(ERRORS[3])
    for word in ("a/b.jsonl", "line 3", "'timestamp'", "cut off", "fetch it again"):
        assert word in text
