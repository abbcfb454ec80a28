"""Tables with a row a method and a difference a row: Tables 6, 7 and 8."""

from __future__ import annotations

from pearl.experiments import Experiment
from pearl.report.contrasts import At, Contrast, Point
from pearl.report.rewards.plan import (
    Column,
    Difference,
    GridPlan,
    Line,
    Plan,
    Value,
    difference_places,
)
from pearl.report.rewards.reading import Rewards
from pearl.report.rewards.variants import variant_words

REWARD = "reward"
TABLE_8_EPOCH = 3


def cascade(experiment: Experiment, rewards: Rewards) -> Plan:
    """Lay out Table 6: each row's difference from the one before, its mechanism's contribution."""
    methods = experiment.methods
    pairs = dict(zip(methods[1:], methods[:-1], strict=True))
    family = "each row with the one before"
    return _plan(experiment, rewards, pairs, "difference from the row before", "last", family)


def against(experiment: Experiment, rewards: Rewards) -> Plan:
    """Lay out Table 7: each method's difference from the reference."""
    pairs, column = _from_reference(experiment, rewards)
    family = f"each method with {rewards.label(experiment.reference)}"
    return _plan(experiment, rewards, pairs, column, "last", family)


def controlled(experiment: Experiment, rewards: Rewards) -> Plan:
    """Lay out Table 8: epoch 3 alone against the reference, by epoch, and under every variant."""
    pairs, column = _from_reference(experiment, rewards)
    family = f"each method with {rewards.label(experiment.reference)}"
    plan = _plan(experiment, rewards, pairs, column, TABLE_8_EPOCH, family)
    epochs = range(1, rewards.epochs + 1)
    last = rewards.epoch(TABLE_8_EPOCH)
    by_epoch = tuple(
        Value(rewards.label(m), f"epoch {e}", Contrast((Point(m, at=e),)))
        for m in experiment.methods
        for e in epochs
        if e != last and rewards.epochs >= rewards.paper_epochs
    )
    values, grids = plan.values + by_epoch, plan.grids
    if by_epoch:
        grids += (_by_epoch(experiment, rewards, last),)
    varied = [runs.variant for runs in rewards.all_runs if runs.variant]
    if varied:
        rows = {name: variant_words(rewards, name) for name in varied}
        values += tuple(
            Value(row, rewards.label(m), Contrast((Point(m, at=TABLE_8_EPOCH, variant=name),)))
            for name, row in rows.items()
            for m in experiment.methods
        )
        lines = (
            Line(
                "as in the table",
                tuple((rewards.label(m), REWARD) for m in experiment.methods),
                leads=True,
            ),
            *(
                Line(row, tuple((row, rewards.label(m)) for m in experiment.methods))
                for row in rows.values()
            ),
        )
        columns = tuple(Column(rewards.label(m), "reward") for m in experiment.methods)
        grids += (GridPlan("How fragile the ranking is", "setting", columns, lines),)
    remarks = (f"Rewards of epoch {last} alone.",)
    return Plan(values, plan.differences, grids, family, remarks)


def _by_epoch(experiment: Experiment, rewards: Rewards, last: int) -> GridPlan:
    epochs = range(1, rewards.epochs + 1)
    lines = tuple(
        Line(
            rewards.label(m),
            tuple((rewards.label(m), REWARD if e == last else f"epoch {e}") for e in epochs),
            leads=m == experiment.reference,
        )
        for m in experiment.methods
    )
    columns = tuple(Column(f"epoch {e}", "reward") for e in epochs)
    return GridPlan("Epoch by epoch", "method", columns, lines)


def _from_reference(experiment: Experiment, rewards: Rewards) -> tuple[dict[str, str], str]:
    reference = experiment.reference
    pairs = {m: reference for m in experiment.methods if m != reference}
    return pairs, f"difference from {rewards.label(reference)}"


def _plan(
    experiment: Experiment,
    rewards: Rewards,
    pairs: dict[str, str],
    column: str,
    at: At,
    family: str,
) -> Plan:
    label = rewards.label
    values = tuple(
        Value(label(m), REWARD, Contrast((Point(m, at=at),))) for m in experiment.methods
    )
    differences = tuple(
        Difference(label(m), column, Contrast((Point(m, at=at),), (Point(other, at=at),)))
        for m, other in pairs.items()
    )
    lines = tuple(
        Line(
            label(m),
            (
                (label(m), REWARD),
                *(difference_places(label(m), column) if m in pairs else (None, None, None)),
            ),
            leads=m == experiment.reference,
        )
        for m in experiment.methods
    )
    columns = (
        Column("reward", "reward"),
        Column(column, "difference"),
        Column("p", "p"),
        Column("q", "q"),
    )
    return Plan(values, differences, (GridPlan("", "method", columns, lines),), family)
