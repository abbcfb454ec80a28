"""Tables of rewards, from rows whose levels are the published numbers unless a test moves one."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import made_up_pearl as made
import numpy as np
import pandas as pd
import pytest
from scipy import stats

from pearl.errors import PearlError
from pearl.experiments import load_experiment
from pearl.report.cells import Cell
from pearl.report.claims import load_paper
from pearl.report.contrasts import parse_contrast
from pearl.report.kinds import kind_of
from pearl.report.rewards.table import RewardTable
from pearl.report.rows import read_rows
from pearl.report.sections import Section, make_sections
from pearl.report.settings import ReportSettings
from pearl.report.summary import outcome

FEW = ReportSettings(resamples=999)
SAMPLE = {
    "profile": "sample",
    "source": "sample",
    "seeds": range(42, 47),
    "base": {**made.PRISM, "update_interval": None},
}


def table(frame: pd.DataFrame) -> RewardTable:
    experiment = load_experiment(str(frame["experiment"].iloc[0]))
    under = experiment.under("paper")
    runs = read_rows(frame, under.methods)
    estimate = kind_of(under).estimate
    found: RewardTable = estimate(under, load_paper("pearl"), runs, FEW, experiment.horizon)
    return found


def sections(*frames: pd.DataFrame) -> tuple[Section, ...]:
    tables = [table(frame) for frame in frames]
    return make_sections(load_paper("pearl"), [(one.experiment, one) for one in tables])


def section(frame: pd.DataFrame) -> Section:
    return sections(frame)[0]


def verdicts(frame: pd.DataFrame) -> dict[str, str]:
    return {found.claim.id: found.verdict for found in section(frame).findings}


def at(one: Section, row: str, column: str) -> Cell:
    """The cell there; a column may be the beginning of its name, which m ends."""
    held = {cell.column: cell for cell in one.cells if cell.row == row}
    (fitting,) = [column] if column in held else [c for c in held if c.startswith(column)]
    return held[fitting]


def last(frame: pd.DataFrame, method: str, flip: float) -> np.ndarray:
    flips = frame["settings"].str.contains(f'"flip": {flip}')
    rows = frame[flips & (frame["method"] == method)].sort_values("seed")
    return np.array([values[-1] for values in rows["series.epoch/reward_to_date"]])


def moved(**changes: float) -> Any:
    """Levels as published, some methods' moved."""

    def level(method: str, settings: Mapping[str, Any]) -> float:
        return made.published_level(method, settings) + changes.get(method, 0.0)

    return level


def test_means_and_paired_differences() -> None:
    frame = made.table05()
    one = section(frame)
    ours, theirs = last(frame, "pearl", 0.5), last(frame, "greedy", 0.5)
    assert at(one, "f = 0.5", "PEARL").measured.estimate == pytest.approx(ours.mean())
    row = "PEARL \N{MINUS SIGN} Greedy, f = 0.5"
    difference = at(one, row, "difference")
    assert difference.measured.estimate == pytest.approx((ours - theirs).mean())
    assert (difference.measured.method, difference.measured.n) == ("BCa", 20)
    assert (difference.published, difference.verdict) == ("+.040", "reproduced")
    p = at(one, row, "p (paired t test)")
    assert p.measured.estimate == pytest.approx(stats.ttest_rel(ours, theirs).pvalue)
    assert p.published == "<.001"
    keys = set(frame[frame["method"].isin(["pearl", "greedy"])]["key"])
    assert set(difference.keys) < keys
    assert len(difference.keys) == 40


def test_a_published_difference_may_follow_from_printed_rewards() -> None:
    one = section(made.table05())
    cell = at(one, "PEARL \N{MINUS SIGN} NeuralUCB-F, f = 0.25", "difference")
    # .651 - .639, not printed itself: no verdict
    assert (cell.published, cell.verdict, cell.delta) == ("+.012", "", None)


def test_every_cell_has_a_place_of_its_own() -> None:
    for one in sections(*made.all_frames().values()):
        places = [(cell.row, cell.column) for cell in one.cells]
        assert len(set(places)) == len(places), one.experiment.id


def test_the_family_is_the_reference_at_every_flip_and_the_papers_other_orders() -> None:
    frame = made.table05()
    one, found = section(frame), table(frame)
    tests = found.tests()
    # six methods (the Oracle is no rival) at three flips, and four orders more
    assert len(tests) == 22
    assert not any("Oracle" in row for row in tests)
    values = [comparison.p_value for comparison in tests.values()]
    expected = stats.false_discovery_control(values, method="bh")
    for row, q in zip(tests, expected, strict=True):
        assert at(one, row, "BH q (table, m=22)").measured.estimate == pytest.approx(q)
        assert at(one, row, "BH q (paper, m=22)").measured.estimate == pytest.approx(q)


