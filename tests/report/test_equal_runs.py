"""What the report says of columns that can't differ."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np

from pearl.report.equal_runs import equal_runs
from pearl.report.rows import MethodRuns, Runs

METHODS = {
    name: SimpleNamespace(forgetting=rule)
    for name, rule in {"plain": "none", "wide": "window", "narrow": "window"}.items()
}


def run(name: str, level: float, seeds: tuple[int, ...] = (0, 1)) -> MethodRuns:
    curves = level * np.outer(1.0 + np.array(seeds), np.arange(1.0, 4.0))
    return MethodRuns(
        name=name,
        label=name.title(),
        seeds=seeds,
        keys=tuple(f"{name}{seed}" for seed in seeds),
        metrics={"ece": (level, None)},
        curves=curves,
        series={"epoch/reward": curves / 2.0},
    )


def runs(settings: dict[str, object], **levels: float) -> Runs:
    return Runs(
        experiment="pearl/made",
        profile="smoke",
        source="none",
        provenance=None,
        settings={"kind": "prism", **settings},
        horizon=3,
        rounds=(1, 2, 3),
        facts={},
        methods={name: run(name, level) for name, level in levels.items()},
    )


def test_a_window_that_changes_nothing_is_called_inert() -> None:
    said = equal_runs([runs({}, plain=1.0, wide=1.0, narrow=2.0)], METHODS)
    assert said == (
        "Equal run by run, for every seed: Plain and Wide.",
        "W is inert in Wide: a method without a window makes the same runs, as A never holds more"
        " terms than W.",
    )


def test_two_windows_may_be_equal_without_being_inert() -> None:
    said = equal_runs([runs({}, plain=1.0, wide=2.0, narrow=2.0)], METHODS)
    assert said == ("Equal run by run, for every seed: Wide and Narrow.",)


def test_one_seed_one_series_or_one_number_tells_them_apart() -> None:
    one = runs({}, plain=1.0, wide=1.0)
    wide = one.methods["wide"]
    last = wide.curves.copy()
    last[1, 2] = np.nextafter(last[1, 2], 9.0)
    for other in (
        replace(wide, curves=last),
        replace(wide, series={"epoch/reward": wide.series["epoch/reward"] + 1e-12}),
        replace(wide, metrics={"ece": (1.0, 2.0)}),
        replace(wide, seeds=(0, 2)),
    ):
        assert equal_runs([replace(one, methods={**one.methods, "wide": other})], METHODS) == ()


def test_where_not_everywhere_the_settings_are_named() -> None:
    there, elsewhere = runs({"flip": 0.5}, plain=1.0, wide=1.0), runs({"flip": 0.7}, plain=3.0)
    assert equal_runs([there, elsewhere], METHODS)[0] == (
        "Equal run by run, for every seed: Plain and Wide."
    )
    elsewhere = runs({"flip": 0.7}, plain=3.0, wide=4.0)
    assert equal_runs([there, elsewhere], METHODS)[0] == (
        "Equal run by run, for every seed: Plain and Wide (flip = 0.5)."
    )


def test_conditions_on_equal_runs_are_named() -> None:
    base = runs({"split": "one_per_user", "pretrain_fraction": 0.5}, plain=1.0, wide=2.0)
    quarter = runs({"split": "fraction", "pretrain_fraction": 0.25}, plain=1.0, wide=2.0)
    half = runs({"split": "fraction", "pretrain_fraction": 0.5}, plain=1.0, wide=2.5)
    assert equal_runs([base, quarter, half], METHODS) == (
        "Equal runs of every method, for every seed: split = one per user and split = fraction,"
        " pretrain fraction = 0.25.",
    )
