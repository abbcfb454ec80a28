"""The runs of a sweep: which setting is swept, over which values, and the runs at each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pearl.errors import PearlError
from pearl.experiments import Experiment
from pearl.report.rows import Runs

SYMBOLS = {"memory": "M", "feature_bound": "R", "norm_bound": "S", "direction": "u", "horizon": "T"}
"""Setting -> what the paper calls it; others are called by their names."""


@dataclass(frozen=True)
class Point:
    """Runs under one value of a swept setting; `title` such as "M=100", unique in its table."""

    title: str
    runs: Runs


@dataclass(frozen=True)
class Sweep:
    """A swept setting with its values, ascending where they are numbers, and a point at each."""

    setting: str
    values: tuple[Any, ...]
    points: tuple[Point, ...]

    @property
    def symbol(self) -> str:
        """What the paper calls the setting."""
        return symbol(self.setting)

    @property
    def is_numeric(self) -> bool:
        """Whether the values are numbers, so that they have an order and distances."""
        return all(isinstance(value, int | float) for value in self.values)

    def title(self, value: Any) -> str:
        """Return what a value of the sweep is called, such as "M=100"."""
        return f"{self.symbol}={_shown(value)}"

    def at(self, value: Any) -> Point | None:
        """Return the point at a value; None where it wasn't run."""
        return self.points[self.values.index(value)] if value in self.values else None


def symbol(setting: str) -> str:
    """Return what the paper calls a setting."""
    return SYMBOLS.get(setting, setting)


def sweeps_of(experiment: Experiment, all_runs: Sequence[Runs]) -> tuple[Sweep, ...]:
    """Return an experiment's sweeps: of its grid's one name, or one a setting that variants change.

    The base of variants is a point of each of their sweeps, at its own value.

    Raises:
        PearlError: both a grid and variants, several names in the grid, or a variant that changes
            several settings at once.
    """
    variants = [runs for runs in all_runs if runs.variant]
    base = [runs for runs in all_runs if not runs.variant]
    names = list(experiment.grid)
    if len(names) == 1 and not variants:
        swept = {_described(r)[names[0]]: r for r in base}
        order = [value for value in experiment.grid[names[0]] if value in swept]
        return (_sweep(names[0], {value: swept[value] for value in order}, None),)
    if names or not base:
        raise PearlError(
            f"{experiment.id}: a table by setting sweeps one name in a grid, or one in each"
            f" variant; the grid has {len(names)} names, and there are {len(variants)} variants.",
            remedy="Sweep one setting an experiment, or put all values into variants.",
        )
    found: dict[str, dict[Any, Runs]] = {}
    order = list(experiment.variants)
    for runs in sorted(variants, key=lambda one: order.index(one.variant)):
        name = _changed(experiment, base[0], runs)
        found.setdefault(name, {_described(base[0])[name]: base[0]})[_described(runs)[name]] = runs
    words = ", ".join(f"{symbol(n)}={_shown(_described(base[0])[n])}" for n in found)
    at_base = Point(f"base ({words})" if found else "base", base[0])
    return tuple(_sweep(name, by_value, at_base) for name, by_value in found.items())


def points_of(sweeps: Sequence[Sweep]) -> tuple[Point, ...]:
    """Return the points of all sweeps, each once."""
    return tuple({p.title: p for sweep in sweeps for p in sweep.points}.values())


def _sweep(setting: str, by_value: dict[Any, Runs], base: Point | None) -> Sweep:
    numeric = all(isinstance(value, int | float) for value in by_value)
    values = sorted(by_value) if numeric else list(by_value)
    points = tuple(
        base
        if base is not None and by_value[value] is base.runs
        else Point(f"{symbol(setting)}={_shown(value)}", by_value[value])
        for value in values
    )
    return Sweep(setting, tuple(values), points)


def _changed(experiment: Experiment, base: Runs, variant: Runs) -> str:
    ours, theirs = _described(base), _described(variant)
    names = [name for name in ours if ours[name] != theirs.get(name)]
    if len(names) != 1:
        raise PearlError(
            f"{experiment.id}: variant {variant.variant} changes {', '.join(names) or 'nothing'};"
            " a table by setting has variants that change one setting each."
        )
    return names[0]


def _described(runs: Runs) -> dict[str, Any]:
    return {**runs.settings, "horizon": runs.horizon}


def _shown(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    return f"{value:g}" if isinstance(value, float) and not value.is_integer() else f"{value:.0f}"
