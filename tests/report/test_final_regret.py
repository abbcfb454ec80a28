from types import ModuleType

import numpy as np
import pandas as pd
import pytest

from pearl.errors import PearlError
from pearl.report.claims import load_paper
from pearl.report.final_regret import FinalRegret, estimate
from pearl.report.findings import judge
from pearl.report.rows import read_rows
from pearl.report.sections import Section, make_sections
from pearl.report.settings import DEFAULT, ReportSettings


def table(frame: pd.DataFrame, made_up: ModuleType) -> FinalRegret:
    order = list(made_up.LEVELS)
    return estimate(read_rows(frame, order), "rsm_linucb", order, DEFAULT)


def section(frame: pd.DataFrame, made_up: ModuleType) -> Section:
    from pearl.experiments import load_experiment

    experiment = load_experiment("memory/figure1e")
    return make_sections(load_paper("memory"), [(experiment, table(frame, made_up))])[0]


def verdicts(frame: pd.DataFrame, made_up: ModuleType) -> dict[str, str]:
    return {found.claim.id: found.verdict for found in section(frame, made_up).findings}


def test_reduction_and_difference_are_paired_by_seed(made_up: ModuleType) -> None:
    frame = made_up.frame()
    made = table(frame, made_up)
    final = frame.pivot(index="seed", columns="method", values="metric.final_regret")
    ours, theirs = final["rsm_linucb"], final["myopic_linucb"]
    reduction = made.reductions["myopic_linucb"]
    assert reduction.estimate == pytest.approx(float((100 * (1 - ours / theirs)).mean()))
    difference = made.comparisons["myopic_linucb"].difference
    assert difference.estimate == pytest.approx(float((ours - theirs).mean()))
    assert set(made.comparisons) == set(made_up.LEVELS) - {"rsm_linucb"}


def test_checkpoints_are_log_spaced(made_up: ModuleType) -> None:
    assert table(made_up.frame(), made_up).checkpoints == (1000, 10_000, 100_000)


def test_only_common_seeds_are_compared(made_up: ModuleType) -> None:
    frame = made_up.frame(seeds=4)
    frame = frame[~((frame["method"] == "myopic_linucb") & (frame["seed"] == 1))]
    made = table(frame, made_up)
    assert made.comparisons["myopic_linucb"].difference.n == 3
    assert made.comparisons["random_union"].difference.n == 4
    assert len(made.pair_keys("myopic_linucb")) == 6


def test_pairs_are_the_same_seeds_not_the_same_places(made_up: ModuleType) -> None:
    frame = made_up.frame(seeds=4)
    frame = frame[~((frame["method"] == "rsm_linucb") & (frame["seed"] == 1))]
    made = table(frame, made_up)
    final = frame.pivot(index="seed", columns="method", values="metric.final_regret")
    ours, theirs = final["rsm_linucb"], final["myopic_linucb"]
    assert made.runs.common_seeds("rsm_linucb", "myopic_linucb") == (0, 2, 3)
    paired = [ours[seed] - theirs[seed] for seed in (0, 2, 3)]
    percents = [100 * (1 - ours[seed] / theirs[seed]) for seed in (0, 2, 3)]
    difference = made.comparisons["myopic_linucb"].difference
    assert difference.estimate == pytest.approx(np.mean(paired))
    assert difference.half_width == pytest.approx(4.302653 * np.std(paired, ddof=1) / 3**0.5)
    assert made.reductions["myopic_linucb"].estimate == pytest.approx(np.mean(percents))
    by_place = np.mean([ours[seed] for seed in (0, 2, 3)]) - np.mean([theirs[s] for s in range(3)])
    assert difference.estimate != pytest.approx(by_place, rel=1e-6)


def test_verdicts_on_the_publishers_data(made_up: ModuleType) -> None:
    found = verdicts(made_up.frame(), made_up)
    assert found["lower_regret_over_time"] == "reproduced"
    assert found["reduction_at_least_20_percent"] == "reproduced"
    assert found["actions"] == "reproduced"
    assert found["regularization"] == "not reproduced"
    assert found["theta_star_within_norm_bound"] == "reproduced"
    assert found["regret_is_never_negative"] == "reproduced"


