"""Final regret over swept settings: what is compared, and what a claim over values asks."""

from collections.abc import Callable
from typing import Any

import made_up_sweep
import numpy as np
import pandas as pd
import pytest

from pearl.errors import PearlError
from pearl.experiments import Experiment
from pearl.report.claims import NumberClaim, OrderClaim, Paper, StructuralClaim, load_paper
from pearl.report.regret_by_setting import RegretBySetting, estimate_by_setting
from pearl.report.rows import read_rows
from pearl.report.sections import Section, make_sections
from pearl.report.settings import ReportSettings
from pearl.report.swept import sweeps_of

SETTINGS = ReportSettings(resamples=999)
MEMORIES = (100, 200, 300)
BASELINES = load_paper("memory").baselines["run_length"]
WORDS = {"experiment": "memory/figure1b", "statement": "s", "place": "p"}
SWEPT = {"over": "memory", "values": MEMORIES, "baselines": BASELINES}
LOWEST = OrderClaim(**WORDS, **SWEPT, id="lowest", kind="order", quantity="lowest everywhere")
LEAST = NumberClaim(
    **WORDS,
    **SWEPT,
    id="least",
    kind="number",
    quantity="least reduction",
    bound="at_least",
    published="61",
)
GROWTH = OrderClaim(**WORDS, id="growth", kind="order", quantity="slower growth", over="memory")


def swept(**changes: Any) -> Experiment:
    return made_up_sweep.experiment(grid={"memory": MEMORIES}, **changes)


def paper(*claims: Any) -> Paper:
    return Paper(paper="memory", title="t", claims=claims, baselines={"run_length": BASELINES})


def table(of: Experiment, frame: pd.DataFrame, *claims: Any) -> RegretBySetting:
    return estimate_by_setting(of, paper(*claims), read_rows(frame, of.methods), SETTINGS)


def section(of: Experiment, frame: pd.DataFrame, *claims: Any) -> Section:
    return make_sections(paper(*claims), [(of, table(of, frame, *claims))])[0]


def but(method: str, memory: int, regret: float) -> Callable[[str, dict[str, Any]], float]:
    """Levels as made up, with one method's at one M of our choice."""

    def at(name: str, settings: dict[str, Any]) -> float:
        if name == method and settings["memory"] == memory:
            return regret
        return made_up_sweep.level(name, settings)

    return at


def test_a_grid_is_one_sweep_with_its_values_ascending() -> None:
    of = made_up_sweep.experiment(grid={"memory": (300, 100, 200)})
    [sweep] = table(of, made_up_sweep.frame(of)).sweeps
    assert (sweep.setting, sweep.symbol, sweep.values) == ("memory", "M", (100, 200, 300))
    assert [point.title for point in sweep.points] == ["M=100", "M=200", "M=300"]


def test_variants_are_grouped_by_the_setting_that_each_changes() -> None:
    of = made_up_sweep.experiment(
        variants={
            "m300": {"memory": 300},
            "m200": {"memory": 200},
            "r10": {"feature_bound": 10.0},
            "s10": {"norm_bound": 10.0},
        }
    )
    made = table(of, made_up_sweep.frame(of))
    assert [(s.setting, s.values) for s in made.sweeps] == [
        ("memory", (100, 200, 300)),
        ("feature_bound", (1.0, 10.0)),
        ("norm_bound", (1.0, 10.0)),
    ]
    base = made.points[0]
    assert base.title == "base (M=100, R=1, S=1)"
    assert all(base in sweep.points for sweep in made.sweeps)
    # The base is a point of each sweep, and its comparisons count once.
    assert len(made.points) == 5
    assert len(made.tests) == 5 * 6


def test_words_keep_the_grids_order() -> None:
    of = made_up_sweep.experiment(grid={"direction": ("normal", "geometric", "linear")})
    [sweep] = table(of, made_up_sweep.frame(of)).sweeps
    assert sweep.values == ("normal", "geometric", "linear")
    assert not sweep.is_numeric


