"""Why a result came out as it did, told by what the runs themselves measured."""

from __future__ import annotations

from dataclasses import dataclass

from pearl.report.final_regret import FinalRegret
from pearl.report.numbers import percent, regret


@dataclass(frozen=True)
class Explanation:
    """A titled paragraph and a small table: head, then rows of text."""

    title: str
    text: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def clip_ties(table: FinalRegret) -> Explanation | None:
    """Tell how often the clip of Equation (18) ties the candidates, and what each tie rule gives.

    None where the reference method has no runs or doesn't record it.
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
    rows = tuple(
        (
            table.label(name),
            percent(table.metrics[name, "clip_tie_share"].estimate),
            regret(table.regrets[name, last]),
        )
        for name in table.order
        if (name, "clip_tie_share") in table.metrics
        and (name == table.reference or table.metrics[name, "clip_tie_share"].estimate > 0)
    )
    head = ("method", "episodes in which the clip ties", f"regret at t = {last:,}")
    return Explanation("Clip ties and tie rules", text, head, rows)


def _beyond(table: FinalRegret) -> str:
    """Say how many candidates tie and how far above B the scores are, where the runs say it."""
    run, said = table.runs.methods[table.reference], []
    every, lowest = (run.metric(name) for name in ("clip_all_share", "lowest_score_over_bound"))
    if every is not None:
        said.append(f"all 2N of them in {percent(float(every.mean()))}")
    if lowest is not None:
        said.append(f"the lowest score before clipping was {lowest.min():.3g} B")
    return f" ({'; '.join(said)})" if said else ""
