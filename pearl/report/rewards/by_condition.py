"""Tables with a row a condition: the shares that pretrain (Table 9), the spreads (Table 10)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

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
from pearl.report.rewards.reading import METRIC, Rewards

COUNTS = {
    "instance/pretraining": "pretraining interactions",
    "instance/interactions": "online interactions an epoch",
    "updates": "network updates",
}
HANGS_ON = {"pretrain_fraction": ("split", "fraction")}
"""Settings that decide nothing unless another has a value."""


@dataclass(frozen=True)
class Condition:
    """Settings under which all methods were run: in words, and as a point finds them."""

    words: str
    settings: tuple[tuple[str, Any], ...] = ()
    variant: str = ""

    def point(self, method: str, series: str = "") -> Point:
        """Return the point of a method under these settings."""
        return Point(method, self.settings, series=series, variant=self.variant)


def by_condition(experiment: Experiment, rewards: Rewards) -> Plan:
    """Lay out each condition's rewards, counts, and the reference against the others in it.

    A condition under which all methods' rewards equal those of a later one adds no test: it would
    count one comparison twice.
    """
    label, ours = rewards.label, experiment.reference
    others = tuple(m for m in experiment.methods if m != ours)
    found = conditions(rewards)
    again = _told_again(experiment, rewards, found)
    values = tuple(
        Value(one.words, label(m), Contrast((one.point(m),)))
        for one in found
        for m in experiment.methods
    )
    counts = tuple(
        Value(one.words, words, Contrast((one.point(ours, METRIC + name),)))
        for one in found
        for name, words in COUNTS.items()
    )
    differences = tuple(
        Difference(
            f"{one.words}: {label(ours)} {MINUS} {label(m)}",
            "difference",
            Contrast((one.point(ours),), (one.point(m),)),
            tested=one not in again,
        )
        for one in found
        for m in others
    )
    rewards_grid = GridPlan(
        "",
        "condition",
        (
            *(Column(words, "count") for words in COUNTS.values()),
            *(Column(label(m), "reward") for m in experiment.methods),
        ),
        tuple(
            Line(
                one.words,
                tuple((one.words, c) for c in (*COUNTS.values(), *map(label, experiment.methods))),
            )
            for one in found
        ),
    )
    paired = GridPlan(
        f"{label(ours)} against each method, paired by seed",
        "comparison",
        DIFFERENCE_COLUMNS,
        tuple(Line(one.row, difference_places(one.row, one.column)) for one in differences),
    )
    family = f"{label(ours)} with {', '.join(map(label, others))} in each row"
    family += " that no later one repeats" if again else ""
    remarks = tuple(
        f"The runs of {one.words} are equal, number by number, to those of {other.words}: they are"
        " tested once, there."
        for one, other in again.items()
    )
    return Plan((*counts, *values), differences, (rewards_grid, paired), family, remarks)


def _told_again(
    experiment: Experiment, rewards: Rewards, found: tuple[Condition, ...]
) -> dict[Condition, Condition]:
    """Return the conditions whose rewards are bit by bit those of a later one, with that one."""

    def numbers(one: Condition) -> list[tuple[tuple[int, ...], bytes] | None]:
        samples = [rewards.sample(one.point(m)) for m in experiment.methods]
        return [(each.seeds, each.values.tobytes()) if each else None for each in samples]

    told = {one: numbers(one) for one in found}
    return {
        one: other
        for place, one in enumerate(found)
        for other in found[place + 1 :][::-1]
        if None not in told[one] and told[one] == told[other]
    }


def conditions(rewards: Rewards) -> tuple[Condition, ...]:
    """Return the base's settings in which its runs differ, then the variants."""
    changed = list(rewards.swept)
    base = rewards.base[0].settings if rewards.base else {}
    for runs in rewards.all_runs:
        if runs.variant:
            changed += [n for n, value in runs.settings.items() if base.get(n) != value]
    names = tuple(dict.fromkeys(sorted(changed, key=lambda name: name in HANGS_ON)))
    swept = [
        Condition(
            condition_words(runs.settings, names),
            tuple((n, runs.settings[n]) for n in rewards.swept),
        )
        for runs in rewards.base
    ]
    varied = [
        Condition(condition_words(runs.settings, names), variant=runs.variant)
        for runs in rewards.all_runs
        if runs.variant
    ]
    return tuple(sorted(swept, key=lambda one: one.words)) + tuple(
        sorted(varied, key=lambda one: one.words)
    )


def condition_words(settings: Mapping[str, Any], names: tuple[str, ...]) -> str:
    """Print some settings: "split = fraction, pretrain fraction = 0.25"."""
    said = []
    for name in names:
        other, needed = HANGS_ON.get(name, (name, None))
        if name not in settings or (needed is not None and settings.get(other) != needed):
            continue
        said.append(f"{name} = {settings[name]}".replace("_", " "))
    return ", ".join(said)
