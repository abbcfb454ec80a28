"""Tables of the ablations: rows by condition, interquartile means, epochs of a drift, gaps."""

from collections.abc import Mapping
from typing import Any

import made_up_pearl as made
import numpy as np
import pandas as pd
import pytest
from scipy import stats

from pearl.experiments import load_experiment
from pearl.report.cells import Cell
from pearl.report.claims import load_paper
from pearl.report.comparisons import compare
from pearl.report.kinds import kind_of
from pearl.report.rewards.table import RewardTable
from pearl.report.rows import read_rows
from pearl.report.sections import Section, make_sections
from pearl.report.settings import ReportSettings
from pearl.report.statistics import Interval

SHARES = {"quarter": 0.25, "half": 0.5, "three_quarters": 0.75}
TABLE_9 = {0.25: (0.664, 0.634), 0.5: (0.641, 0.601), 0.75: (0.627, 0.592)}
TABLE_15 = {
    0.25: (0.652, 0.648, 0.639, 0.615, 0.631, 0.604, 0.548),
    0.5: (0.642, 0.615, 0.609, 0.592, 0.600, 0.542, 0.542),
    0.75: (0.667, 0.640, 0.632, 0.596, 0.623, 0.480, 0.537),
}


def section(frame: pd.DataFrame) -> Section:
    experiment = load_experiment(str(frame["experiment"].iloc[0]))
    under = experiment.under("paper")
    paper, few = load_paper("pearl"), ReportSettings(resamples=999)
    runs = read_rows(frame, under.methods)
    found: RewardTable = kind_of(under).estimate(under, paper, runs, few, experiment.horizon)
    return make_sections(paper, [(under, found)])[0]


def verdicts(frame: pd.DataFrame) -> dict[str, str]:
    return {found.claim.id: found.verdict for found in section(frame).findings}


def at(one: Section, row: str, column: str) -> Cell:
    """The cell there; a column may be the beginning of its name."""
    held = {cell.column: cell for cell in one.cells if cell.row == row}
    (fitting,) = [column] if column in held else [c for c in held if c.startswith(column)]
    return held[fitting]


def measured(cell: Cell) -> Interval:
    assert cell.measured is not None
    return cell.measured


def table09(above_half: float = 0.0) -> Any:
    """Rows of Table 9; the base's rewards are those of half, or above."""

    def level(method: str, settings: Mapping[str, Any]) -> float:
        if settings["split"] == "fraction":
            return TABLE_9[settings["pretrain_fraction"]][method == "greedy"]
        return TABLE_9[0.5][method == "greedy"] + above_half

    return made.frame(
        "pearl/table09",
        ("pearl", "greedy"),
        base={**made.PRISM, "pretrain_fraction": 0.5},
        variants={
            name: {"split": "fraction", "pretrain_fraction": share}
            for name, share in SHARES.items()
        },
        level=level,
    )


def test_table_9_has_four_rows_each_with_its_counts() -> None:
    one = section(table09())
    rows = ["split = one per user"]
    rows += [f"split = fraction, pretrain fraction = {share}" for share in SHARES.values()]
    grid = one.kind.grids(one.table, one.cells)[0]
    assert [label for label, _, _ in grid.rows] == rows
    for row in rows:
        assert measured(at(one, row, "online interactions an epoch")).estimate == 3656
    cell = at(one, rows[1], "PEARL")
    assert (cell.published, cell.verdict) == (".664", "reproduced")
    gap = at(one, f"{rows[3]}: PEARL \N{MINUS SIGN} Greedy", "difference")
    assert (gap.published, gap.verdict) == ("+.035", "reproduced")


def test_a_row_that_repeats_another_bit_by_bit_is_tested_once() -> None:
    base = "split = one per user: PEARL \N{MINUS SIGN} Greedy"
    half = "split = fraction, pretrain fraction = 0.5: PEARL \N{MINUS SIGN} Greedy"
    equal, other = section(table09()), section(table09(above_half=0.001))
    assert measured(at(equal, base, "difference")).estimate == pytest.approx(0.04, abs=0.01)
    assert base not in equal.table.tests()
    assert {base, half} <= set(other.table.tests())
    assert len(other.table.tests()) == len(equal.table.tests()) + 1
    assert not any(c.row == base and c.column.startswith("BH q") for c in equal.cells)
    assert any("one per user are equal, number by number" in said for said in equal.beneath)
    assert not any("number by number" in said for said in other.beneath)
    assert equal.table.tests()[half].p_value is not None


def test_a_gap_that_does_not_grow_is_told() -> None:
    found = verdicts(table09())
    assert found["advantage_at_every_pretrain_fraction"] == "reproduced"
    assert found["gap_grows_with_pretraining"] == "not reproduced"  # as the paper's own numbers


def test_table_10_has_a_row_a_spread() -> None:
    levels = {0.1: (0.649, 0.625), 0.2: (0.639, 0.618), 0.3: (0.641, 0.613)}
    frame = made.frame(
        "pearl/table10",
        ("pearl", "greedy"),
        grid=[{"min_spread": spread} for spread in levels],
        level=lambda method, under: levels[under["min_spread"]][method == "greedy"],
    )
    one = section(frame)
    assert {f.verdict for f in one.findings} == {"reproduced"}
    grid = one.kind.grids(one.table, one.cells)[0]
    assert [label for label, _, _ in grid.rows] == [f"min spread = {s}" for s in levels]


