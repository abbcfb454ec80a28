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

    Each method is set against the best learner that is no variant of the reference. None where
    the reference method has no runs or doesn't record ties.
    """
    tied = _means(table, "clip_tie_share").get(table.reference)
    if tied is None:
        return None
    label, last = table.label(table.reference), table.checkpoints[-1]
    text = (
        "Equation (18) clips every optimistic score to [0, B], B = RS, before the best candidate is"
        f" chosen. In {percent(tied)} of the episodes of {label} two or more candidates"
        f" reach B and tie{_beyond(table)}."
    )
    text += (
        " Which of them is refreshed is then settled by a tie rule, which the paper doesn't state,"
        " rather than by the score. The rules are separate methods here, so that their effect is"
        " seen."
        if tied >= 0.5
        else " So the score, not a tie rule, settles most plans here."
    )
    text += _numbering(table)
    best = _best_other(table)
    rows = tuple(
        (table.label(name), said, regret(table.regrets[name, last]), *_against(table, name, best))
        for name, said in _ties(table).items()
    )
    head = ["method", "plans in which the clip ties", f"regret at t = {last:,}"]
    if best is not None:
        head.append(f"less than {table.label(best)} by (%)")
    return Explanation("Clip ties and tie rules", text, tuple(head), rows)


def _best_other(table: FinalRegret) -> str | None:
    """Return the learner of lowest final regret that is no variant of the reference.

    Told by name: a variant's begins with the reference's, and what begins with "random" learns
    nothing.
    """
    others = [n for n in table.runs.methods if not n.startswith((table.reference, "random"))]
    last = table.checkpoints[-1]
    return min(others, key=lambda name: table.regrets[name, last].estimate, default=None)


def _against(table: FinalRegret, name: str, best: str | None) -> tuple[str, ...]:
    if best is None:
        return ()
    if name == best or not table.runs.common_seeds(name, best):
        return ("\N{EM DASH}",)
    found = reduction(table.runs, name, best, table.settings)
    return (f"{plain(found.estimate, 1)} {between(found, 1)}".strip(),)


def _numbering(table: FinalRegret) -> str:
    """Say where ties between actions are settled by nothing but the actions' order.

    Said only of methods that plan every round and whose clip ties in at least half of the rounds.
    """
    episodes, horizon = _means(table, "episodes"), table.runs.horizon
    named = [
        table.label(name)
        for name, share in _means(table, "clip_tie_share").items()
        if share >= 0.5 and episodes.get(name) == horizon
    ]
    if not named:
        return ""
    choose, their = ("choose", "their") if len(named) > 1 else ("chooses", "its")
    return (
        f" {' and '.join(named)} {choose} among single actions every round, and {their} ties go to"
        f" the lowest-numbered one: {their} regret depends on how the catalogue happens to be"
        " numbered."
    )


def _ties(table: FinalRegret) -> dict[str, str]:
    """Say in what share of plans the clip ties, of the methods whose scores it would ever tie.

    A method that doesn't clip may record in what share clipping would have tied.
    """
    acts, would = _means(table, "clip_tie_share"), _means(table, "clip_would_tie_share")
    said = {}
    for name in table.runs.methods:
        if acts.get(name, 0) > 0 or name == table.reference:
            said[name] = percent(acts[name])
        elif would.get(name, 0) > 0:
            said[name] = f"not clipped; clipping would tie in {percent(would[name])}"
    return said


def _means(table: FinalRegret, metric: str) -> dict[str, float]:
    """Return the mean over seeds of a metric, of each method whose runs carry it."""
    found = ((name, run.metric(metric)) for name, run in table.runs.methods.items())
    return {name: float(values.mean()) for name, values in found if values is not None}


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