def test_what_is_no_sweep_is_refused() -> None:
    of = made_up_sweep.experiment(grid={"memory": (100, 200), "norm_bound": (1.0, 2.0)})
    with pytest.raises(PearlError, match="sweeps one name"):
        sweeps_of(of, read_rows(made_up_sweep.frame(of), of.methods))
    of = made_up_sweep.experiment(variants={"both": {"memory": 200, "norm_bound": 2.0}})
    with pytest.raises(PearlError, match="both changes memory, norm_bound"):
        sweeps_of(of, read_rows(made_up_sweep.frame(of), of.methods))


def test_reductions_and_differences_are_paired_by_seed() -> None:
    of = swept()
    frame = made_up_sweep.frame(of)
    made = table(of, frame)
    at = frame[frame["settings"].str.contains('"memory": 200,')]
    final = at.pivot(index="seed", columns="method", values="metric.final_regret")
    ours, theirs = final["rsm_linucb"], final["oful_refined"]
    pair = ("M=200", "oful_refined")
    assert made.reductions[pair].estimate == pytest.approx((100 * (1 - ours / theirs)).mean())
    difference = made.comparisons[pair].difference
    assert difference.estimate == pytest.approx((ours - theirs).mean())
    # t(.975, 2) = 4.302653
    half = 4.302653 * np.std(ours - theirs, ddof=1) / 3**0.5
    assert difference.half_width == pytest.approx(half)
    assert difference.method == "Student t"
    keys = set(at[at["method"].isin(["rsm_linucb", "oful_refined"])]["key"])
    assert set(made.pair_keys(made.points[1], "oful_refined")) == keys


def test_from_ten_seeds_on_intervals_are_bca() -> None:
    of = swept(methods=("rsm_linucb", "oful_refined"))
    made = table(of, made_up_sweep.frame(of, seeds=10))
    assert made.regrets["M=100", "rsm_linucb"].method == "BCa"
    assert made.comparisons["M=100", "oful_refined"].test == "paired permutation test"


def test_the_best_baseline_is_found_at_each_value_and_reading() -> None:
    of = swept()
    made = table(of, made_up_sweep.frame(of, at=but("glbm_scb_slope", 200, 15000.0)))
    at = {point.title: point for point in made.points}
    first, other = made.rivals(), made.rivals(other_reading=True)
    assert "oful_sqrt_mt" not in first
    assert "oful_refined" not in other
    # At M = 100 refined 11,000 and sqrt(MT) 30,000; at 200 refined 15,556 and GLBM-SCB 15,000.
    assert made.best(at["M=100"], first) == "oful_refined"
    assert made.best(at["M=200"], first) == "glbm_scb_slope"
    assert made.best(at["M=100"], other) == "oful_sqrt_mt"
    grids = {grid.title: grid for grid in section(of, made_up_sweep.frame(of)).kind.grids(made, ())}
    headline = grids["RSM-LinUCB against the best baseline over M"]
    words = {label: [entry.text for entry in entries] for label, _, entries in headline.rows}
    label = "M\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}200"
    assert [words[label][i] for i in (0, 2)] == ["GLBM-SCB (λ in H)"] * 2
    assert words[label][1] == words[label][3]


def test_another_reading_that_was_not_run_at_a_value_names_no_best() -> None:
    of = made_up_sweep.experiment(grid={"memory": (100, 200)})
    frame = made_up_sweep.frame(of)
    gone = (frame["method"] == "oful_sqrt_mt") & frame["settings"].str.contains('"memory": 200,')
    made = section(of, frame[~gone])
    headline = made.kind.grids(made.table, made.cells)[2]
    texts = [[entry.text for entry in entries] for _, _, entries in headline.rows]
    assert texts[0][2] == "OFUL-memory (√(MT))"
    assert texts[1][2:] == ["\N{EM DASH}"] * 2
    assert texts[1][0] == "OFUL-memory (refined)"


