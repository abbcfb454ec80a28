"""Columns that can't differ: methods or conditions whose runs are equal, told from the runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pearl.report.rewards.by_condition import HANGS_ON, condition_words
from pearl.report.rows import MethodRuns, Runs

Group = tuple[str, ...]


def equal_runs(all_runs: Sequence[Runs], methods: Mapping[str, Any]) -> tuple[str, ...]:
    """Say which methods, and which conditions, have equal runs for every seed.

    Runs are equal where every curve, series and number of theirs is, as the results hold them.

    Args:
        all_runs: an experiment's.
        methods: the registry that its methods are of, by name.
    """
    return (*_equal_methods(all_runs, methods), *_equal_conditions(all_runs))


def _equal_methods(all_runs: Sequence[Runs], methods: Mapping[str, Any]) -> list[str]:
    found: dict[Group, list[Runs]] = {}
    for runs in all_runs:
        same: dict[tuple[object, ...], list[str]] = {}
        for name, run in runs.methods.items():
            same.setdefault(_content(run), []).append(name)
        for group in same.values():
            if len(group) > 1:
                found.setdefault(tuple(group), []).append(runs)
    said = []
    for names, where in found.items():
        labels = [where[0].methods[name].label for name in names]
        ran = [runs for runs in all_runs if all(name in runs.methods for name in names)]
        at = "" if len(ran) == len(where) else f" ({'; '.join(_words(where, all_runs))})"
        said.append(f"{_and(labels)}{at}")
    if not said:
        return []
    inert = dict.fromkeys(
        where[0].methods[name].label
        for names, where in found.items()
        for name in _without_effect(names, methods)
    )
    told = [f"Equal run by run, for every seed: {'; '.join(said)}."]
    if inert:
        told.append(
            f"W is inert in {_and(list(inert))}: a method without a window makes the same runs, as"
            " A never holds more terms than W."
        )
    return told


def _without_effect(names: Group, methods: Mapping[str, Any]) -> list[str]:
    """Return the windows of a group that also holds a method which forgets nothing."""
    rules = {name: getattr(methods.get(name), "forgetting", None) for name in names}
    if "none" not in rules.values():
        return []
    return [name for name, rule in rules.items() if rule == "window"]


def _equal_conditions(all_runs: Sequence[Runs]) -> list[str]:
    same: dict[tuple[object, ...], list[Runs]] = {}
    for runs in all_runs:
        content = tuple((name, _content(run)) for name, run in sorted(runs.methods.items()))
        same.setdefault(content, []).append(runs)
    return [
        f"Equal runs of every method, for every seed: {_and(_words(group, all_runs))}."
        for group in same.values()
        if len(group) > 1
    ]


def _content(run: MethodRuns) -> tuple[object, ...]:
    return (
        run.seeds,
        run.curves.tobytes(),
        tuple(sorted(run.metrics.items())),
        tuple((name, values.tobytes()) for name, values in sorted(run.series.items())),
    )


def _words(some: Sequence[Runs], all_runs: Sequence[Runs]) -> list[str]:
    """Tell conditions by the settings in which the experiment's runs differ."""
    names = dict.fromkeys(name for runs in all_runs for name in runs.settings)
    telling = [n for n in names if len({str(runs.settings.get(n)) for runs in all_runs}) > 1]
    telling.sort(key=lambda name: name in HANGS_ON)
    return [condition_words(runs.settings, tuple(telling)) for runs in some]


def _and(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
