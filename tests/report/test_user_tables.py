"""Tables and figures that tell users apart, from rows whose numbers are made to be checked."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import made_up_pearl as made
import numpy as np
import pandas as pd
import pytest
from made_up_users import constant, counted, with_users
from scipy import stats

from pearl.datasets.prism.slates import STATED
from pearl.errors import PearlError, SettingError
from pearl.experiments import load_experiment
from pearl.report.cells import Cell
from pearl.report.claims import OrderClaim, load_paper
from pearl.report.contrasts import Point
from pearl.report.figures import FIGURES
from pearl.report.kinds import kind_of
from pearl.report.printing import experiment_view
from pearl.report.rewards.calibration_figure import bins
from pearl.report.rewards.reading import rewards_of
from pearl.report.rows import MethodRuns, read_rows
from pearl.report.sections import Section, make_sections
from pearl.report.settings import ReportSettings
from pearl.report.users.correlations import (
    correlation,
    estimate_correlations,
    flipped_users,
    permutation_p,
    shown_names,
)
from pearl.report.users.correlations_view import judge_correlation
from pearl.report.users.recovery import AT_PARTING, at_parting
from pearl.report.users.strata import (
    by_divergence,
    extremity,
    mean_of_users,
    mean_of_users_alone,
    terciles,
)

FEW = ReportSettings(resamples=999)
COUNT = np.array([1, 2, 3, 4, 5, 6])
TERCILE = np.array([0, 0, 1, 1, 2, 2])
AROUND = np.array([-0.02, 0.02] * 3)
LEVELS = {"pearl": (0.635, 0.617, 0.601), "greedy": (0.625, 0.600, 0.578)}
Row = Mapping[str, Any]


def noise(row: Row) -> float:
    return 0.002 * made.offset(row["seed"], len(row["method"]))


def by_diversity_made(row: Row) -> dict[str, np.ndarray]:
    mean = np.array(LEVELS[row["method"]])[TERCILE] + AROUND + noise(row)
    return {
        "count": counted(COUNT),
        "reward": constant(mean, COUNT),
        "diversity": np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6]),
    }


def by_divergence_made(row: Row) -> dict[str, np.ndarray]:
    """A user's tercile moves with the seed; his reward hangs on it."""
    place = np.roll(TERCILE, row["seed"])
    flip = json.loads(row["settings"])["flip"]
    gain = {"pearl": (0.039, 0.019, 0.0), "greedy": (0, 0, 0), "no_online": (-0.1, -0.1, -0.1)}
    mean = 0.6 + noise(row) + flip * 2 * np.array(gain[row["method"]])[place]
    tracked = np.array([0.2, 0.3, 0.5])[place]
    if row["method"] != "pearl" or flip:
        tracked = tracked[::-1].copy()  # must not matter
    return {
        "count": counted(COUNT),
        "reward": constant(mean, COUNT),
        "tracker": constant(tracked, COUNT),
    }


def by_extremity_made(row: Row) -> dict[str, np.ndarray]:
    """Users 0 to 3 are flipped, 0 and 1 extreme; PEARL's flipped users have a regret of .227."""
    regret = {"pearl": (0.227, 0.240), "greedy": (0.355, 0.190)}[row["method"]]
    flipped = np.array([1, 1, 1, 1, 0, 0.0])
    stated = np.full((6, 8), 50.0)
    stated[0], stated[1], stated[2] = 0.0, 100.0, 60.0
    extreme = np.array([1, 1, 0, 0, 0, 0])
    error = constant(np.where(extreme, 0.555, 0.567) + noise(row), COUNT)
    reward = constant(np.where(extreme, 0.783, 0.732) + noise(row), COUNT)
    # Only the first epoch's error and the last one's reward are printed.
    error[:, 1:] = reward[:, :-1] = 0.0
    return {
        "count": counted(COUNT),
        "regret": constant(np.where(flipped == 1, *regret) + noise(row), COUNT),
        "error": error,
        "reward": reward,
        "flipped": flipped,
        "stated": stated,
    }


USERS = 60


def preferences() -> np.ndarray:
    return np.random.default_rng(7).integers(0, 101, (USERS, 8)).astype(float)