def test_one_baseline_above_is_enough_to_fail(made_up: ModuleType) -> None:
    levels = {**made_up.LEVELS, "myopic_linucb": ("Myopic LinUCB", 98.0)}
    found = verdicts(made_up.frame(levels=levels), made_up)
    assert found["lower_regret_over_time"] == "not reproduced"
    assert found["reduction_at_least_20_percent"] == "not reproduced"


def test_verdicts_on_sample_data(made_up: ModuleType) -> None:
    found = verdicts(made_up.frame(source="sample", profile="sample"), made_up)
    assert found["lower_regret_over_time"] == "reproduced on sample data"
    assert found["reduction_at_least_20_percent"] == "not testable here"
    assert found["actions"] == "not testable here"
    assert found["theta_star_within_norm_bound"] == "reproduced"
    assert found["regret_is_never_negative"] == "reproduced"


def test_other_settings_do_not_test_a_claim_on_real_data(made_up: ModuleType) -> None:
    made = section(made_up.frame(horizon=20_000, memory=30), made_up)
    order = made.findings[0]
    assert order.verdict == "not testable here"
    assert "horizon 20,000 (stated for 100,000)" in order.scope
    assert "memory 30 (stated for 180)" in order.scope


def test_scope_names_the_baselines_that_ran_and_those_that_did_not(made_up: ModuleType) -> None:
    scope = section(made_up.frame(), made_up).findings[0].scope
    assert scope.startswith("against Myopic LinUCB; not run here yet: OFUL (original)")
    frame = made_up.frame()
    frame = frame[~frame["method"].str.startswith("myopic")]
    found = section(frame, made_up).findings[0]
    assert found.scope.startswith("no baseline was run")
    assert found.verdict == "not testable here"


def test_negative_regret_is_found(made_up: ModuleType) -> None:
    frame = made_up.frame()
    frame.at[3, "curve_regret"] = [-0.01, *frame.at[3, "curve_regret"][1:]]
    assert verdicts(frame, made_up)["regret_is_never_negative"] == "not reproduced"


def test_the_norm_of_theta_star_is_checked_at_every_seed(made_up: ModuleType) -> None:
    frame = made_up.frame()
    made = section(frame, made_up)
    found = next(f for f in made.findings if f.claim.id == "theta_star_within_norm_bound")
    assert [(cell.column, cell.measured.estimate) for cell in found.cells] == [
        ("norm of theta*", pytest.approx(0.11567)),
        ("S, the bound of that norm", pytest.approx(0.14477)),
    ]
    assert all(set(cell.keys) == set(frame["key"]) for cell in found.cells)
    assert {"norm of theta*", "norm bound"} <= {cell.column for cell in made.cells}
    frame.loc[frame["seed"] == 1, "metric.instance/theta_star_norm"] = 0.15
    assert verdicts(frame, made_up)["theta_star_within_norm_bound"] == "not reproduced"
    frame = frame.drop(columns="metric.instance/theta_star_norm")
    assert verdicts(frame, made_up)["theta_star_within_norm_bound"] == "not testable here"


def test_confidence_reaches_the_facts(made_up: ModuleType) -> None:
    frame = made_up.frame()
    frame["metric.instance/actions"] += frame["seed"] - 1
    runs, order = read_rows(frame, list(made_up.LEVELS)), list(made_up.LEVELS)
    claim = next(c for c in load_paper("memory").claims if c.id == "actions")
    widths = {}
    for confidence, t in ((0.95, 4.302653), (0.8, 1.885618)):
        settings = ReportSettings(confidence=confidence)
        made = estimate(runs, "rsm_linucb", order, settings)
        widths[confidence] = judge(claim, made, {}).cells[0].measured.half_width
        assert widths[confidence] == pytest.approx(t / 3**0.5, rel=1e-5)