def test_the_second_column_covers_all_tables_of_the_paper() -> None:
    first, second = sections(made.table05(), made.all_frames()["pearl/table06"])
    columns = {cell.column for cell in (*first.cells, *second.cells)}
    assert {c for c in columns if c.startswith("BH q")} == {
        "BH q (table, m=22)",
        "BH q (table, m=4)",
        "BH q (paper, m=26)",
    }
    assert any("m = 22" in said and "m = 26" in said for said in first.beneath)


def test_the_tables_own_q_judges_an_order() -> None:
    found = table(made.table05())
    claim = next(c for c in found.claims if c.id == "pearl_leads_at_a_half")
    judge = kind_of(found.experiment).judge
    for q, verdict in ((0.049, "reproduced"), (0.051, "not reproduced")):
        assert judge(claim, found, dict.fromkeys(found.tests(), q)).verdict == verdict


def test_published_levels_reproduce() -> None:
    found = verdicts(made.table05())
    assert set(found.values()) == {"reproduced"}
    # Table 5's numbers; section 13's differences; orders, structure; gap closed, injection, size
    assert len(found) == 24 + 4 + 9 + 4


def test_a_number_two_points_off_does_not() -> None:
    found = verdicts(made.table05(level=moved(neural_ts=0.02)))
    failed = {name for name, verdict in found.items() if verdict != "reproduced"}
    assert failed == {f"pearl/table05 neural_ts | flip={f}" for f in ("0.25", "0.5", "0.75")}


def test_an_order_turned_round_fails_in_its_comparison_alone() -> None:
    one = section(made.table05(level=moved(neural_ucb_a=0.03)))
    finding = next(f for f in one.findings if f.claim.id == "pearl_leads_at_a_half")
    assert finding.verdict == "not reproduced"
    assert [cell.verdict for cell in finding.cells] == ["not reproduced"] + ["reproduced"] * 5
    assert finding.shown[0][0] == "PEARL \N{MINUS SIGN} NeuralUCB-A"
    said = outcome(one.findings, sample=False)
    assert "PEARL leads all baselines at f = .5 (fails in 1 of 6 comparisons)" in said


def test_on_sample_data_numbers_are_not_tested_and_orders_say_so() -> None:
    one = section(made.table05(level=moved(pearl=0.02), **SAMPLE))
    by_kind: dict[str, set[str]] = {}
    for found in one.findings:
        by_kind.setdefault(found.claim.kind, set()).add(found.verdict)
    assert by_kind == {
        "number": {"not testable here"},
        "order": {"reproduced on sample data"},
        "structural": {"reproduced"},
    }
    said = outcome(one.findings, sample=True)
    assert said.startswith("The 28 printed numbers are not testable on sample data.")
    assert "Came out as published on sample data: PEARL leads all baselines at f = .25" in said
    assert {c.measured.method for c in one.cells if c.column == "difference"} == {"Student t"}


def test_other_settings_do_not_test_a_claim_on_the_publishers_data() -> None:
    one = section(made.table05(epochs=5, base={**made.PRISM, "update_interval": 500}))
    order = next(f for f in one.findings if f.claim.id == "pearl_leads_at_a_half")
    assert order.verdict == "not testable here"
    assert "epochs 5 (stated for 10)" in order.scope
    assert "update interval 500 (stated for 1,000)" in order.scope
    structural = next(f for f in one.findings if f.claim.id == "oracle_is_constant")
    assert structural.verdict == "reproduced"


def test_one_seed_has_means_alone() -> None:
    one = section(made.table05(seeds=[42]))
    cell = at(one, "PEARL \N{MINUS SIGN} Greedy, f = 0.5", "difference")
    assert cell.measured.method == "none"
    assert not any(c.column.startswith(("p (", "BH q")) for c in one.cells)
    order = next(f for f in one.findings if f.claim.id == "pearl_leads_at_a_half")
    assert order.verdict == "not testable here"


def test_equal_seeds_are_degenerate_and_untested() -> None:
    one = section(made.table05(spread=0.0))
    cell = at(one, "PEARL \N{MINUS SIGN} Greedy, f = 0.5", "difference")
    assert cell.measured.method == "degenerate"
    assert not any(c.column.startswith("p (") for c in one.cells)