def correlated_made(row: Row) -> dict[str, np.ndarray]:
    """Helpfulness raises flipped users' errors, most of all in epoch 4; values lowers them."""
    seed = int(row["seed"])
    flipped = np.random.default_rng(seed).random(USERS) < 0.5
    stated = preferences()
    strength = 1.0 - np.abs(np.arange(10) - 3) / 10
    helpful, values = (stated[:, STATED.index(n)] / 100 for n in ("helpfulness", "values"))
    own = 0.3 * np.random.default_rng(11).random((USERS, 10))
    error = 0.4 + strength * helpful[:, None] - 0.7 * values[:, None] + own
    error[~flipped] = 9.0  # must not count
    count = np.full((USERS, 10), 2.0)
    return {
        "count": count,
        "error": count * error,
        "flipped": flipped.astype(float),
        "stated": stated,
    }


TELLS = {
    "pearl/table01": correlated_made,
    "pearl/figure1a": correlated_made,
    "pearl/table12": by_diversity_made,
    "pearl/figure6": by_divergence_made,
    "pearl/section09": by_extremity_made,
}


def rows(name: str, **more: Any) -> pd.DataFrame:
    experiment = load_experiment(name).under("paper")
    grid = [{"flip": flip} for flip in experiment.grid["flip"]]
    made_rows = made.frame(name, experiment.methods, grid=grid, **more)
    if name in TELLS:
        return with_users(made_rows, TELLS[name])
    return made_rows


def section(name: str, frame: pd.DataFrame | None = None, profile: str = "paper") -> Section:
    experiment = load_experiment(name)
    under = experiment.under(profile)
    frame = rows(name) if frame is None else frame
    runs = read_rows(frame, under.methods)
    paper = load_paper("pearl")
    table = kind_of(under).estimate(under, paper, runs, FEW, experiment.horizon)
    return make_sections(paper, [(under, table)])[0]


def cells(one: Section) -> dict[tuple[str, str], Cell]:
    return {(cell.row, cell.column): cell for cell in one.cells}


def verdicts(one: Section) -> dict[str, str]:
    return {found.claim.id: found.verdict for found in one.findings}


def measured(one: Section, row: str, column: str) -> float:
    found = cells(one)[row, column].measured
    assert found is not None
    return found.estimate


# Strata


def test_a_user_on_an_edge_belongs_to_the_upper_tercile() -> None:
    place, edges = terciles(np.array([0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]))
    assert edges.tolist() == pytest.approx([2.0, 4.0])
    assert place.tolist() == [0, 0, 1, 1, 2, 2, 2]


def test_a_mean_is_taken_within_each_user_first() -> None:
    # user 0: 1 of 1, then 2 of 4; user 1: nothing, then 3 of 10; user 2 is no member
    total = np.array([[1.0, 1.0], [0.0, 3.0], [9.0, 9.0]])
    count = np.array([[1.0, 3.0], [0.0, 10.0], [9.0, 9.0]])
    members = np.array([True, True, False])
    assert mean_of_users(total, count, members).tolist() == pytest.approx([1.0, (0.5 + 0.3) / 2])
    alone = mean_of_users_alone(total, count, members)
    assert alone.tolist() == pytest.approx([1.0, (1 / 3 + 0.3) / 2])
    assert mean_of_users(total, count, ~members & False).tolist() == [0.0, 0.0]


def test_extremity_is_the_mean_distance_from_fifty() -> None:
    assert extremity(np.array([[50.0] * 8, [0.0, 100.0] * 4, [40.0] + [50.0] * 7])).tolist() == [
        0.0,
        50.0,
        1.25,
    ]


def test_table_12_reproduces_its_numbers_from_users() -> None:
    one = section("pearl/table12")
    for number, name in enumerate(("low", "mid", "high")):
        for method, label in (("pearl", "PEARL"), ("greedy", "Greedy")):
            cell = cells(one)[f"{name} diversity", label]
            assert cell.measured is not None
            assert cell.measured.estimate == pytest.approx(LEVELS[method][number], abs=0.003)
            assert cell.verdict == "reproduced"
            assert cell.published == f"{LEVELS[method][number]:.3f}".removeprefix("0")
    assert verdicts(one)["pearl_leads_at_any_diversity"] == "reproduced"
    assert verdicts(one)["diversity_amplifies"] == "reproduced"
    # quantiles 1/3 and 2/3 of .1, ..., .6; float32 in the rows
    edges = [c for (row, _), c in cells(one).items() if "diversity edges" in row]
    assert [c.published for c in edges] == ["0.35", "0.47"]
    found = [c.measured.estimate for c in edges if c.measured]
    assert found == pytest.approx([0.1 + 0.5 / 3, 0.1 + 1 / 3], abs=1e-6)
    assert any("parted at .267 and .433" in said for said in one.beneath)
    assert len(one.kind.tests(one.table)) == 4


