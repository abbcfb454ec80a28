"""A paper's claims by section of the page; what holds for all of a section is said once."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from pearl.report.claim_views import claim_not_run, claim_view, claims_not_run
from pearl.report.claims import AnyClaim, Paper, tone
from pearl.report.sections import Section
from pearl.report.summary import is_printed, printed_views
from pearl.report.views import ClaimGroup, ClaimView, Tally

NOT_RUN = "Without results here"
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def claim_groups(
    paper: Paper, sections: Sequence[Section], known: Collection[str]
) -> tuple[tuple[ClaimGroup, ...], tuple[tuple[str, str], ...], tuple[str, ...]]:
    """Group a paper's claims.

    Args:
        paper: what was published.
        sections: what has results.
        known: ids of all that this release has.

    Returns:
        Groups, scopes that several groups share by their mark, and the notes beneath.
    """
    groups = [_group(section) for section in sections]
    groups = [group for group in groups if group.claims]
    if waiting := _waiting(paper, {one.experiment.id for one in sections}, known):
        groups.append(ClaimGroup(NOT_RUN, "", "", tuple(waiting)))
    notes = tuple(dict.fromkeys(c.note for group in groups for c in group.claims if c.note))
    counted = [group.scope for group in groups if group.scope]
    shared = [scope for scope in dict.fromkeys(counted) if counted.count(scope) > 1]
    marks = dict(zip(shared, LETTERS, strict=False))
    made = tuple(
        replace(
            group,
            mark=marks.get(group.scope, ""),
            claims=tuple(_noted(claim, notes) for claim in group.claims),
        )
        for group in groups
    )
    return made, tuple((mark, scope) for scope, mark in marks.items()), notes


def tally(paper: Paper, sections: Sequence[Section]) -> Tally:
    """Count a paper's claims by what came out."""
    tones = [tone(found.verdict) for one in sections for found in one.findings]
    return Tally(
        reproduced=tones.count("good"),
        failed=tones.count("bad"),
        untested=tones.count("open"),
        waiting=len(paper.claims) - len(tones),
    )


def _group(section: Section) -> ClaimGroup:
    shown = section.experiment
    views = list(printed_views(shown.id, section.findings))
    views += [claim_view(one) for one in section.findings if not is_printed(one)]
    scopes = [view.scope.split("; ") for view in views if view.scope]
    common = [part for part in scopes[0] if all(part in one for one in scopes)] if scopes else []
    if len(scopes) < 2:
        common = []
    claims = tuple(
        replace(view, scope="; ".join(p for p in view.scope.split("; ") if p not in common))
        for view in views
    )
    return ClaimGroup(f"{shown.place}: {shown.title}", shown.file_stem, "; ".join(common), claims)


def _waiting(paper: Paper, here: Collection[str], known: Collection[str]) -> list[ClaimView]:
    waiting: dict[str, list[AnyClaim]] = {}
    for claim in paper.claims:
        if claim.experiment not in here:
            waiting.setdefault(claim.experiment, []).append(claim)
    views: list[ClaimView] = []
    for name, claims in waiting.items():
        if paper.printed:
            views.append(claims_not_run(name, claims))
        else:
            views += [claim_not_run(claim, known) for claim in claims]
    return views


def _noted(view: ClaimView, notes: Sequence[str]) -> ClaimView:
    return replace(view, mark=str(notes.index(view.note) + 1)) if view.note else view
