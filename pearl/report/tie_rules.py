"""The study of plans where the clip ties every candidate: one method against every baseline, Holm.

The table is that of final regrets by setting. Its question is stricter: does the reference beat
every baseline at every value? So p-values are one-sided (a lower regret), and Holm's over all
values times all baselines; the reference wins only where all of them stay below the level. The test
is the paired t test: sign flips of ten seeds can't go below 1 / 1024, which Holm over some ninety
comparisons turns into no finding at all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from pearl.report.cells import Cell
from pearl.report.numbers import between, plain
from pearl.report.regret_by_setting import Pair, RegretBySetting, cells_by_setting
from pearl.report.regret_by_setting_view import beneath_by_setting, grids_by_setting
from pearl.report.rows import Runs
from pearl.report.statistics import Interval, is_constant
from pearl.report.views import Entry, Grid

LEVEL = 0.05
"""The familywise error rate at which the reference beats a baseline."""
NO_BASELINE = ("rsm", "random")
"""How the names of methods begin that are the reference's own variants, or learn nothing."""


@dataclass(frozen=True)
class Verdict:
    """Whether the reference beats every baseline at every value.

    `adjusted` holds Holm's one-sided p-value of each pair that was tested; `lost` the pairs in
    which it doesn't stay below LEVEL.
    """

    adjusted: dict[Pair, float]
    lost: tuple[Pair, ...]

    @property
    def wins(self) -> bool:
        """Whether there are pairs and none is lost."""
        return bool(self.adjusted) and not self.lost


def holm(p_values: Sequence[float]) -> list[float]:
    """Return Holm's adjusted p-values: max over smaller p of (m - rank) p, at most 1.

    Args:
        p_values: each in [0, 1], in any order.
    """
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    scaled = p[order] * np.arange(len(p), 0, -1)
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(np.maximum.accumulate(scaled), 1.0)
    return [float(value) for value in adjusted]


def verdict(table: RegretBySetting) -> Verdict:
    """Judge the reference against every baseline at every value.

    A comparison that can't be tested (one seed, or equal differences) counts as lost.
    """
    points = {point.title: point.runs for point in table.points}
    pairs = [pair for pair in table.comparisons if _is_baseline(pair[1])]
    p_values = [_less(points[title], table.reference, name) for title, name in pairs]
    adjusted = dict(zip(pairs, holm(p_values), strict=True))
    return Verdict(adjusted, tuple(pair for pair in pairs if adjusted[pair] >= LEVEL))


def cells_of_ties(
    table: RegretBySetting,
    in_table: Mapping[str, float | None],
    in_paper: Mapping[str, float | None],
    sizes: tuple[int, int],
) -> list[Cell]:
    """Lay out the table by setting, then Holm's p of every baseline at every value."""
    made = cells_by_setting(table, in_table, in_paper, sizes)
    found = verdict(table)
    points = {point.title: point for point in table.points}
    for (title, name), p in found.adjusted.items():
        value = Interval(p, None, None, "none", table.comparisons[title, name].difference.n)
        keys = table.pair_keys(points[title], name)
        made.append(Cell(table.label(name), _column(found, title), value, keys))
    return made


def grids_of_ties(table: RegretBySetting, cells: Sequence[Cell]) -> tuple[Grid, ...]:
    """Print the grids by setting, then differences with Holm's p."""
    found = verdict(table)
    titles = list(dict.fromkeys(title for title, _ in found.adjusted))
    names = [name for name in table.order if any((t, name) in found.adjusted for t in titles)]

    def entry(title: str, name: str) -> Entry:
        if (title, name) not in found.adjusted:
            return Entry("\N{EM DASH}")
        difference = table.comparisons[title, name].difference
        p = found.adjusted[title, name]
        said = "p < 0.0001" if p < 1e-4 else f"p = {p:.2g}"
        interval = between(difference)
        return Entry(
            plain(difference.estimate), "; ".join(part for part in (interval, said) if part)
        )

    rows = tuple(
        (table.label(name), False, tuple(entry(title, name) for title in titles)) for name in names
    )
    heading = (
        f"Difference of {table.label(table.reference)}, with Holm's one-sided p of the paired t"
        f" test (m = {len(found.adjusted)})"
    )
    grids = grids_by_setting(table, cells)
    return (*grids, Grid(heading, ("against", *titles), rows)) if rows else grids


def beneath_ties(table: RegretBySetting, m_table: int, m_paper: int) -> tuple[str, ...]:
    """Return the verdict, then the sentences beneath a table by setting."""
    return (_said(table), *beneath_by_setting(table, m_table, m_paper))


def _said(table: RegretBySetting) -> str:
    found, ours = verdict(table), table.label(table.reference)
    if not found.adjusted:
        return f"{ours} was compared with no baseline."
    if found.wins:
        return (
            f"{ours} beats every baseline at every value: all {len(found.adjusted)} one-sided"
            f" p-values stay below {LEVEL:g} after Holm."
        )
    lost = "; ".join(
        f"{title}: {', '.join(table.label(name) for at, name in found.lost if at == title)}"
        for title in dict.fromkeys(title for title, _ in found.lost)
    )
    return (
        f"{ours} doesn't beat every baseline at every value: {len(found.lost)} of"
        f" {len(found.adjusted)} one-sided p-values don't stay below {LEVEL:g} after Holm ({lost})."
    )


def _less(runs: Runs, ours: str, theirs: str) -> float:
    """Return the one-sided p of our final regret being the lower one."""
    seeds = runs.common_seeds(ours, theirs)
    first, second = (runs.methods[name] for name in (ours, theirs))
    difference = first.curves[first.at(seeds), -1] - second.curves[second.at(seeds), -1]
    if len(difference) < 2 or is_constant(difference):
        return 1.0
    return float(stats.ttest_1samp(difference, 0.0, alternative="less").pvalue)


def _column(found: Verdict, title: str) -> str:
    return f"Holm p (one-sided, m={len(found.adjusted)}) at {title}"


def _is_baseline(name: str) -> bool:
    return name.partition("_")[0] not in NO_BASELINE