def test_figure_6_parts_users_by_the_reference_without_a_flip_seed_by_seed() -> None:
    one = section("pearl/figure6")
    lead = "PEARL \N{MINUS SIGN} Greedy"
    assert measured(one, "low divergence, f = 0.5", lead) == pytest.approx(0.039, abs=0.003)
    assert measured(one, "mid divergence, f = 0.5", lead) == pytest.approx(0.019, abs=0.003)
    assert measured(one, "high divergence, f = 0.5", lead) == pytest.approx(0.0, abs=0.003)
    assert measured(one, "low divergence, f = 0", lead) == pytest.approx(0.0, abs=0.003)
    assert set(verdicts(one).values()) == {"reproduced"}


def test_figure_6_needs_the_run_without_a_flip() -> None:
    frame = rows("pearl/figure6")
    calm = frame["settings"].map(lambda text: json.loads(text)["flip"] == 0)
    with pytest.raises(PearlError, match="no run at f = 0"):
        section("pearl/figure6", frame[~calm])
    with pytest.raises(PearlError, match="no run at f = 0 with seed 42"):
        section("pearl/figure6", frame[~(calm & (frame["seed"] == 42))])
    experiment = load_experiment("pearl/figure6")
    runs = read_rows(rows("pearl/figure6"), experiment.methods)
    added = by_divergence(experiment, rewards_of(runs, 10))
    assert added.all_runs[0].methods["greedy"].series["strata/low_divergence"].shape == (20, 10)


def test_section_9_tells_groups_and_extremity() -> None:
    one = section("pearl/section09")
    assert measured(one, "flipped users", "regret to date, PEARL") == pytest.approx(
        0.227, abs=0.003
    )
    assert measured(one, "stable users", "regret to date, Greedy") == pytest.approx(0.19, abs=0.003)
    first = "PEARL: error in the first epoch"
    assert measured(one, first, "extreme preferences") == pytest.approx(0.555, abs=0.003)
    assert measured(one, first, "moderate preferences") == pytest.approx(0.567, abs=0.003)
    last = "PEARL: reward in the last epoch"
    assert measured(one, last, "extreme preferences") == pytest.approx(0.783, abs=0.003)
    found = verdicts(one)
    assert found["extreme_preferences_recover_further"] == "reproduced"
    assert found["pearl_closes_the_groups_gap"] == "reproduced"
    # The printed numbers contradict the words; these rows follow the numbers.
    assert found["extreme_preferences_start_worse"] == "not reproduced"


def test_results_that_tell_nothing_of_users_are_refused() -> None:
    for name in TELLS:
        frame = rows(name)
        told = [column for column in frame if str(column).startswith("user.")]
        with pytest.raises(PearlError, match="of each user"):
            section(name, frame.drop(columns=told))


def test_totals_over_epochs_give_the_same_table() -> None:
    for name in ("pearl/table12", "pearl/figure6", "pearl/table01"):
        frame = rows(name)
        for column in [str(c) for c in frame if str(c).startswith("user.")]:
            if len(frame[column][0]) == 10 * frame["metric.instance/users"][0]:
                sums = [one.astype(float).reshape(-1, 10).sum(axis=1) for one in frame[column]]
                frame = frame.drop(columns=column).assign(**{f"{column}.total": sums})
        assert any(str(column).endswith(".total") for column in frame)
        whole, total = section(name), section(name, frame)
        for place, cell in cells(whole).items():
            found = cells(total)[place].measured
            assert cell.measured is not None
            assert found is not None
            assert found.estimate == pytest.approx(cell.measured.estimate, abs=2e-6)


# Correlations


def users_told(flipped: Any, count: Any, error: Any, stated: Any) -> MethodRuns:
    users = {
        "flipped": np.array(flipped, dtype=float)[:, :, None],
        "count": np.array(count, dtype=float),
        "error": np.array(error, dtype=float),
        "stated": np.array([stated] * len(flipped), dtype=float),
    }
    seeds = tuple(range(len(flipped)))
    return MethodRuns("pearl", "PEARL", seeds, ("k",) * len(seeds), {}, np.zeros((1, 1)), {}, users)