def test_equal_seeds_have_no_p_value_and_no_order(made_up: ModuleType) -> None:
    frame = made_up.frame(spread=0.0)
    made = table(frame, made_up)
    assert all(compared.p_value is None for compared in made.comparisons.values())
    assert made.regrets["rsm_linucb", 100_000].method == "degenerate"
    assert verdicts(frame, made_up)["lower_regret_over_time"] == "not testable here"


def test_one_seed(made_up: ModuleType) -> None:
    frame = made_up.frame(seeds=1)
    assert table(frame, made_up).regrets["rsm_linucb", 100_000].method == "none"
    found = verdicts(frame, made_up)
    assert found["lower_regret_over_time"] == "not testable here"
    assert found["reduction_at_least_20_percent"] == "not testable here"


def test_a_reduction_whose_interval_reaches_zero_is_no_reduction(made_up: ModuleType) -> None:
    # 60 against 96, 60 and 240: reductions 37.5, 0 and 75%, mean 37.5, interval [-55.6, 130.6]
    frame = made_up.frame(levels={**made_up.LEVELS, "rsm_linucb": ("RSM-LinUCB", 60.0)}, spread=0)
    for seed, final in enumerate((96.0, 60.0, 240.0)):
        at = frame.index[(frame["method"] == "myopic_linucb") & (frame["seed"] == seed)][0]
        curve = np.array(frame.at[at, "curve_regret"])
        frame.at[at, "curve_regret"] = (curve * final / curve[-1]).tolist()
    reduction = table(frame, made_up).reductions["myopic_linucb"]
    assert reduction.estimate == pytest.approx(37.5)
    assert reduction.low < 0
    assert verdicts(frame, made_up)["reduction_at_least_20_percent"] == "not reproduced"


def test_facts_that_no_run_carries_are_not_testable(made_up: ModuleType) -> None:
    assert verdicts(made_up.frame(facts={}), made_up)["actions"] == "not testable here"


def test_a_missing_reference_leaves_nothing_to_compare(made_up: ModuleType) -> None:
    frame = made_up.frame()
    made = section(frame[frame["method"] != "rsm_linucb"], made_up)
    assert made.findings[0].verdict == "not testable here"
    missing = [cell for cell in made.cells if cell.row == "rsm_linucb"]
    assert missing
    assert all(cell.measured is None for cell in missing)


@pytest.mark.parametrize("column", ["profile", "data_source", "data_fingerprint", "experiment"])
def test_mixed_rows_are_refused(column: str, made_up: ModuleType) -> None:
    frame = made_up.frame()
    frame.loc[0, column] = "other"
    with pytest.raises(PearlError, match="mix"):
        read_rows(frame, list(made_up.LEVELS))


def test_a_doubled_seed_an_unknown_method_and_no_rows_are_refused(made_up: ModuleType) -> None:
    frame = made_up.frame()
    order = list(made_up.LEVELS)
    with pytest.raises(PearlError, match="twice"):
        read_rows(pd.concat([frame, frame.iloc[:1]]), order)
    with pytest.raises(PearlError, match="unknown methods: random_union"):
        read_rows(frame, order[:-1])
    with pytest.raises(PearlError, match="no runs"):
        read_rows(frame.iloc[:0], order)


def test_several_settings_need_another_table(made_up: ModuleType) -> None:
    frame = pd.concat([made_up.frame(), made_up.frame(memory=30)])
    with pytest.raises(PearlError, match="one product of settings"):
        table(frame, made_up)


def test_a_diverged_run_is_refused(made_up: ModuleType) -> None:
    frame = made_up.frame()
    frame.at[0, "curve_regret"] = [np.nan] * len(frame.at[0, "curve_t"])
    with pytest.raises(PearlError, match="no finite value"):
        table(frame, made_up)


def test_judge_uses_the_q_value_it_is_given(made_up: ModuleType) -> None:
    made = table(made_up.frame(), made_up)
    claim = next(c for c in load_paper("memory").claims if c.id == "lower_regret_over_time")
    for q, verdict in ((0.049, "reproduced"), (0.051, "not reproduced")):
        assert judge(claim, made, dict.fromkeys(made.comparisons, q)).verdict == verdict
