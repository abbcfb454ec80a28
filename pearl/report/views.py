"""What the page's templates are filled with: text only, every number already printed."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from pearl.report.claims import Paper
from pearl.report.explanations import Explanation

NUMBERED = ("Table", "Figure", "Section")
FOLDED = 160
"""Characters of notes beneath a table that the page still shows unfolded."""


@dataclass(frozen=True)
class Entry:
    """A printed cell: the number, its interval, what was published, and the verdict on it.

    `tone` is the verdict's colour class, "" where there is no verdict.
    """

    text: str
    interval: str = ""
    published: str = ""
    verdict: str = ""
    tone: str = ""


@dataclass(frozen=True)
class Grid:
    """A table of the page: title ("" for none), headings, and rows (label, leads, entries).

    `words` tells that its entries are words, not numbers.
    """

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, bool, tuple[Entry, ...]], ...]
    words: bool = False


@dataclass(frozen=True)
class Measure:
    """One of the cells behind a claim; `of` says what it measures, "" where that is plain.

    With a `tone` (good, bad, open) it stands on one line, its own verdict as a mark.
    """

    of: str
    text: str
    interval: str
    verdict: str
    tone: str = ""


@dataclass(frozen=True)
class ClaimView:
    """A line of a paper's summary; `mark` is the number of its note beneath."""

    statement: str
    place: str
    kind: str
    experiment: str
    published: str
    measures: tuple[Measure, ...]
    verdict: str
    tone: str
    scope: str
    note: str
    mark: str = ""


@dataclass(frozen=True)
class ExperimentView:
    """A section of the page: figure, caption, tables, provenance, what did not come out and why.

    `outcome` says in a sentence or two what reproduced; `marks` count its claims by tone. `notes`
    always stand beneath the tables, `beneath` is what a reader may skip.
    """

    id: str
    title: str
    place: str
    question: str
    stem: str
    figure: tuple[int, int] | None
    caption: str
    sample: bool
    grids: tuple[Grid, ...]
    outcome: str
    beneath: tuple[str, ...]
    provenance: tuple[tuple[str, str], ...]
    keys: tuple[tuple[str, tuple[str, ...]], ...]
    missed: tuple[ClaimView, ...]
    explanation: Explanation | None
    notes: tuple[str, ...] = ()
    marks: tuple[tuple[str, int], ...] = ()

    @property
    def is_long(self) -> bool:
        """Whether what stands beneath is so much that the page folds it away."""
        return sum(map(len, self.beneath)) > FOLDED

    @property
    def run_count(self) -> int:
        """How many runs stand behind it."""
        return len(self._run_keys())

    @property
    def keys_digest(self) -> str:
        """What tells whether two reports stand on the same runs: 12 hex digits."""
        return hashlib.sha256(" ".join(self._run_keys()).encode()).hexdigest()[:12]

    def _run_keys(self) -> list[str]:
        return sorted({key for _, keys in self.keys for key in keys})

    @property
    def short_place(self) -> str:
        """The paper's number for it, such as "Table 5"; "" where the paper has none."""
        return self.place if self.place.startswith(NUMBERED) else ""


@dataclass(frozen=True)
class ClaimGroup:
    """The claims of one section of the page, `stem` its anchor ("" for those not run here).

    `scope` is what holds for all of them; `mark` stands for it where other groups share it.
    """

    title: str
    stem: str
    scope: str
    claims: tuple[ClaimView, ...]
    mark: str = ""


@dataclass(frozen=True)
class Tally:
    """How many claims, printed numbers among them, came out how; `waiting` have no results here."""

    reproduced: int
    failed: int
    untested: int
    waiting: int

    @property
    def claims(self) -> int:
        """How many there are in all."""
        return self.reproduced + self.failed + self.untested + self.waiting


@dataclass(frozen=True)
class PaperView:
    """A paper: its claims with the notes they share, then its experiments.

    `scopes` are the marks of scopes that several groups share, with their words; `absent` are
    (id, title, place) of what has no results here.
    """

    paper: Paper
    tally: Tally
    groups: tuple[ClaimGroup, ...]
    scopes: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]
    experiments: tuple[ExperimentView, ...]
    absent: tuple[tuple[str, str, str], ...]

    @property
    def claims(self) -> tuple[ClaimView, ...]:
        """The claims of all groups."""
        return tuple(claim for group in self.groups for claim in group.claims)

    @property
    def contents(self) -> tuple[tuple[str, tuple[ExperimentView, ...]], ...]:
        """The sections by what they are: tables, figures, and the rest."""
        parts: dict[str, list[ExperimentView]] = {"Tables": [], "Figures": [], "More": []}
        for one in self.experiments:
            word = f"{one.place.partition(' ')[0]}s"
            parts[word if word in parts else "More"].append(one)
        return tuple((heading, tuple(those)) for heading, those in parts.items() if those)

    @property
    def parities(self) -> bool:
        """Whether a claim is a parity."""
        return any(claim.kind == "parity" for claim in self.claims)