def table15(**more: Any) -> Any:
    methods = made.TABLE_5[1:]
    return made.frame(
        "pearl/table15",
        methods,
        grid=[{"flip": flip} for flip in TABLE_15],
        level=lambda method, under: TABLE_15[under["flip"]][methods.index(method)],
        **more,
    )


def test_table_15_holds_interquartile_means() -> None:
    frame = table15()
    one = section(frame)
    rows = frame[(frame["method"] == "pearl") & frame["settings"].str.contains('"flip": 0.5')]
    values = [each[-1] for each in rows.sort_values("seed")["series.epoch/reward_to_date"]]
    cell = at(one, "PEARL", "f = 0.5")
    assert measured(cell).estimate == pytest.approx(stats.trim_mean(values, 0.25))
    assert (measured(cell).method, cell.published) == ("BCa", ".642")
    row = "PEARL \N{MINUS SIGN} Greedy, f = 0.5"
    p = at(one, row, "p (")
    assert p.column == "p (trimmed t test)"
    assert measured(p).estimate < 0.001
    assert any("Yuen" in said for said in one.beneath)


def test_table_15_says_that_a_printed_difference_is_one_of_interquartile_means() -> None:
    one = section(table15())
    gap = at(one, "PEARL \N{MINUS SIGN} Greedy, f = 0.5", "difference")
    assert gap.published == "+.042"  # .642 - .600
    assert any("not the same statistic" in said for said in one.beneath)


def test_an_outlier_moves_no_interquartile_mean() -> None:
    values = np.array([0.01, 0.012, 0.011, 0.013, 0.009, 0.010, 0.012, 5.0])
    plain = compare(values, 0 * values, stream="x")
    robust = compare(values, 0 * values, stream="x", statistic="iqm")
    assert robust.difference.estimate == pytest.approx(0.01125)
    assert robust.p_value is not None
    assert plain.p_value is not None
    assert robust.p_value < 1e-3 < plain.p_value


def test_yuens_test_by_hand() -> None:
    values = np.array([1.0, 2.0, 4.0, 5.0, 7.0, 8.0, 11.0, 20.0])
    # winsorized: 4 4 4 5 7 8 8 8; trimmed mean 6; h = 4
    winsorized = np.array([4.0, 4.0, 4.0, 5.0, 7.0, 8.0, 8.0, 8.0])
    error = np.sqrt(((winsorized - 6) ** 2).sum() / (4 * 3))
    found = compare(values, 0 * values, stream="x", statistic="iqm")
    assert found.p_value == pytest.approx(2 * stats.t.sf(6 / error, 3))
    assert compare(np.ones(5), np.zeros(5), stream="x", statistic="iqm").p_value is None


def test_table_19_prints_its_own_epochs() -> None:
    frame = made.frame(
        "pearl/table19",
        ("pearl", "neural_ucb_a", "greedy"),
        grid=[{"flip": 0.75, "drift": "decelerating"}],
    )
    one = section(frame)
    (grid,) = one.kind.grids(one.table, one.cells)
    assert grid.head[1:] == tuple(f"epoch {e}" for e in (1, 3, 5, 7, 8, 9, 10))
    assert at(one, "PEARL, f = 0.75", "epoch 7").published == ".608"


def test_table_20_sets_dimensions_beside_no_features() -> None:
    frame = made.frame(
        "pearl/table20",
        ("pearl", "pearl_no_user", "neural_ucb_a_no_user"),
        grid=[{"flip": 0.5}],
        base={**made.PRISM, "embedding": 32},
        variants={"embedding_8": {"embedding": 8}, "embedding_none": {"embedding": 0}},
        variant_methods=("pearl",),
        level=lambda method, under: (
            0.642 if (method, under["embedding"]) == ("pearl", 32) else 0.61
        ),
    )
    one = section(frame)
    assert at(one, "PEARL, embedding = 8 (base: 32)", "f = 0.5").published == ".610"
    assert at(one, "neural_ucb_a_no_user", "f = 0.5").published == ".612"


def test_the_gap_closed_is_taken_seed_by_seed() -> None:
    frame = made.table05()
    (found,) = (f for f in section(frame).findings if f.claim.id == "pearl_closes_the_gap")
    (cell,) = found.cells
    values = {}
    for method in ("pearl", "random", "oracle"):
        rows = frame[(frame["method"] == method) & frame["settings"].str.contains('"flip": 0.5')]
        ordered = rows.sort_values("seed")["series.epoch/reward_to_date"]
        values[method] = np.array([each[-1] for each in ordered])
    gap = (values["pearl"] - values["random"]) / (values["oracle"] - values["random"])
    assert measured(cell).estimate == pytest.approx(100 * gap.mean())
    assert (cell.published, cell.verdict) == ("29.7", "reproduced")


def test_without_an_oracle_no_gap_is_closed() -> None:
    frame = made.table05()
    found = verdicts(frame[frame["method"] != "oracle"].reset_index(drop=True))
    assert found["pearl_closes_the_gap"] == "not testable here"


def test_a_rate_and_a_size_are_told_from_the_runs() -> None:
    one = section(made.table05())
    cell = at(one, "PEARL, f = 0.5, parameters", "parameters")
    assert (measured(cell).estimate, cell.published) == (115_457, "100000")
    rate = at(one, "PEARL, f = 0.5, injection rate, mean", "injection rate")
    assert measured(rate).estimate == pytest.approx(0.4, abs=0.01)
