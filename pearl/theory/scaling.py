"""Corollary 2: its terms at the paper's numbers, beside how regret is split in a run."""

from __future__ import annotations

import math
from typing import NamedTuple

from pearl.theory.check import Check
from pearl.theory.population import Split, split_regret

PLACE = "Corollary 2 (section 7.3)"
PRINTED_TERM = 215.0  # the paper's value of sqrt(128 * 33 * log(50000 / delta))


class Terms(NamedTuple):
    """Proposition 4's terms without their constants."""

    shifted: float
    """Term II, summed over the shifted users."""
    detection: float
    """Term III per unit of mean uncertainty."""


def terms(
    shifted_users: int,
    dimension: int,
    user_rounds: float,
    rounds: int,
    gamma: float,
    delta: float = 1.0,
) -> Terms:
    """Return N_s sqrt(d T_u log(T / delta)) and N_s Delta* gamma with Delta* = 1.

    Args:
        shifted_users: N_s.
        dimension: d.
        user_rounds: T_u.
        rounds: T.
        gamma: exploration's sensitivity.
        delta: the bound's probability of failure, at most 1; the bound is least at 1.
    """
    each = math.sqrt(dimension * user_rounds * math.log(rounds / delta))
    return Terms(shifted_users * each, shifted_users * gamma)


def check_scaling() -> tuple[Check, ...]:
    """Check whether the bound says something, and how regret is split."""
    paper = terms(750, 128, 33, 50_000, 4.0)
    run = split_regret("pearl")
    return (
        Check(
            "Term II bounds the shifted users' regret: 750 users at T = 50,000 give O(161,000).",
            PLACE,
            "vacuous" if paper.shifted > 50_000 else "yes",
            f"{paper.shifted:,.0f} at δ = 1 (printed: 750 × {PRINTED_TERM:.0f}); regret can't"
            f" exceed 1 a round: 24,750 on shifted users, 50,000 in all",
        ),
        Check(
            "Term III, the cost of detection, is 3,000 σ̄.",
            PLACE,
            "yes" if paper.detection == 3000.0 else "no",
            f"750 users × 1 interaction × γ = 4: {paper.detection:,.0f}; it is small beside term"
            " II only, which says nothing: at σ̄ = 1 it is a third of the published regret,"
            " about .235 × 36,560 = 8,600",
        ),
        _split(run),
    )


def _split(run: Split) -> Check:
    share = run.flipped / (run.flipped + run.stable)
    return Check(
        "Regret concentrates on shifted users (≥ 90% of it); stable users contribute minimally.",
        PLACE,
        "yes" if share > 0.9 else "no",
        f"a made population, half of it flipped, {run.interactions:,} interactions of PEARL:"
        f" regret an interaction {run.per_flipped:.3f} flipped, {run.per_stable:.3f} stable;"
        f" {100 * share:.0f}% of all on flipped users. Published (section 9): .227 and .240",
    )
