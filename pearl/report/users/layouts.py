"""How tables of groups of users are laid out: Table 12, Figure 6 and Section 9."""

from __future__ import annotations

from collections.abc import Sequence

from pearl.experiments import Experiment
from pearl.report.contrasts import At, Contrast, Point
from pearl.report.numbers import MINUS, reward
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
from pearl.report.users.strata import GROUPS, SPLIT, TERCILES

RIVAL = "greedy"
PUBLISHED_EDGES = "the paper's are .35 and .47"


def diversity(experiment: Experiment, rewards: Rewards) -> Plan:
    """Lay out Table 12: a row a tercile of candidate diversity."""
    rows = [(f"{name} diversity", f"strata/{name}_diversity", None) for name in TERCILES]
    remarks = (
        "Mean within a user over epochs 1 to e, then over users. Diversity: a user's mean pairwise"
        " cosine distance between the responses of his slates, those of pretraining too;"
        f" terciles of users from the data{_edges(rewards, 'diversity')}"
        f" ({PUBLISHED_EDGES}).",
    )
    return _terciles(experiment, rewards, rows, remarks)


def divergence(experiment: Experiment, rewards: Rewards) -> Plan:
    """Lay out Figure 6: a row a tercile of divergence and flip."""
    rows = [
        (f"{name} divergence, {setting_words('flip', flip)}", f"strata/{name}_divergence", flip)
        for flip in rewards.levels("flip")
        for name in TERCILES
    ]
    remarks = (
        "Mean within a user over epochs 1 to e, then over users. Divergence: a user's mean"
        f" \N{GREEK SMALL LETTER EPSILON} under {rewards.label(experiment.reference)} without a"
        " flip, same seed; terciles of users"
        f" seed by seed{_edges(rewards, 'divergence')}.",
    )
    return _terciles(experiment, rewards, rows, remarks)


def extremity(experiment: Experiment, rewards: Rewards) -> Plan:
    """Lay out Section 9: regret by group, error and reward of the flipped users by extremity."""
    label, methods = rewards.label, experiment.methods
    values: list[Value] = []
    differences: list[Difference] = []
    groups = [
        (f"{name} users", f"strata/{name}_regret", "regret to date", "last") for name in GROUPS
    ]
    lines = []
    for row, series, what, _ in groups:
        places = []
        for m in methods:
            column = f"{what}, {label(m)}"
            values.append(Value(row, column, Contrast((Point(m, series=series),))))
            places.append((row, column))
        lines.append(Line(row, tuple(places)))
    regret = GridPlan(
        "Regret of flipped and other users",
        "users",
        tuple(Column(label(m), "reward") for m in methods),
        tuple(lines),
    )
    measures: tuple[tuple[str, str, At], ...] = (
        ("error", "error in the first epoch", "first"),
        ("reward", "reward in the last epoch", "last"),
    )
    grids = [regret]
    for measure, what, at in measures:
        lines = []
        for m in methods:
            row = f"{label(m)}: {what}"
            points = [Point(m, at=at, series=f"strata/{name}_{measure}") for name in SPLIT]
            for name, point in zip(SPLIT, points, strict=True):
                values.append(Value(row, f"{name} preferences", Contrast((point,))))
            column = f"extreme {MINUS} moderate"
            pair = Contrast((points[0],), (points[1],))
            differences.append(Difference(row, column, pair))
            cells = tuple((row, f"{name} preferences") for name in SPLIT)
            lines.append(Line(label(m), (*cells, *difference_places(row, column))))
        columns = (*(Column(f"{name} preferences", "reward") for name in SPLIT),)
        grids.append(
            GridPlan(
                f"Flipped users: {what}", "method", (*columns, *DIFFERENCE_COLUMNS), tuple(lines)
            )
        )
    remarks = (
        "Regret: mean over a group's interactions of epochs 1 to e. Extremity: a user's mean"
        " distance from 50 over the eight stated preferences; extreme are the flipped users above"
        " the median of their seed's. Error and reward: mean within a user in that epoch alone,"
        " then over users.",
    )
    family = "extreme with moderate preferences"
    return Plan(tuple(values), tuple(differences), tuple(grids), family, remarks)


def _terciles(
    experiment: Experiment,
    rewards: Rewards,
    rows: Sequence[tuple[str, str, float | None]],
    remarks: tuple[str, ...],
) -> Plan:
    """Lay out a row a stratum: every method's reward, and the reference's lead over Greedy."""
    label, ours = rewards.label, experiment.reference
    column = f"{label(ours)} {MINUS} {label(RIVAL)}"
    values: list[Value] = []
    differences: list[Difference] = []
    lines = []
    for row, series, flip in rows:
        points = {m: Point(m, series=series) for m in experiment.methods}
        if flip is not None:
            points = {m: point.under(flip=flip) for m, point in points.items()}
        for m, point in points.items():
            values.append(Value(row, label(m), Contrast((point,))))
        differences.append(Difference(row, column, Contrast((points[ours],), (points[RIVAL],))))
        places = tuple((row, label(m)) for m in experiment.methods)
        lines.append(Line(row, (*places, *difference_places(row, column))))
    columns = (
        *(Column(label(m), "reward") for m in experiment.methods),
        Column(column, "difference"),
        *DIFFERENCE_COLUMNS[1:],
    )
    grid = GridPlan("", "users", columns, tuple(lines))
    family = f"{label(ours)} with {label(RIVAL)} in each stratum"
    return Plan(tuple(values), tuple(differences), (grid,), family, remarks)


def _edges(rewards: Rewards, what: str) -> str:
    """Say where the terciles part, as the mean over seeds."""
    for run in rewards.first.methods.values():
        edges = run.series[f"strata/{what}_edges"].mean(axis=0)
        return f", parted at {reward(edges[0])} and {reward(edges[1])}"
    return ""
