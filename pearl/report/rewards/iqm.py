"""Interquartile means with a row a method and a column a flip: Tables 15 and 20."""

from __future__ import annotations

from pearl.experiments import Experiment
from pearl.report.contrasts import Contrast, Point
from pearl.report.numbers import MINUS
from pearl.report.rewards.plan import (
    DIFFERENCE_COLUMNS,
    Column,
    Difference,
    GridPlan,
    Line,
    Plan,
    Value,
    difference_places,
)
from pearl.report.rewards.reading import Rewards
from pearl.report.rewards.table import setting_words
from pearl.report.rewards.variants import variant_words

REMARKS = (
    "Interquartile means: the best and the worst quarter of the seeds are left out.",
    "Of a difference, what is measured is the interquartile mean of the paired differences; beside"
    " it, as published, stands the difference of the two interquartile means that the paper prints:"
    " the two are not the same statistic.",
)


def iqm_by_flip(experiment: Experiment, rewards: Rewards) -> Plan:
    """Lay out each row's interquartile mean at each flip, and the reference against the row.

    A row is a method, or a method under a variant.
    """
    flips, ours = rewards.levels("flip"), experiment.reference
    varied = dict.fromkeys(runs.variant for runs in rewards.all_runs if runs.variant)
    rows = {Point(m): rewards.label(m) for m in experiment.methods}
    for name in varied:
        for m in experiment.methods_of(name):
            words = f"{rewards.label(m)}, {variant_words(rewards, name)}"
            rows[Point(m, variant=name)] = words
    values = tuple(
        Value(row, setting_words("flip", f), Contrast((point.under(flip=f),)))
        for point, row in rows.items()
        for f in flips
    )
    means = GridPlan(
        "",
        "method",
        tuple(Column(setting_words("flip", f), "reward") for f in flips),
        tuple(
            Line(
                row,
                tuple((row, setting_words("flip", f)) for f in flips),
                leads=point == Point(ours),
            )
            for point, row in rows.items()
        ),
    )
    differences = tuple(
        Difference(
            f"{rewards.label(ours)} {MINUS} {row}, {setting_words('flip', f)}",
            "difference",
            Contrast((Point(ours).under(flip=f),), (point.under(flip=f),)),
        )
        for point, row in rows.items()
        if point != Point(ours)
        for f in flips
    )
    paired = GridPlan(
        f"{rewards.label(ours)} against each row: interquartile means of the paired differences",
        "comparison",
        DIFFERENCE_COLUMNS,
        tuple(Line(one.row, difference_places(one.row, one.column)) for one in differences),
    )
    family = f"{rewards.label(ours)} with each other row at each f"
    return Plan(values, differences, (means, paired), family, REMARKS, statistic="iqm")
