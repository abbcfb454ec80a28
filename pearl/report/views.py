"""What the page's templates are filled with: text only, every number already printed."""

from __future__ import annotations

from dataclasses import dataclass

from pearl.experiments import Experiment
from pearl.report.claims import Paper
from pearl.report.explanations import Explanation


@dataclass(frozen=True)
class Entry:
    """A printed cell: the number, its interval, and the verdict on it where there is one."""

    text: str
    interval: str = ""
    verdict: str = ""


@dataclass(frozen=True)
class Measure:
    """One of the cells behind a claim; `of` says what it measures, "" where that is plain."""

    of: str
    text: str
    interval: str
    verdict: str


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
    """A section of the page: figure, caption, table, provenance, what did not come out and why."""

    experiment: Experiment
    stem: str
    figure: bool
    caption: str
    sample: bool
    head: tuple[str, ...]
    rows: tuple[tuple[str, bool, tuple[Entry, ...]], ...]
    beneath: tuple[str, ...]
    provenance: tuple[tuple[str, str], ...]
    keys: tuple[tuple[str, tuple[str, ...]], ...]
    missed: tuple[ClaimView, ...]
    explanation: Explanation | None


@dataclass(frozen=True)
class PaperView:
    """A paper: its claims with the notes they share, then its experiments."""

    paper: Paper
    claims: tuple[ClaimView, ...]
    notes: tuple[str, ...]
    experiments: tuple[ExperimentView, ...]
