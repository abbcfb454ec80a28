"""How much of the way from Random to the Oracle a method comes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pearl.report.cells import Cell
from pearl.report.claims import NumberClaim
from pearl.report.contrasts import Contrast
from pearl.report.rewards.structural import ORACLE
from pearl.report.rewards.table import RewardTable, contrast_title
from pearl.report.statistics import interval

GAP_CLOSED = "gap closed"
RANDOM = "random"
COLUMN = "gap from Random to the Oracle closed, %"


def gap_closed(claim: NumberClaim, table: RewardTable) -> Cell:
    """Measure 100 (method - Random) / (Oracle - Random), seed by seed, at the claim's point.

    The cell is empty where one of the three has no runs, or they have no seed in common.
    """
    assert claim.contrast is not None
    point = claim.contrast.points[0]
    row = contrast_title(claim.contrast, table.rewards)
    low, high = replace(point, method=RANDOM), replace(point, method=ORACLE)
    gained = table.rewards.contrasted(Contrast((point,), (low,)))
    gap = table.rewards.contrasted(Contrast((high,), (low,)))
    if gained is None or gap is None:
        return Cell(row, COLUMN, None, published=claim.published)
    seeds = [seed for seed in gained.seeds if seed in gap.seeds]
    ours = gained.values[[gained.seeds.index(seed) for seed in seeds]]
    whole = gap.values[[gap.seeds.index(seed) for seed in seeds]]
    if not seeds or not np.all(whole > 0):
        return Cell(row, COLUMN, None, published=claim.published)
    measured = interval(
        100 * ours / whole, stream=f"{table.experiment.id}/{row}/gap", settings=table.settings
    )
    keys = tuple(dict.fromkeys((*gained.keys, *gap.keys)))
    delta = measured.estimate - claim.value
    return Cell(row, COLUMN, measured, keys, published=claim.published, delta=delta)