def test_a_users_error_is_his_mean_over_the_seeds_in_which_he_is_flipped() -> None:
    run = users_told(
        flipped=[[1, 0, 0], [1, 1, 0]],
        count=[[[2, 2], [1, 1], [1, 1]], [[1, 3], [2, 0], [1, 1]]],
        error=[[[1.0, 0.4], [9, 9], [9, 9]], [[0.8, 0.6], [0.6, 0], [9, 9]]],
        stated=[[10.0] * 8, [20.0] * 8, [30.0] * 8],
    )
    found = flipped_users(run)
    assert found.stated[:, 0].tolist() == [10.0, 20.0]
    assert found.seeds.tolist() == [2, 1]
    # user 0: (1.4 / 4 + 1.4 / 4) / 2; user 1: .6 / 2
    assert found.error.tolist() == pytest.approx([0.35, 0.3])
    # epoch 1: (.5 + .8) / 2 and .3; epoch 2: (.2 + .2) / 2, and user 1 didn't play
    assert found.by_epoch.tolist() == [
        pytest.approx([0.65, 0.2]),
        pytest.approx([0.3, 0.0]),
    ]


def test_rho_its_interval_and_its_p_value() -> None:
    x, y = np.array([1.0, 2, 3, 4]), np.array([2.0, 1, 4, 3])
    found = correlation(x, y, confidence=0.95, n_seeds=3)
    # 1 - 6 * 4 / (4 * 15)
    assert found is not None
    assert found.estimate == pytest.approx(0.6)
    reach = stats.norm.ppf(0.975) * np.sqrt(1 + 0.6**2 / 2)
    assert found.high == pytest.approx(np.tanh(np.arctanh(0.6) + reach))
    assert (found.method, found.n) == ("Fisher z", 3)
    # All 24 permutations: one reaches 1, three .8 and three .6.
    exact = [stats.spearmanr(x, np.array(p)).statistic for p in _permutations()]
    as_large = sum(rho >= 0.6 - 1e-9 for rho in exact)
    assert permutation_p(x, y, stream="s", resamples=999) == pytest.approx(2 * as_large / 24)
    assert correlation(x[:3], y[:3], confidence=0.95, n_seeds=3) is None
    assert correlation(x, np.ones(4), confidence=0.95, n_seeds=3) is None
    certain = correlation(x, x, confidence=0.95, n_seeds=3)
    assert certain is not None
    assert certain.low is None


def _permutations() -> list[tuple[float, ...]]:
    from itertools import permutations

    return list(permutations((1.0, 2.0, 3.0, 4.0)))


def test_table_1_has_a_row_a_dimension_and_tests_eight() -> None:
    one = section("pearl/table01")
    assert set(one.kind.tests(one.table)) == set(STATED)
    assert one.table.n == USERS
    assert shown_names(one.table)[0] == "helpfulness"
    assert shown_names(one.table)[-1] == "extremity"
    rho = measured(one, "Helpfulness", "Spearman's rho")
    users = flipped_users(one.table.run)
    assert rho == pytest.approx(
        stats.spearmanr(users.stated[:, STATED.index("helpfulness")], users.error).statistic
    )
    assert measured(one, "Helpfulness", "users") == USERS
    assert measured(one, "Helpfulness", "BH q (table, m=8)") < 0.05
    assert cells(one)["Helpfulness", "p (permutation)"].published == "4.3e-11"
    assert cells(one)["Extremity (all eight)", "Spearman's rho"].published == "+0.14"
    found = verdicts(one)
    assert found["values_are_aspirational"] == "reproduced"
    assert found["stated_preferences_are_grounded"] == "not reproduced"
    view = experiment_view(one, [], tell=True)
    assert f"n = {USERS} users, one row each" in view.beneath[0]
    assert any("scores of each response by rules" in said for said in view.beneath)


def test_figure_1a_tells_where_a_correlation_peaks() -> None:
    one = section("pearl/figure1a")
    assert one.table.peak("helpfulness")[0] == 4
    assert measured(one, "Helpfulness", "peak epoch") == 4
    assert cells(one)["Helpfulness", "peak epoch"].published == "4"
    assert verdicts(one)["helpfulness_peaks"] == "reproduced"
    assert one.kind.tests(one.table) == {}
    assert measured(one, "Values", "rho, epoch 1") < 0


