"""How often the clip of Equation (18) ties plans, under names that say whether it acts.

A method that doesn't clip keeps count too: of how often clipping would have tied its plans.
"""

from __future__ import annotations

import numpy as np

from pearl.memory.cache_method import CacheMethod
from pearl.memory.directions import Plan


def tie_fact(method: CacheMethod, share: float) -> dict[str, float]:
    """Name the share of plans in which two or more options reach the bound B."""
    return {"clip_tie_share" if method.clips else "clip_would_tie_share": share}


def plan_facts(plans: list[Plan], bound: float, method: CacheMethod) -> dict[str, float]:
    """Return how the candidates of Equation (18) stood against B, over all episodes."""
    every = float(np.mean([one.capped == one.candidates >= 2 for one in plans]))
    return tie_fact(method, float(np.mean([one.capped >= 2 for one in plans]))) | {
        "clip_all_share" if method.clips else "clip_would_tie_all_share": every,
        "lowest_score_over_bound": min(one.lowest for one in plans) / bound,
        "shortest_cycle": min(len(one.actions) for one in plans),
    }
