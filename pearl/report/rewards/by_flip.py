"""Tables by the share f of flipped users: Table 5 (the last epoch) and Table 14 (the first)."""

from __future__ import annotations

from pearl.experiments import Experiment
from pearl.report.contrasts import At, Contrast, Point
from pearl.report.numbers import MINUS
from pearl.report.rewards.plan import (
    DIFFERENCE_COLUMNS,
    EFFECT,
    Column,
    Difference,
    GridPlan,
    Line,
    Plan,
    Value,
    difference_places,
)
from pearl.report.rewards.reading import Rewards
from pearl.report.rewards.structural import ORACLE
from pearl.report.rewards.table import setting_words

OWN_COLUMN = "difference"


def reward_by_flip(experiment: Experiment, rewards: Rewards) -> Plan:
    """Lay out Table 5: a row a flip, a column a method; then the reference against each method.

    The Oracle is an upper bound and no rival, so it is not among the comparisons.
    """
    flips, methods = rewards.levels("flip"), experiment.methods
    values = tuple(
        Value(setting_words("flip", f), rewards.label(m), Contrast((Point(m).under(flip=f),)))
        for f in flips
        for m in methods
    )
    lines = tuple(
        Line(row, tuple((row, rewards.label(m)) for m in methods))
        for row in (setting_words("flip", f) for f in flips)
    )
    means = GridPlan(
        "", "flipped users", tuple(Column(rewards.label(m), "reward") for m in methods), lines
    )
    others = _rivals(experiment)
    differences = tuple(_difference(experiment, rewards, m, f) for m in others for f in flips)
    ours = rewards.label(experiment.reference)
    paired = GridPlan(
        f"{ours} against each method, paired by seed",
        "comparison",
        tuple(
            Column(f"{setting_words('flip', f)}: {c.heading}", c.style)
            for f in flips
            for c in DIFFERENCE_COLUMNS
        ),
        tuple(
            Line(
                f"{ours} {MINUS} {rewards.label(m)}",
                tuple(
                    place
                    for f in flips
                    for place in difference_places(_row(experiment, rewards, m, f), OWN_COLUMN)
                ),
            )
            for m in others
        ),
    )
    family = f"{ours} with {_named(rewards, others)} at each f"
    return Plan(values, differences, (means, paired), family)


def epoch_tests(experiment: Experiment, rewards: Rewards) -> Plan:
    """Lay out Table 14: the reference against each method at epoch 1, with the effect size d."""
    flips, others = rewards.levels("flip"), _rivals(experiment)
    differences = tuple(
        _difference(experiment, rewards, m, f, epoch=1) for f in flips for m in others
    )
    lines = tuple(
        Line(one.row, (*difference_places(one.row, one.column), (one.row, EFFECT)))
        for one in differences
    )
    columns = (*DIFFERENCE_COLUMNS, Column("d", "d"))
    family = f"{rewards.label(experiment.reference)} with {_named(rewards, others)} at each f"
    remarks = ("d is the mean of the paired differences over their standard deviation.",)
    return Plan((), differences, (GridPlan("", "comparison", columns, lines),), family, remarks)


def _rivals(experiment: Experiment) -> tuple[str, ...]:
    return tuple(m for m in experiment.methods if m not in (experiment.reference, ORACLE))


def _difference(
    experiment: Experiment, rewards: Rewards, method: str, flip: float, epoch: int | None = None
) -> Difference:
    at: At = "last" if epoch is None else epoch
    ours, theirs = (Point(name, at=at).under(flip=flip) for name in (experiment.reference, method))
    row = _row(experiment, rewards, method, flip)
    return Difference(row, OWN_COLUMN, Contrast((ours,), (theirs,)), effect=epoch is not None)


def _row(experiment: Experiment, rewards: Rewards, method: str, flip: float) -> str:
    ours = rewards.label(experiment.reference)
    return f"{ours} {MINUS} {rewards.label(method)}, {setting_words('flip', flip)}"


def _named(rewards: Rewards, methods: tuple[str, ...]) -> str:
    return ", ".join(rewards.label(name) for name in methods)
