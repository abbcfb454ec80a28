"""The appendix: settings that the paper leaves open, beside what the method does."""

from __future__ import annotations

from pearl.experiments import Experiment
from pearl.report.contrasts import Contrast, Point
from pearl.report.numbers import MINUS, difference
from pearl.report.rewards.plan import (
    Column,
    Difference,
    GridPlan,
    Line,
    Plan,
    Value,
)
from pearl.report.rewards.reading import Rewards
from pearl.report.rewards.structural import ORACLE
from pearl.report.rewards.table import RewardTable
from pearl.report.rewards.variants import variant_words

BASE = "as decided (base)"
YARDSTICK = "greedy"
NO_RIVALS = (ORACLE, "random")


def by_setting(experiment: Experiment, rewards: Rewards) -> Plan:
    """Lay out rewards by setting and method, each setting's effect and the method's beside it."""
    methods, label, ours = experiment.methods, rewards.label, experiment.reference
    named = {"": BASE, **{name: variant_words(rewards, name) for name in _variants(rewards)}}
    values = tuple(
        Value(row, label(m), Contrast((Point(m, variant=name),)))
        for name, row in named.items()
        for m in methods
    )
    means = GridPlan(
        "Reward under each setting",
        "method",
        tuple(Column(row, "reward") for row in named.values()),
        tuple(
            Line(label(m), tuple((row, label(m)) for row in named.values()), leads=m == ours)
            for m in methods
        ),
    )
    other = _yardstick(experiment)
    differences: list[Difference] = []
    lines = []
    for name, row in named.items():
        places: list[tuple[str, str] | None] = [None]
        if name:
            moved = f"{label(ours)}: {row}"
            changed = Contrast((Point(ours, variant=name),), (Point(ours),))
            differences.append(Difference(moved, "effect of the setting", changed, tested=False))
            places = [(moved, "effect of the setting")]
        if other:
            led = f"{label(ours)} {MINUS} {label(other)}: {row}"
            pair = Contrast((Point(ours, variant=name),), (Point(other, variant=name),))
            differences.append(Difference(led, "effect of the method", pair, tested=False))
            places.append((led, "effect of the method"))
        lines.append(Line(row, tuple(places), leads=not name))
    columns = [Column(f"{label(ours)}: setting {MINUS} base", "difference")]
    if other:
        columns.append(Column(f"{label(ours)} {MINUS} {label(other)}", "difference"))
    effects = GridPlan(
        "What a setting moves, beside what the method does",
        "setting",
        tuple(columns),
        tuple(lines),
    )
    return Plan(values, tuple(differences), (means, effects))


def settings_that_matter(table: RewardTable) -> tuple[str, ...]:
    """Name the settings that move the reference's reward more than the method does."""
    experiment, rewards = table.experiment, table.rewards
    ours, other = experiment.reference, _yardstick(experiment)
    if other is None:
        return ()
    lead = table.estimates.get(Contrast((Point(ours),), (Point(other),)))
    if lead is None:
        return ()
    larger: list[str] = []
    smaller: list[str] = []
    for name in _variants(rewards):
        found = table.estimates.get(Contrast((Point(ours, variant=name),), (Point(ours),)))
        if found is not None:
            told = f"{variant_words(rewards, name)} ({difference(found.estimate)})"
            (larger if abs(found.estimate) > abs(lead.estimate) else smaller).append(told)
    labels = f"{rewards.label(ours)} and {rewards.label(other)}"
    said: list[str] = []
    if larger:
        said.append(
            f"These move {rewards.label(ours)}'s reward more than what lies between {labels}"
            f" ({difference(lead.estimate)}): {'; '.join(larger)}."
        )
    if smaller:
        said.append(f"These move it less: {'; '.join(smaller)}.")
    return tuple(said)


def _variants(rewards: Rewards) -> list[str]:
    return list(dict.fromkeys(runs.variant for runs in rewards.all_runs if runs.variant))


def _yardstick(experiment: Experiment) -> str | None:
    if YARDSTICK in experiment.methods and experiment.reference != YARDSTICK:
        return YARDSTICK
    others = [m for m in experiment.methods if m not in (experiment.reference, *NO_RIVALS)]
    return others[0] if others else None