def test_a_method_without_runs_leaves_gaps() -> None:
    frame = made.table05()
    one = section(frame[frame["method"] != "greedy"])
    assert at(one, "f = 0.5", "greedy").measured is None
    assert any("Without runs here: greedy" in said for said in one.beneath)
    order = next(f for f in one.findings if f.claim.id == "pearl_leads_at_a_half")
    assert order.verdict == "not testable here"


def test_pairs_are_the_same_seeds() -> None:
    frame = made.table05()
    one = section(frame[~((frame["method"] == "greedy") & (frame["seed"] == 50))])
    cell = at(one, "PEARL \N{MINUS SIGN} Greedy, f = 0.5", "difference")
    ours, theirs = last(frame, "pearl", 0.5), last(frame, "greedy", 0.5)
    kept = np.arange(20) != 50 - 42
    assert cell.measured.n == 19
    assert cell.measured.estimate == pytest.approx((ours - theirs)[kept].mean())


def test_structural_properties_fail_where_they_should() -> None:
    frame = made.table05()
    place = frame.index[frame["method"] == "pearl"][0]
    frame.at[place, "curve_regret"] = [-0.5, *frame.at[place, "curve_regret"][1:]]
    place = frame.index[frame["method"] == "oracle"][0]
    frame.at[place, "curve_regret"] = [0.01, *frame.at[place, "curve_regret"][1:]]
    frame.at[place, "series.epoch/reward_to_date"] = [0.874] * 10
    found = verdicts(frame)
    for name in ("regret_is_never_negative", "oracle_has_no_regret", "oracle_is_constant"):
        assert found[name] == "not reproduced"
    without = frame[frame["method"] != "oracle"]
    assert verdicts(without)["oracle_has_no_regret"] == "not testable here"


def test_the_cascade_compares_each_row_with_the_one_before() -> None:
    frame = made.all_frames()["pearl/table06"]
    one = section(frame)
    column = "difference from the row before"
    found = {c.row: c.measured.estimate for c in one.cells if c.column == column}
    ours, before = last(frame, "pearl", 0.5), last(frame, "neural_ucb_a", 0.5)
    assert set(found) == {"Greedy", "NeuralUCB-F", "NeuralUCB-A", "PEARL"}
    assert found["PEARL"] == pytest.approx((ours - before).mean())
    assert set(verdicts(frame).values()) == {"reproduced"}


def test_without_drift_parity_is_two_one_sided_tests() -> None:
    frame = made.all_frames()["pearl/table07"]
    one = section(frame)
    cell = at(one, "PEARL", "difference from Greedy")
    assert cell.published == "-.003"
    parity = next(f for f in one.findings if f.claim.id == "parity_without_drift")
    difference = last(frame, "pearl", 0.0) - last(frame, "greedy", 0.0)
    above = stats.ttest_1samp(difference, -0.005, alternative="greater").pvalue
    assert (parity.verdict == "reproduced") == bool(above < 0.05)
    wide = made.frame(
        "pearl/table07",
        ("greedy", "pearl", "no_online", "random"),
        grid=[{"flip": 0.0}],
        level=moved(pearl=-0.01),
    )
    assert verdicts(wide)["parity_without_drift"] == "not reproduced"
    # the table holds No-Online minus Greedy, the claim Greedy minus No-Online
    order = next(f for f in one.findings if f.claim.id == "greedy_leads_without_drift")
    assert order.verdict == "reproduced"
    assert order.cells[0].column == "order: below 0"
    assert order.cells[0].measured.estimate < 0
    title, shown = order.shown[0]
    assert title == "Greedy \N{MINUS SIGN} No-Online"
    assert shown.estimate == -order.cells[0].measured.estimate


def test_the_simulation_is_testable_without_a_data_set() -> None:
    one = section(made.table08())
    found = {f.claim.id: f.verdict for f in one.findings}
    assert found["pearl_leads_in_simulation"] == "reproduced"
    assert found["pearl/table08 pearl_gamma100 | epoch=3"] == "reproduced"
    assert found["sw_ucb_in_simulation"] == "reproduced"
    assert one.runs.data_label == "simulated, no data set"
    assert one.runs.provenance is None
    row = "pairs = 1 (base: all)"
    assert at(one, row, "Random").measured.estimate == pytest.approx(0.776, abs=0.01)
    short = section(made.table08(epochs=2))
    order = next(f for f in short.findings if f.claim.id == "pearl_leads_in_simulation")
    assert order.verdict == "not testable here"
    assert order.scope == "measured at epoch 2 (stated for 3)"


