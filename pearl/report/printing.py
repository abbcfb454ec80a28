"""Sections printed as the text that the page's templates are filled with."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from pearl.report.claim_views import claim_not_run, claim_view, claims_not_run
from pearl.report.claims import AnyClaim, NumberClaim, Paper
from pearl.report.explanations import EXPLANATIONS, Explanation
from pearl.report.figures import figure_of
from pearl.report.sections import Section
from pearl.report.summary import is_printed, outcome, printed_views
from pearl.report.views import ClaimView, Entry, ExperimentView, PaperView
from pearl.words import one_of

WITH_OUTCOME = ("pearl",)
"""Papers beneath whose tables a sentence says what reproduced."""


def paper_view(
    paper: Paper,
    sections: Sequence[Section],
    known: Collection[str],
    more: Sequence[ExperimentView] = (),
) -> PaperView:
    """Print a paper's claims, those without results too, and its sections.

    Args:
        paper: what was published.
        sections: the experiments with results.
        known: ids of the experiments that this release has.
        more: sections that are no experiment.
    """
    views = _claims(paper, sections, known)
    notes = tuple(dict.fromkeys(view.note for view in views if view.note))
    marked = tuple(
        replace(view, mark=str(notes.index(view.note) + 1)) if view.note else view for view in views
    )
    experiments = []
    for section in sections:
        own = [view for view in marked if view.experiment == section.experiment.id]
        experiments.append(experiment_view(section, own, tell=paper.paper in WITH_OUTCOME))
    return PaperView(paper, marked, notes, (*experiments, *more))


def _claims(paper: Paper, sections: Sequence[Section], known: Collection[str]) -> list[ClaimView]:
    found = {
        one.claim.id: claim_view(one)
        for section in sections
        for one in section.findings
        if not is_printed(one)
    }
    single = [c for c in paper.claims if not (isinstance(c, NumberClaim) and c.printed)]
    views = [found.get(claim.id) or claim_not_run(claim, known) for claim in single]
    if not paper.printed:
        return views
    ordered: list[ClaimView] = []
    for one in sections:
        ordered += printed_views(one.experiment.id, one.findings)
        ordered += [view for view in views if view.experiment == one.experiment.id]
    here = {one.experiment.id for one in sections}
    waiting: dict[str, list[AnyClaim]] = {}
    for claim in paper.claims:
        if claim.experiment not in here:
            waiting.setdefault(claim.experiment, []).append(claim)
    return [*ordered, *(claims_not_run(name, claims) for name, claims in waiting.items())]


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
    )


def markdown_rows(
    rows: Sequence[tuple[str, bool, tuple[Entry, ...]]],
) -> list[tuple[str, ...]]:
    """Return a table's rows as plain text for index.md."""
    return [
        (f"**{label}**" if leads else label, *(_text(entry) for entry in entries))
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
