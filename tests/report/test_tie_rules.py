"""One method against every baseline at every value, with Holm."""

import made_up_sweep
import numpy as np
import pytest
from scipy import stats

from pearl.report.claims import Paper
from pearl.report.kinds import TABLES
from pearl.report.regret_by_setting import RegretBySetting, estimate_by_setting
from pearl.report.rows import read_rows
from pearl.report.settings import ReportSettings
from pearl.report.tie_rules import beneath_ties, cells_of_ties, grids_of_ties, holm, verdict

SETTINGS = ReportSettings(resamples=999)
MEMORIES = (100, 200)


def table(level=made_up_sweep.level) -> RegretBySetting:
    of = made_up_sweep.experiment(grid={"memory": MEMORIES})
    frame = made_up_sweep.frame(of, at=level)
    paper = Paper(paper="memory", title="t", claims=())
    return estimate_by_setting(of, paper, read_rows(frame, of.methods), SETTINGS)


def test_holm_by_hand() -> None:
    assert holm([0.04, 0.01, 0.03]) == pytest.approx([0.06, 0.03, 0.06])
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    assert holm([]) == []


def test_holm_keeps_order_and_is_between_p_and_bonferroni() -> None:
    p = np.random.default_rng(0).random(20) ** 3
    adjusted = np.array(holm(p.tolist()))
    assert (np.diff(adjusted[np.argsort(p)]) >= 0).all()
    assert (adjusted >= p).all()
    assert (adjusted <= np.minimum(20 * p, 1)).all()


def test_the_lowest_everywhere_wins() -> None:
    made = table()
    found = verdict(made)
    assert found.wins
    assert set(found.adjusted) == {
        (f"M={m}", name) for m in MEMORIES for name in made_up_sweep.LEVELS if name != "rsm_linucb"
    }
    assert "beats every baseline at every value: all 12" in beneath_ties(made, 1, 1)[0]


def test_one_lost_value_loses() -> None:
    def level(name: str, settings: dict) -> float:
        if name == "myopic_linucb" and settings["memory"] == 200:
            return 1000.0
        return made_up_sweep.level(name, settings)

    made = table(level)
    found = verdict(made)
    assert found.lost == (("M=200", "myopic_linucb"),)
    assert not found.wins
    said = beneath_ties(made, 1, 1)[0]
    assert "1 of 12" in said
    assert "M=200: Myopic LinUCB" in said


def test_a_p_value_is_that_of_the_one_sided_paired_t_test() -> None:
    made = table()
    runs = made.points[0].runs
    ours, theirs = (runs.methods[name].curves[:, -1] for name in ("rsm_linucb", "oful_refined"))
    p = stats.ttest_rel(ours, theirs, alternative="less").pvalue
    values = {
        cell.row: cell.measured.estimate
        for cell in cells_of_ties(made, *_families(made), (12, 12))
        if cell.column == "Holm p (one-sided, m=12) at M=100" and cell.measured
    }
    assert p <= values["OFUL-memory (refined)"] <= 12 * p


def test_the_page_shows_every_baseline() -> None:
    made = table()
    *_, last = grids_of_ties(made, cells_of_ties(made, *_families(made), (12, 12)))
    assert "(m = 12)" in last.title
    assert len(last.rows) == 6
    assert TABLES["tie_rules"].cells is cells_of_ties


def _families(made: RegretBySetting):
    q = dict.fromkeys(made.tests, 0.5)
    return q, q