def test_the_order_has_to_hold_at_every_value() -> None:
    of = swept()
    found = section(of, made_up_sweep.frame(of), LOWEST).findings[0]
    assert found.verdict == "reproduced"
    assert [line[0] for line in found.shown] == ["M=100", "M=200", "M=300"]
    assert "fails" not in found.scope
    above = made_up_sweep.frame(of, at=but("rsm_linucb", 200, 20000.0))
    found = section(of, above, LOWEST).findings[0]
    assert found.verdict == "not reproduced"
    assert [cell.verdict for cell in found.cells] == ["reproduced", "not reproduced", "reproduced"]
    assert "fails at 1 of 3 values: M=200" in found.scope


def test_a_reading_that_no_verdict_hangs_on_fails_no_claim() -> None:
    of = swept()
    frame = made_up_sweep.frame(of, at=but("oful_sqrt_mt", 200, 10.0))
    assert section(of, frame, LOWEST, LEAST).findings[0].verdict == "reproduced"


def test_every_method_of_a_baseline_is_judged_not_the_best_alone() -> None:
    # GLBM-SCB in V at M = 300: one seed far above, two below RSM: its mean is not the lowest.
    of = swept()
    frame = made_up_sweep.frame(of)
    rows = frame[
        (frame["method"] == "glbm_scb_gram") & frame["settings"].str.contains('"memory": 300,')
    ]
    for (at, row), final in zip(rows.iterrows(), (9e5, 10.0, 20.0), strict=True):
        curve = np.array(row["curve_regret"])
        frame.at[at, "curve_regret"] = (curve * final / curve[-1]).tolist()
    found = section(of, frame, LOWEST).findings[0]
    assert found.shown[2][0] == "M=300"
    assert [cell.verdict for cell in found.cells] == ["reproduced", "reproduced", "not reproduced"]


def test_the_least_reduction_counts() -> None:
    # 4,100 of 11,000: 62.7%; 10,000 of 11,000 sqrt(2): 35.7%
    of = swept()
    found = section(of, made_up_sweep.frame(of), LEAST).findings[0]
    assert found.verdict == "reproduced"
    assert [cell.published for cell in found.cells] == ["61"] * 3
    assert found.cells[0].measured.estimate == pytest.approx(62.7, abs=0.2)
    assert found.cells[0].delta == pytest.approx(1.7, abs=0.2)
    frame = made_up_sweep.frame(of, at=but("rsm_linucb", 200, 10000.0))
    found = section(of, frame, LEAST).findings[0]
    assert found.verdict == "not reproduced"
    assert found.cells[1].measured.estimate == pytest.approx(35.7, abs=0.3)
    assert "fails at 1 of 3 values: M=200" in found.scope


def test_values_that_were_not_run_leave_a_claim_open_unless_it_fails() -> None:
    of = made_up_sweep.experiment(grid={"memory": (100, 300)})
    found = section(of, made_up_sweep.frame(of), LOWEST).findings[0]
    assert found.verdict == "not testable here"
    assert found.shown[-1] == ("not run here: M=200", None)
    frame = made_up_sweep.frame(of, at=but("rsm_linucb", 300, 50000.0))
    found = section(of, frame, LOWEST).findings[0]
    assert found.verdict == "not reproduced"
    assert "fails at 1 of 2 values: M=300" in found.scope


def test_another_horizon_does_not_test_a_claim() -> None:
    of = swept()
    stated = LOWEST.model_copy(update={"at": {"horizon": 1_000_000.0}})
    frame = made_up_sweep.frame(of, horizon=20_000)
    found = section(of, frame, stated).findings[0]
    assert found.verdict == "not testable here"
    assert "horizon 20,000 (stated for 1,000,000)" in found.scope


def test_the_best_baseline_of_the_base_alone_judges_a_best_reduction() -> None:
    # 4,100 of 11,000 is 62.7%; 4,100 of 8,668 is 52.7%
    of = made_up_sweep.experiment(variants={"m200": {"memory": 200}}, id="memory/figure2")
    claim = NumberClaim(
        **{**WORDS, "experiment": "memory/figure2"},
        id="best",
        kind="number",
        quantity="best reduction",
        published="52.7",
        baselines=BASELINES,
    )
    found = section(of, made_up_sweep.frame(of, spread=0), claim).findings[0]
    assert found.verdict == "not reproduced"
    assert found.cells[0].measured.estimate == pytest.approx(100 * (1 - 4100 / 11000))
    assert found.shown[0][0] == "against OFUL-memory (refined)"
    at = but("oful_original", 100, 8668.1)
    found = section(of, made_up_sweep.frame(of, spread=0, at=at), claim).findings[0]
    assert found.verdict == "reproduced"
    assert found.shown[0][0] == "against OFUL-memory (original)"


