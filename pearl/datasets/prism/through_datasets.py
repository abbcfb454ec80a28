"""The publisher's tables through the `datasets` library: the same rules, the same result."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pearl.datasets.prism.openings import Openings
from pearl.datasets.prism.row import Row
from pearl.datasets.prism.survey import Survey, survey_of
from pearl.datasets.prism.utterances import openings_of
from pearl.errors import SourceError

HUB = "HannahRoseKirk/prism-alignment"
CONFIGS = ("survey", "utterances")


def from_files(
    survey: Path, utterances: Path, cache: Path | None = None
) -> tuple[Survey, Openings]:
    """Read the publisher's two files with `datasets`.

    Args:
        survey: survey.jsonl.
        utterances: utterances.jsonl.
        cache: the folder for what `datasets` keeps; its own by default.

    Raises:
        DataError: a row breaks the schema; the line is the row's number (from 1).
    """
    from datasets import load_dataset  # type: ignore[import-untyped]

    places = dict(zip(CONFIGS, (survey, utterances), strict=True))
    loaded = {
        name: load_dataset("json", data_files=str(file), split="train", cache_dir=_text(cache))
        for name, file in places.items()
    }
    return _read(loaded, places)


def from_hub(revision: str, cache: Path | None = None) -> tuple[Survey, Openings]:
    """Read the publisher's data set from its hub at a revision, or from what `datasets` keeps.

    Raises:
        SourceError: the hub can't be reached and the data set isn't kept here.
        DataError: as `from_files`.
    """
    from datasets import load_dataset

    places = {name: Path(HUB) / f"{name}.jsonl" for name in CONFIGS}
    try:
        loaded = {
            name: load_dataset(HUB, name, revision=revision, split="train", cache_dir=_text(cache))
            for name in CONFIGS
        }
    except (OSError, ValueError) as error:
        # OSError: no connection, offline mode, no such data set; ValueError: not in the cache.
        raise SourceError(
            f"{HUB} at revision {revision} can't be loaded: {str(error).splitlines()[0]}",
            remedy="It needs network (and HF_HUB_OFFLINE unset), or the publisher's files "
            "survey.jsonl and utterances.jsonl: see `pearl data fetch prism`, or take --source "
            "sample.",
        ) from error
    return _read(loaded, places)


def _read(loaded: dict[str, Any], places: dict[str, Path]) -> tuple[Survey, Openings]:
    survey = survey_of(_rows(loaded["survey"], places["survey"]))
    return survey, openings_of(_rows(loaded["utterances"], places["utterances"]), survey)


def _rows(table: Any, file: Path) -> Iterator[Row]:
    for number, values in enumerate(table, start=1):
        yield Row(file, number, values)


def _text(folder: Path | None) -> str | None:
    return None if folder is None else str(folder)