def test_claims_on_correlations_need_facts_and_the_papers_settings() -> None:
    one = section("pearl/table01")
    claim = OrderClaim(
        kind="order", id="x", experiment="pearl/table01", statement="s", place="p",
        quantity="correlation",
    )  # fmt: skip
    with pytest.raises(SettingError, match="know facts"):
        judge_correlation(claim, one.table, {})
    elsewhere = claim.model_copy(update={"facts": ("helpfulness",), "at": {"horizon": 99}})
    found = judge_correlation(elsewhere, one.table, {"helpfulness": 0.001})
    assert found.verdict == "not testable here"
    assert found.scope == "measured at epochs 10 (stated for 99)"


def test_few_users_leave_an_empty_table() -> None:
    experiment = load_experiment("pearl/table01")
    run = users_told([[1, 0]], [[[1], [1]]], [[[0.5], [0.5]]], [[10.0] * 8, [20.0] * 8])
    runs = read_rows(rows("pearl/table01"), experiment.methods)
    runs = tuple(replace(each, methods={"pearl": run}) for each in runs)
    table = estimate_correlations(
        experiment, load_paper("pearl"), rewards_of(runs, 10), FEW, test=True
    )
    assert table.rho == table.tests == table.epochs == {}


# Calibration, uncertainty, recovery


def with_predictions(frame: pd.DataFrame) -> pd.DataFrame:
    """ECE is .01 above a floor of .002; No-Online's is .37 or .42."""
    flips = [json.loads(text)["flip"] for text in frame["settings"]]
    cells_of = zip(frame["seed"], frame["method"], flips, strict=True)
    shift = [
        0.0005 * made.offset(seed, sum(map(ord, m)) + int(4 * flip)) for seed, m, flip in cells_of
    ]
    ece = [
        (0.42 if flip == 0.75 else 0.37) if method == "no_online" else 0.01
        for method, flip in zip(frame["method"], flips, strict=True)
    ]
    centre = (np.arange(10) + 0.5) / 10
    fall = np.array(flips)[:, None] * np.exp(-np.arange(10) / 2)
    fast = 1.0 + fall + np.array(shift)[:, None] * np.cos(np.arange(10))
    return frame.assign(**{
        "metric.ece": np.array(ece) + shift,
        "metric.ece_floor": np.array(shift) * 0.1 + 0.002,
        "series.reliability/predicted": [centre] * len(frame),
        "series.reliability/observed": [centre**2] * len(frame),
        "series.reliability/count": [np.r_[0.0, np.full(9, 5.0)]] * len(frame),
        "series.epoch/uncertainty": list(fast),
        "series.epoch/tracker": list(fast / 4),
        "series.time/t": [np.arange(1.0, 11) * 3656] * len(frame),
        "series.time/uncertainty": list(fast),
        "series.time/tracker": list(fast / 4),
        "series.epoch/reward_flipped": list(0.4 + 0.0 * fast),
    })  # fmt: skip


def test_bins_weigh_seeds_by_their_predictions() -> None:
    predicted = np.array([[0.1, 0.0], [0.3, 0.0]])
    observed = np.array([[0.0, 0.0], [1.0, 0.0]])
    count = np.array([[1.0, 0.0], [3.0, 0.0]])
    x, y, share = bins(predicted, observed, count)
    assert x.tolist() == pytest.approx([0.25])
    assert y.tolist() == pytest.approx([0.75])
    assert share.tolist() == [1.0, 0.0]


def test_figure_5_sets_the_error_beside_its_floor() -> None:
    one = section("pearl/figure5", with_predictions(rows("pearl/figure5")))
    assert measured(one, "PEARL, f = 0.5", "ECE") == pytest.approx(0.01, abs=0.001)
    assert measured(one, "PEARL, f = 0.5", "floor") == pytest.approx(0.002, abs=1e-4)
    above = measured(one, "PEARL, f = 0.5", "ECE \N{MINUS SIGN} floor")
    assert above == pytest.approx(0.008, abs=0.001)
    assert set(verdicts(one).values()) == {"reproduced"}


