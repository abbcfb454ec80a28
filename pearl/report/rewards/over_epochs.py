"""Tables of rewards as a run goes on: epochs of Tables 13 and 19, ends of Figure 4's curves."""

from __future__ import annotations

from pearl.experiments import Experiment
from pearl.report.contrasts import At, Contrast, Point
from pearl.report.rewards.plan import Column, GridPlan, Line, Plan, Value
from pearl.report.rewards.reading import Rewards
from pearl.report.rewards.table import setting_words

PRINTED_EPOCHS = (1, 3, 5, 10)
DRIFT_EPOCHS = (1, 3, 5, 7, 8, 9, 10)
GROUPS = {"all": "all users", "flipped": "flipped users", "stable": "non-flipped users"}
ENDS: dict[str, At] = {"start": "first", "end": "last"}


def checkpoints(experiment: Experiment, rewards: Rewards) -> Plan:
    """Lay out Table 13: a row a flip and method, a column an epoch that the paper prints."""
    return _checkpoints(experiment, rewards, PRINTED_EPOCHS)


def drift_checkpoints(experiment: Experiment, rewards: Rewards) -> Plan:
    """Lay out Table 19, as Table 13 with the epochs that it prints."""
    return _checkpoints(experiment, rewards, DRIFT_EPOCHS)


def _checkpoints(experiment: Experiment, rewards: Rewards, epochs: tuple[int, ...]) -> Plan:
    printed = [e for e in epochs if e <= rewards.paper_epochs]
    rows = [(f, m) for f in rewards.levels("flip") for m in experiment.methods]
    names = {(f, m): f"{rewards.label(m)}, {setting_words('flip', f)}" for f, m in rows}
    values = tuple(
        Value(names[f, m], f"epoch {e}", Contrast((Point(m, at=e).under(flip=f),)))
        for f, m in rows
        for e in printed
    )
    lines = tuple(
        Line(
            names[f, m],
            tuple((names[f, m], f"epoch {e}") for e in printed),
            leads=m == experiment.reference,
        )
        for f, m in rows
    )
    columns = tuple(Column(f"epoch {e}", "reward") for e in printed)
    remarks: tuple[str, ...] = ("Average reward over epochs 1 to e.",)
    if rewards.epochs < rewards.paper_epochs:
        here = ", ".join(str(rewards.epoch(e)) for e in printed)
        remarks += (
            f"With {rewards.epochs} epochs instead of {rewards.paper_epochs} the paper's epochs"
            f" {', '.join(map(str, printed))} stand for epochs {here} here.",
        )
    return Plan(values, (), (GridPlan("", "method", columns, lines),), "", remarks)


def recovery_ends(experiment: Experiment, rewards: Rewards) -> Plan:
    """Lay out where Figure 4's curves begin and end, a row a method, by group of users."""
    values, lines = [], []
    for m in experiment.methods:
        row = rewards.label(m)
        places = []
        for group, people in GROUPS.items():
            for end, at in ENDS.items():
                column = f"{people}, {end}"
                point = Point(m, at=at, series=f"recovery/{group}")
                values.append(Value(row, column, Contrast((point,))))
                places.append((row, column))
        lines.append(Line(row, tuple(places), leads=m == experiment.reference))
    columns = tuple(
        Column(f"{people}, {end}", "reward") for people in GROUPS.values() for end in ENDS
    )
    remarks = ("Mean reward over the group's last interactions (the rolling window).",)
    grid = GridPlan("Where the curves begin and end", "method", columns, tuple(lines))
    return Plan(tuple(values), (), (grid,), "", remarks)
