"""Why a result came out as it did, told by what the runs themselves measured."""

from __future__ import annotations

from dataclasses import dataclass

from pearl.report.final_regret import FinalRegret, reduction
from pearl.report.numbers import between, percent, plain, regret


@dataclass(frozen=True)
class Explanation:
    """A titled paragraph and a small table: head, then rows of text."""

    title: str
    text: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def clip_ties(table: FinalRegret) -> Explanation | None:
    """Tell how often the clip of Equation (18) ties the candidates, and what each tie rule gives.

    Each rule is set against the best method that learns without ties. None where the reference
    method has no runs or doesn't record ties.
    """
    tied = table.metrics.get((table.reference, "clip_tie_share"))
    if tied is None:
        return None
    label, last = table.label(table.reference), table.checkpoints[-1]
    text = (
        "Equation (18) clips every optimistic score to [0, B], B = RS, before the best candidate is"
        f" chosen. In {percent(tied.estimate)} of the episodes of {label} two or more candidates"
        f" reach B and tie{_beyond(table)}."
    )
    text += (
        " Which of them is refreshed is then settled by a tie rule, which the paper doesn't state,"
        " rather than by the score. The rules are separate methods here, so that their effect is"
        " seen."
        if tied.estimate >= 0.5
        else " So the score, not a tie rule, settles most plans here."
    )
    text += _numbering(table)
    best = min(
        (name for name, share in _tie_shares(table).items() if share < 0.5),
        key=lambda name: table.regrets[name, last].estimate,
        default=None,
    )
    rows = tuple(
        (
            table.label(name),
            percent(share),
            regret(table.regrets[name, last]),
            *_against(table, name, best),
        )
        for name, share in _tie_shares(table).items()
        if name == table.reference or share > 0
    )
    head = ["method", "plans in which the clip ties", f"regret at t = {last:,}"]
    if best is not None:
        head.append(f"less than {table.label(best)} by (%)")
    return Explanation("Clip ties and tie rules", text, tuple(head), rows)


def _against(table: FinalRegret, name: str, best: str | None) -> tuple[str, ...]:
    if best is None:
        return ()
    found = reduction(table.runs, name, best, table.settings)
    return (f"{plain(found.estimate, 1)} {between(found, 1)}".strip(),)


def _numbering(table: FinalRegret) -> str:
    """Say where ties between actions are settled by nothing but the actions' order."""
    horizon = table.runs.horizon
    named = [
        table.label(name)
        for name, share in _tie_shares(table).items()
        if share >= 0.5 and table.metrics[name, "episodes"].estimate == horizon
    ]
    if not named:
        return ""
    return (
        f" {', '.join(named)} chooses among single actions every round, and its ties go to the"
        " lowest-numbered one: its regret depends on how the catalogue happens to be numbered."
    )


def _tie_shares(table: FinalRegret) -> dict[str, float]:
    """Return the share of plans in which the clip ties, of each method that records it."""
    return {
        name: table.metrics[name, "clip_tie_share"].estimate
        for name in table.order
        if (name, "clip_tie_share") in table.metrics
    }


def _beyond(table: FinalRegret) -> str:
    """Say how many candidates tie and how far above B the scores are, where the runs say it."""
    run, said = table.runs.methods[table.reference], []
    every, lowest = (run.metric(name) for name in ("clip_all_share", "lowest_score_over_bound"))
    if every is not None:
        said.append(f"all 2N of them in {percent(float(every.mean()))}")
    if lowest is not None:
        said.append(f"the lowest score before clipping was {lowest.min():.3g} B")
    return f" ({'; '.join(said)})" if said else ""


EXPLANATIONS = {"clip_ties": clip_ties}
"""What `report: explanation` of an experiment may name."""