def test_growth_is_the_bend_of_a_parabola_through_each_seeds_regrets() -> None:
    # 40,000 - (M - 300)^2 / 2 bends downwards by 1/2 exactly, and upwards with the other sign.
    of = swept(methods=("rsm_linucb", "oful_refined"))

    def bent(sign: float) -> pd.DataFrame:
        def at(_method: str, settings: dict[str, Any]) -> float:
            return 40000 + sign * (settings["memory"] - 300) ** 2 / 2

        return made_up_sweep.frame(of, at=at, spread=1e-3)

    made = table(of, bent(-1), GROWTH)
    assert made.growth["memory"].difference.estimate == pytest.approx(-0.5, rel=0.01)
    assert section(of, bent(-1), GROWTH).findings[0].verdict == "reproduced"
    assert section(of, bent(1), GROWTH).findings[0].verdict == "not reproduced"
    assert len(made.tests) == 3 + 1
    assert "growth over memory" not in table(of, bent(1)).tests


def test_negative_regret_is_found_at_any_value() -> None:
    of = swept()
    frame = made_up_sweep.frame(of)
    claim = StructuralClaim(
        **WORDS, id="never", kind="structural", check="regret_is_never_negative"
    )
    assert section(of, frame, claim).findings[0].verdict == "reproduced"
    frame.at[7, "curve_regret"] = [-0.01, *frame.at[7, "curve_regret"][1:]]
    assert section(of, frame, claim).findings[0].verdict == "not reproduced"


def test_the_norm_of_theta_star_is_checked_at_every_value() -> None:
    of = swept()
    claim = StructuralClaim(**WORDS, id="norm", kind="structural", check="norm_bound_holds")
    facts = {"instance/theta_star_norm": 1.0, "instance/norm_bound": 1.0}
    frame = made_up_sweep.frame(of, facts=facts)
    assert section(of, frame, claim).findings[0].verdict == "reproduced"
    last = frame["settings"].str.contains('"memory": 300,')
    frame.loc[last, "metric.instance/theta_star_norm"] = 1.5
    found = section(of, frame, claim).findings[0]
    assert found.verdict == "not reproduced"
    assert found.cells[0].measured.estimate == pytest.approx(1.5)
    assert section(of, made_up_sweep.frame(of), claim).findings[0].verdict == "not testable here"


def test_cells_have_a_row_a_method_and_name_the_value() -> None:
    of = swept()
    made = section(of, made_up_sweep.frame(of), LOWEST)
    at = {(cell.row, cell.column): cell for cell in made.cells}
    assert len(at) == len(made.cells)
    cell = at["OFUL-memory (refined)", "final regret at M=100"]
    assert cell.measured.n == len(cell.keys) == 3
    assert len(at["best baseline", "reduction by RSM-LinUCB (%) at M=300"].keys) == 6
    assert at["best baseline", "difference of RSM-LinUCB at M=300"].verdict == "reproduced"
    q = at["Myopic LinUCB", "BH q (table, m=18) at M=200"].measured
    assert 0 < q.estimate < 0.05
    assert ("RSM-LinUCB", "reduction by RSM-LinUCB (%) at M=100") not in at


def test_a_missing_reference_leaves_nothing_to_compare() -> None:
    of = swept()
    frame = made_up_sweep.frame(of)
    made = section(of, frame[frame["method"] != "rsm_linucb"], LOWEST)
    assert made.findings[0].verdict == "not testable here"
    assert made.table.comparisons == {}
    assert made.kind.grids(made.table, made.cells)
