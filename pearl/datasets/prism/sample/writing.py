"""Write the sample's files and its manifest."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from pearl.datasets.manifest import FILE_NAME as MANIFEST
from pearl.datasets.manifest import SampleFacts, with_sample
from pearl.datasets.prism.sample.conversations import make_conversations
from pearl.datasets.prism.sample.draws import SEED
from pearl.datasets.prism.sample.sizes import FULL, SMALL
from pearl.datasets.prism.sample.stated import leanings, stated_preferences
from pearl.datasets.prism.sample.survey import balanced_users, survey
from pearl.datasets.prism.sample.utterances import utterances
from pearl.datasets.prism.statistics import statistics
from pearl.files import sha256_of, whole_folder, write_text
from pearl.provenance import FileFacts

LABEL = "sample data made by pearl's generator, not PRISM"
FILES = ("survey.jsonl", "utterances.jsonl")


def write_sample(folder: Path, publisher_text: str, *, full: bool = False) -> None:
    """Write the sample and its manifest into a folder, the same bytes on every machine.

    `publisher_text` is the publisher's manifest. The full sample has the publisher's numbers of
    users, conversations, slates of each size and utterances, exactly; the small one about a
    seventh of the users and, so as to stay small, hardly more than one later turn a conversation.
    """
    size = FULL if full else SMALL
    with whole_folder(folder) as temporary:
        talks = make_conversations(size)
        leaning = leanings(size.surveyed)
        balanced = balanced_users(talks)
        said = utterances(talks, leaning, balanced)
        asked = survey(talks, stated_preferences(leaning), balanced)
        for name, rows in zip(FILES, (asked, said), strict=True):
            _write_lines(temporary / name, rows)
        sample = SampleFacts(
            label=LABEL,
            generator="pearl.datasets.prism.sample",
            seed=SEED,
            licence="Apache-2.0",
            rows=len(said),
            files=tuple(
                FileFacts(
                    name=name,
                    sha256=sha256_of(temporary / name),
                    byte_count=(temporary / name).stat().st_size,
                )
                for name in FILES
            ),
            statistics=statistics(temporary),
        )
        write_text(temporary / MANIFEST, with_sample(publisher_text, sample))


def _write_lines(file: Path, rows: Iterable[Mapping[str, object]]) -> None:
    lines = (json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in rows)
    write_text(file, "".join(f"{line}\n" for line in lines))
