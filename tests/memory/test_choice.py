from __future__ import annotations

import numpy as np

from pearl.memory.choice import choose
from pearl.memory.ties import tied_best


def test_three_tie_rules_by_hand() -> None:
    scores = np.array([0.5, 3.0, 9.0, 2.0, 9.0])
    estimates = np.array([9.0, 0.1, 0.2, 0.3, 0.1])
    assert choose(scores, estimates, 1.0, "first") == 1
    assert choose(scores, estimates, 1.0, "unclipped") == 2
    assert choose(scores, estimates, 1.0, "estimate") == 3


def test_without_capped_scores_the_rules_agree() -> None:
    scores, estimates = np.array([0.5, 0.9, 0.7]), np.array([3.0, 1.0, 2.0])
    assert {choose(scores, estimates, 1.0, tie) for tie in ("first", "unclipped", "estimate")} == {
        1
    }


def test_scores_below_zero_tie_when_clipped() -> None:
    scores, estimates = np.array([-2.0, -1.0, -3.0]), np.array([-2.0, -3.0, -1.0])
    assert choose(scores, estimates, 1.0, "first") == 0
    assert choose(scores, estimates, 1.0, "unclipped") == 1
    assert choose(scores, estimates, 1.0, "estimate") == 2


def test_rounding_doesnt_break_ties() -> None:
    values = np.array([0.1 + 0.2, 0.3, 0.3 * (1 + 1e-9), 0.3 * (1 + 1e-9) * (1 + 1e-14)])
    assert tied_best(values).tolist() == [2, 3]
    assert tied_best(values[:2]).tolist() == [0, 1]
    assert tied_best(np.array([-1.0, -1.0 - 1e-15, -2.0])).tolist() == [0, 1]