def test_section_22_tells_sigma_by_epoch_and_flip() -> None:
    one = section("pearl/section22", with_predictions(rows("pearl/section22")))
    assert measured(one, "f = 0.5", "uncertainty, epoch 1") == pytest.approx(1.5, abs=0.001)
    assert measured(one, "f = 0", "uncertainty, epoch 10") == pytest.approx(1.0, abs=0.001)
    assert verdicts(one)["larger_flips_larger_spikes"] == "reproduced"
    assert verdicts(one)["uncertainty_decays"] == "reproduced"


def test_uncertainty_that_falls_without_a_flip_as_well_is_no_recovery() -> None:
    frame = with_predictions(rows("pearl/section22"))
    name = "series.epoch/uncertainty"
    falling = np.linspace(3.0, 1.0, 10)
    # as high above f = 0 in the last epoch as in the first, but for the seed
    source = np.random.default_rng(0)
    flips = [json.loads(each)["flip"] for each in frame["settings"]]
    noise = 1e-3 * source.standard_normal((len(frame), 10))
    frame[name] = list(falling + np.array(flips)[:, None] + noise)
    found = verdicts(section("pearl/section22", frame))
    assert found["uncertainty_decays"] == "not reproduced"
    assert found["larger_flips_larger_spikes"] == "reproduced"


def test_interaction_2000_is_the_same_part_of_a_shorter_run() -> None:
    frame = rows("pearl/figure1b")
    experiment = load_experiment("pearl/figure1b")
    (runs,) = read_rows(frame, experiment.methods)
    run = runs.methods["pearl"]
    t, curve = run.series["recovery/t"][0], run.series["recovery/flipped"]
    place = int(np.flatnonzero(t >= 2000)[0])
    added = at_parting(experiment, rewards_of([runs], 10)).method_of(Point("pearl"))
    assert added is not None
    assert added.series[AT_PARTING].tolist() == curve[:, [place]].tolist()
    short = replace(run, series={**run.series, "recovery/t": run.series["recovery/t"] / 40})
    shorter = replace(runs, methods={"pearl": short})
    found = at_parting(experiment, rewards_of([shorter], 10)).method_of(Point("pearl"))
    assert found is not None
    assert found.series[AT_PARTING].tolist() == added.series[AT_PARTING].tolist()


def test_figure_1b_says_where_the_curves_part() -> None:
    one = section("pearl/figure1b", with_predictions(rows("pearl/figure1b")))
    assert "significantly above Greedy's" in one.beneath[0]
    assert verdicts(one)["pearl_recovers_faster"] == "reproduced"
    assert ("PEARL", "interaction 2,000") in cells(one)


DRAWN = ("figure1a", "figure1b", "figure5", "figure6", "section22")


@pytest.mark.parametrize("name", DRAWN)
def test_figures_are_drawn_for_light_and_dark_pages(name: str, tmp_path: Path) -> None:
    frame = rows(f"pearl/{name}")
    if name in ("figure5", "section22", "figure1b"):
        frame = with_predictions(frame)
    one = section(f"pearl/{name}", frame)
    kind = FIGURES[one.experiment.report.figure or ""]
    kind.draw(one.table, tmp_path, "it")
    assert {path.name for path in tmp_path.iterdir()} == {"it.png", "it.svg", "it.dark.svg"}
    first = (tmp_path / "it.svg").read_bytes()
    kind.draw(one.table, tmp_path, "it")
    assert (tmp_path / "it.svg").read_bytes() == first
    assert kind.size(one.table)[0] == 840


def test_figures_bear_one_seed(tmp_path: Path) -> None:
    for name in DRAWN:
        frame = rows(f"pearl/{name}", seeds=(42,))
        if name in ("figure5", "section22", "figure1b"):
            frame = with_predictions(frame)
        one = section(f"pearl/{name}", frame)
        FIGURES[one.experiment.report.figure or ""].draw(one.table, tmp_path, name)
    assert len(list(tmp_path.iterdir())) == 3 * len(DRAWN)


def test_every_page_has_its_words() -> None:
    for name in (*TELLS, "pearl/figure5", "pearl/section22", "pearl/figure1b"):
        frame = rows(name)
        if name not in TELLS:
            frame = with_predictions(frame)
        view = experiment_view(section(name, frame), [], tell=True)
        assert view.caption.endswith("Data: PRISM (hub).")
        assert dict(view.provenance)["profile"] == "paper"
        assert view.keys[0][1]
        assert view.outcome
        assert view.grids[0].rows
