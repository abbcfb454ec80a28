from types import ModuleType

import pandas as pd
import pytest

from pearl.report.explanations import Explanation, clip_ties
from pearl.report.final_regret import estimate
from pearl.report.rows import read_rows
from pearl.report.settings import DEFAULT

ONCE = "Myopic LinUCB (24 directions drawn once, clipped)"


def levels(made_up: ModuleType, **more: float) -> dict[str, tuple[str, float]]:
    """The made-up methods and Myopic LinUCB with directions drawn once; regrets as asked."""
    named = {**made_up.LEVELS, "myopic_linucb_directions_once": (ONCE, 150.0)}
    return {name: (label, more.get(name, level)) for name, (label, level) in named.items()}


def told(frame: pd.DataFrame) -> Explanation:
    order = list(dict.fromkeys(frame["method"]))
    order.sort(key=lambda name: (not name.startswith("rsm"), name))
    made = clip_ties(estimate(read_rows(frame, order), "rsm_linucb", order, DEFAULT))
    assert made is not None
    return made


def test_the_text_is_told_from_the_runs(made_up: ModuleType) -> None:
    made = told(made_up.frame())
    assert "In 100% of the episodes of RSM-LinUCB" in made.text
    assert "all 2N of them in 100%" in made.text
    assert "6.7 B" in made.text
    assert "settled by a tie rule" in made.text


def test_where_the_clip_seldom_ties(made_up: ModuleType) -> None:
    frame = made_up.frame()
    frame["metric.clip_tie_share"] *= 0.1
    assert "In 10% of the episodes" in told(frame).text
    assert "not a tie rule" in told(frame).text


def test_a_method_that_does_not_clip_says_so(made_up: ModuleType) -> None:
    assert [row[:2] for row in told(made_up.frame(levels=levels(made_up))).rows] == [
        ("RSM-LinUCB", "100%"),
        ("RSM-LinUCB (ties to the estimate)", "100%"),
        ("RSM-LinUCB (not clipped)", "not clipped; clipping would tie in 98%"),
        ("Myopic LinUCB (24 directions, clipped)", "25%"),
        (ONCE, "99%"),
    ]


@pytest.mark.parametrize(
    ("absent", "rows"),
    [
        ("clip_would_tie_share", ["RSM-LinUCB", "RSM-LinUCB (ties to the estimate)"]),
        ("clip_all_share", ["RSM-LinUCB", "RSM-LinUCB (ties to the estimate)"]),
        ("lowest_score_over_bound", ["RSM-LinUCB", "RSM-LinUCB (ties to the estimate)"]),
    ],
)
def test_what_the_runs_do_not_carry_is_left_out(
    absent: str, rows: list[str], made_up: ModuleType
) -> None:
    frame = made_up.frame().drop(columns=f"metric.{absent}")
    made = told(frame)
    assert [row[0] for row in made.rows][:2] == rows
    assert ("would tie" in str(made.rows)) == (absent != "clip_would_tie_share")
    assert ("all 2N" in made.text) == (absent != "clip_all_share")
    assert ("6.7 B" in made.text) == (absent != "lowest_score_over_bound")


def test_nothing_is_told_of_a_reference_that_records_no_ties(made_up: ModuleType) -> None:
    frame = made_up.frame().drop(columns="metric.clip_tie_share")
    order = list(made_up.LEVELS)
    assert clip_ties(estimate(read_rows(frame, order), "rsm_linucb", order, DEFAULT)) is None


def test_numbering_is_said_only_where_most_rounds_tie(made_up: ModuleType) -> None:
    frame = made_up.frame(levels=levels(made_up))
    assert f"{ONCE} chooses among single actions every round" in told(frame).text
    assert "lowest-numbered" in told(frame).text
    assert "Myopic LinUCB (24 directions, clipped)" not in told(frame).text
    seldom = frame["method"] == "myopic_linucb_directions_once"
    frame.loc[seldom, "metric.clip_tie_share"] = 0.49
    assert "lowest-numbered" not in told(frame).text
    frame.loc[seldom, "metric.clip_tie_share"] = float("nan")
    frame.loc[seldom, "metric.clip_would_tie_share"] = 1.0
    assert "lowest-numbered" not in told(frame).text


def test_variants_are_set_against_the_best_other_learner(made_up: ModuleType) -> None:
    # Neither a variant of the reference nor the random union, both lower here.
    made = told(made_up.frame(levels=levels(made_up)))
    assert made.head[-1] == "less than Myopic LinUCB by (%)"
    reference = next(row for row in made.rows if row[0] == "RSM-LinUCB")
    assert reference[-1].startswith("23.")
    best = levels(made_up, myopic_linucb_directions_once=90.0)
    made = told(made_up.frame(levels=best))
    assert made.head[-1] == f"less than {ONCE} by (%)"
    assert made.rows[-1][0] == ONCE
    assert made.rows[-1][-1] == "\N{EM DASH}"


def test_without_another_learner_there_is_nothing_to_set_against(made_up: ModuleType) -> None:
    frame = made_up.frame()
    made = told(frame[~frame["method"].str.startswith("myopic")])
    assert made.head[-1] == "regret at t = 100,000"
    assert {len(row) for row in made.rows} == {3}


def test_without_common_seeds_there_is_nothing_to_compare(made_up: ModuleType) -> None:
    frame = made_up.frame(seeds=2)
    mine = frame["method"].str.startswith("rsm")
    made = told(frame[mine & (frame["seed"] == 0) | ~mine & (frame["seed"] == 1)])
    assert next(row for row in made.rows if row[0] == "RSM-LinUCB")[-1] == "\N{EM DASH}"