def test_epochs_are_scaled_where_fewer_are_run() -> None:
    frame = made.frame(
        "pearl/table13",
        ("pearl", "neural_ucb_a", "greedy", "no_online", "random"),
        grid=[{"flip": 0.5}],
        epochs=5,
    )
    one = section(frame)
    rows = frame[frame["method"] == "pearl"]["series.epoch/reward_to_date"]
    # epochs 1, 3, 5, 10 of 10 stand for 1, 2, 3, 5 of 5
    for printed, here in ((1, 1), (3, 2), (5, 3), (10, 5)):
        mean = np.mean([values[here - 1] for values in rows])
        cell = at(one, "PEARL, f = 0.5", f"epoch {printed}")
        assert cell.measured.estimate == pytest.approx(mean)
    assert any("stand for epochs 1, 2, 3, 5 here" in said for said in one.beneath)


def test_the_first_epoch_has_an_effect_size() -> None:
    frame = made.all_frames()["pearl/table14"]
    one = section(frame)
    row = "PEARL \N{MINUS SIGN} Greedy, f = 0.75"
    first = [
        np.array(
            [
                values[0]
                for values in frame[
                    (frame["method"] == method) & frame["settings"].str.contains('"flip": 0.75')
                ].sort_values("seed")["series.epoch/reward_to_date"]
            ]
        )
        for method in ("pearl", "greedy")
    ]
    difference = first[0] - first[1]
    d = at(one, row, "effect size d")
    assert d.measured.estimate == pytest.approx(difference.mean() / difference.std(ddof=1))
    assert d.published == "4.92"
    assert at(one, row, "difference").published == "+.047"


def test_settings_that_move_more_than_the_method() -> None:
    one = section(made.all_frames()["pearl/settings"])
    moved_by = at(one, "PEARL: adam = kept (base: reset)", "effect of the setting")
    assert moved_by.measured.estimate == pytest.approx(-0.045)
    led = at(one, "PEARL \N{MINUS SIGN} Greedy: as decided (base)", "effect of the method")
    assert led.measured.estimate == pytest.approx(0.040, abs=0.002)
    larger = next(said for said in one.beneath if "more than what lies between" in said)
    assert "adam = kept" in larger
    assert "embedding sd" not in larger
    assert not any(cell.column.startswith("BH q") for cell in one.cells)


def test_recovery_begins_and_ends() -> None:
    frame = made.all_frames()["pearl/figure4"]
    one = section(frame)
    rows = frame[frame["method"] == "pearl"]["series.recovery/flipped"]
    begin = at(one, "PEARL", "flipped users, start")
    assert begin.measured.estimate == pytest.approx(np.mean([v[0] for v in rows]))
    assert (begin.published, begin.verdict) == ("0.42", "not reproduced")
    end = at(one, "PEARL", "flipped users, end")
    assert end.measured.estimate == pytest.approx(np.mean([v[-1] for v in rows]))
    order = next(f for f in one.findings if f.claim.id == "pearl_leads_for_flipped_users")
    mean = {
        method: np.mean(np.stack(frame[frame["method"] == method]["series.recovery/flipped"]))
        for method in ("pearl", "greedy")
    }
    assert order.cells[0].measured.estimate == pytest.approx(mean["pearl"] - mean["greedy"])


def test_a_difference_of_differences() -> None:
    frame = made.table05()
    found = table(frame)
    text = "pearl[flip=0.75] - neural_ucb_a[flip=0.75] - pearl[flip=0.25] + neural_ucb_a[flip=0.25]"
    by_hand = sum(
        sign * (last(frame, "pearl", f) - last(frame, "neural_ucb_a", f))
        for sign, f in ((1, 0.75), (-1, 0.25))
    )
    assert found.samples[parse_contrast(text)].values == pytest.approx(by_hand)


def test_rows_that_do_not_fit_are_refused() -> None:
    frame = made.table05()
    longer = pd.concat([frame, made.table05(epochs=5)])
    with pytest.raises(PearlError, match="runs of one length"):
        table(longer)
    frame.at[0, "series.epoch/reward_to_date"] = [0.5] * 9
    with pytest.raises(PearlError, match="different lengths"):
        table(frame)


def test_a_point_that_fits_several_settings_is_refused() -> None:
    found = table(made.table05())
    with pytest.raises(PearlError, match="fits 3 settings"):
        found.rewards.contrasted(parse_contrast("pearl"))
    assert replace(found.rewards, all_runs=found.rewards.all_runs[:1]).contrasted(
        parse_contrast("pearl")
    )
