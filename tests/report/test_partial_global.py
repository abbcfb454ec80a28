"""The table and figure of "partial or global", from made rows."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from pearl.experiments.experiment import Experiment, load_experiment
from pearl.report.figures import FIGURES
from pearl.report.kinds import kind_of
from pearl.report.rewards.partial_global import (
    DIFFERENCE,
    PartialTable,
    estimate_partial,
    partial_beneath,
    partial_caption,
    partial_cells,
    partial_grids,
    partial_keys,
    partial_origin,
)
from pearl.report.rewards.partial_global_figure import drawn_rules, named_rules
from pearl.report.rows import read_rows
from pearl.report.settings import ReportSettings

METHODS = ("directional_a", "discount_a", "cusum_a", "none_a", "oracle_in_v_a")
SEEDS = 12


@pytest.fixture
def experiment() -> Experiment:
    return load_experiment("pearl/partial-global").under("paper")


@pytest.fixture
def table(experiment: Experiment) -> PartialTable:
    source = np.random.default_rng(0)
    rows = []
    for features in ("dense", "neural"):
        for s in (0, 4):
            for place, method in enumerate(METHODS):
                for seed in range(SEEDS):
                    rows.append(_row(features, s, method, place, seed, source))
    runs = read_rows(pd.DataFrame(rows), experiment.methods)
    return estimate_partial(experiment, runs, ReportSettings(resamples=999))


def _row(
    features: str, s: int, method: str, place: int, seed: int, source: np.random.Generator
) -> dict[str, object]:
    settings = {"features": features, "shifted": s, "dimensions": 16, "hidden": 32, "energy": 0.9}
    settings |= {"shift_round": 2000, "window": 200, "tolerance": 0.1}
    found = 5 if method == "cusum_a" and features == "dense" else 0
    shifted = {
        "metric.recovery": 200 + 10 * place,
        "metric.recovered": int(seed < 9),
        "metric.spent_in_v": 1.0,
        "metric.spent_outside": 0.0 if method == "oracle_in_v_a" else 3.0,
        "metric.dimension_v": 7,
        "metric.delay": 20 + seed if seed < found else 2000,
        "metric.detected": int(seed < found),
    }
    return {
        "experiment": "pearl/partial-global",
        "profile": "paper",
        "data_source": "none",
        "data_fingerprint": "",
        "provenance": "null",
        "method": method,
        "label": method.upper(),
        "seed": seed,
        "key": f"{features}{s}{method}{seed}".encode().hex()[:64],
        "settings": json.dumps(settings),
        "horizon": 4000,
        "curve_t": [1, 4000],
        "curve_regret": [0.0, 50.0],
        "metric.final_regret": 50.0 + 10.0 * place + seed + source.random(),
        "metric.alarms_before": 40,
        "metric.alarms_after": 3,
        **(shifted if s else dict.fromkeys(shifted)),
    }


def test_cells_hold_every_measure_with_its_interval(table: PartialTable) -> None:
    cells = {(cell.row, cell.column): cell for cell in partial_cells(table)}
    regret = cells["DISCOUNT_A, dense", "regret, s=4"].measured
    assert regret is not None
    assert regret.n == SEEDS
    assert regret.low < regret.estimate < regret.high
    difference = cells["DISCOUNT_A, dense", f"{DIFFERENCE}, s=4"].measured
    assert difference is not None
    assert difference.estimate == pytest.approx(10.0, abs=1.0)
    assert difference.half_width < regret.half_width
    assert ("DIRECTIONAL_A, dense", f"{DIFFERENCE}, s=4") not in cells
    assert ("DISCOUNT_A, dense", "recovery, s=0") not in cells
    assert ("DISCOUNT_A, dense", "delay, s=4") not in cells
    assert ("DISCOUNT_A, dense", "detected, s=4") not in cells


def test_false_alarms_are_those_after_the_start_where_nothing_shifts(table: PartialTable) -> None:
    cells = {(cell.row, cell.column): cell for cell in partial_cells(table)}
    alarms = cells["CUSUM_A, dense", "false alarms, s=0"].measured
    assert alarms is not None
    assert alarms.estimate == 1.5
    assert ("CUSUM_A, dense", "false alarms, s=4") not in cells


def test_a_delay_is_the_median_of_the_runs_with_an_alarm_and_their_count(
    table: PartialTable,
) -> None:
    cells = {(cell.row, cell.column): cell for cell in partial_cells(table)}
    share = cells["CUSUM_A, dense", "detected, s=4"].measured
    delay = cells["CUSUM_A, dense", "delay, s=4"].measured
    assert share is not None
    assert share.estimate == pytest.approx(5 / SEEDS)
    assert delay is not None
    assert (delay.estimate, delay.n, delay.low) == (22.0, 5, None)
    assert ("CUSUM_A, neural", "delay, s=4") not in cells
    printed = {
        kind: {row[0]: row[2] for row in grid.rows}["CUSUM_A"]
        for grid in partial_grids(table)
        for kind in ("dense", "neural")
        if grid.title.startswith(f"{kind}: alarms")
    }
    assert printed["dense"][0].text == "1.500"
    assert [(one[1].text, one[1].interval) for one in printed.values()] == [
        ("22", "(5 of 12)"),
        ("\N{EM DASH}", "(0 of 12)"),
    ]
    (said,) = (line for line in partial_beneath(table) if line.startswith("False alarms"))
    assert "rounds 2,001 to 4,000" in said


def test_grids_print_each_kind_of_features(table: PartialTable) -> None:
    grids = {grid.title: grid for grid in partial_grids(table)}
    assert len(grids) == 12
    regret = grids["dense: regret of the whole run"]
    assert regret.head == ("method", "s = 0", "s = 4")
    assert [row[0] for row in regret.rows if row[1]] == ["DIRECTIONAL_A"]
    spent = grids["neural: uncertainty spent until recovery, trace in V / outside"]
    assert {row[0]: row[2][0].text for row in spent.rows}["ORACLE_IN_V_A"] == "1 / 0"
    assert "NONE_A" not in {row[0] for row in spent.rows}
    recovered = grids["dense: runs that recovered"]
    assert {row[2][0].text for row in recovered.rows} == {"75%"}


def test_words_around_the_table(experiment: Experiment, table: PartialTable) -> None:
    assert "within 10% of an oracle" in partial_caption(experiment, table)
    assert any("V takes on average 7.0 at s = 4 of the network's 32" in s
               for s in partial_beneath(table))  # fmt: skip
    assert dict(partial_origin(table))["data"] == "simulated, no data set"
    assert all(len(keys) == 4 * SEEDS for _, keys in partial_keys(table))


def test_nothing_of_it_enters_the_papers_tests(experiment: Experiment, table: PartialTable) -> None:
    kind = kind_of(experiment)
    assert kind.tests(table) == {}
    assert kind.first(table) is table.first
    assert kind.cells(table, {}, {}, (0, 0)) == partial_cells(table)


def test_the_figure_is_drawn_for_light_and_dark_pages(table: PartialTable, tmp_path: Path) -> None:
    FIGURES["partial_global"].draw(table, tmp_path, "it")
    assert {path.name for path in tmp_path.iterdir()} == {"it.png", "it.svg", "it.dark.svg"}


def test_the_figure_names_the_reference_its_bounds_and_the_best_rivals(table: PartialTable) -> None:
    assert drawn_rules(table) == tuple(n for n in table.experiment.methods if n in METHODS)
    always = ("directional_a", "none_a", "oracle_in_v_a")
    for features in table.kinds:
        named = named_rules(table, features)
        assert set(always) < set(named)
        regret = {
            name: table.values[(features, 4), name, "regret"].estimate
            for name in ("discount_a", "cusum_a")
        }
        assert set(named) - set(always) == {min(regret, key=lambda name: regret[name])}
    unshifted = replace(table, at={key: runs for key, runs in table.at.items() if key[1] == 0})
    assert set(named_rules(unshifted, "dense")) == set(always)
