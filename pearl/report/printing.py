"""Sections printed as the text that the page's templates are filled with."""

from __future__ import annotations

from collections.abc import Sequence

from pearl.report.claim_groups import claim_groups, tally
from pearl.report.claims import Paper, tone
from pearl.report.explanations import EXPLANATIONS, Explanation
from pearl.report.figures import figure_of
from pearl.report.layout import Shown
from pearl.report.sections import Section
from pearl.report.summary import outcome
from pearl.report.views import ClaimView, Entry, ExperimentView, PaperView
from pearl.words import one_of

WITH_OUTCOME = ("pearl",)
"""Papers beneath whose tables a sentence says what reproduced."""


def paper_view(
    paper: Paper,
    sections: Sequence[Section],
    known: Sequence[Shown],
    absent: Sequence[Shown] = (),
    more: Sequence[ExperimentView] = (),
) -> PaperView:
    """Print a paper's claims, those without results too, and its sections.

    Args:
        paper: what was published.
        sections: what has results.
        known: all that this release has.
        absent: what of it has no results here.
        more: sections that are no experiment.
    """
    groups, scopes, notes = claim_groups(paper, sections, [one.id for one in known])
    by_stem = {group.stem: group.claims for group in groups}
    tell = paper.paper in WITH_OUTCOME
    experiments = [
        experiment_view(one, by_stem.get(one.experiment.file_stem, ()), tell=tell)
        for one in sections
    ]
    waiting = [one for one in absent if one.paper == paper.paper]
    return PaperView(
        paper=paper,
        tally=tally(paper, sections),
        groups=groups,
        scopes=scopes,
        notes=notes,
        experiments=(*experiments, *more),
        absent=tuple((one.id, one.title, one.place) for one in waiting),
    )


def experiment_view(section: Section, claims: Sequence[ClaimView], *, tell: bool) -> ExperimentView:
    """Print an experiment's section; `claims` are its own, `tell` says what reproduced."""
    experiment, table, kind = section.experiment, section.table, section.kind
    sample = section.runs.on_sample_data
    figure = experiment.report.figure
    return ExperimentView(
        id=experiment.id,
        title=experiment.title,
        place=experiment.place,
        question=experiment.question,
        stem=experiment.file_stem,
        figure=figure_of(figure, experiment.id).size(table) if figure is not None else None,
        caption=kind.caption(experiment, table),
        sample=sample,
        grids=kind.grids(table, section.cells),
        outcome=outcome(section.findings, sample=sample) if tell else "",
        beneath=section.beneath,
        provenance=kind.origin(table),
        keys=kind.keys(table),
        missed=() if tell else tuple(view for view in claims if view.tone == "bad"),
        explanation=_explanation(section),
        notes=section.notes,
        marks=_marks(section),
    )


def _marks(section: Section) -> tuple[tuple[str, int], ...]:
    """Count a section's claims by tone: good, bad, open; without those that there aren't."""
    tones = [tone(found.verdict) for found in section.findings]
    return tuple((one, tones.count(one)) for one in ("good", "bad", "open") if one in tones)


def markdown_rows(
    rows: Sequence[tuple[str, bool, tuple[Entry, ...]]],
) -> list[tuple[str, ...]]:
    """Return a table's rows as text for a Markdown page; bars would end its cells."""
    return [
        tuple(
            text.replace("|", r"\|")
            for text in (f"**{label}**" if leads else label, *(_text(entry) for entry in entries))
        )
        for label, leads, entries in rows
    ]


def _text(entry: Entry) -> str:
    text = f"{entry.text} {entry.interval}".strip()
    if entry.published:
        text += f" (paper {entry.published}{'; ' + entry.verdict if entry.verdict else ''})"
    return text


def _explanation(section: Section) -> Explanation | None:
    told = section.experiment.report.explanation
    if told is None:
        return None
    where = f"explanation of {section.experiment.id}"
    return EXPLANATIONS[one_of(told, EXPLANATIONS, where)](section.table)
