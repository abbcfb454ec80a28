"""Corollary 2's terms, a run's split regret, and the table of all checks."""

from __future__ import annotations

from collections import Counter

import pytest

from pearl.theory import Check, checks
from pearl.theory.population import split_regret
from pearl.theory.scaling import terms


def test_term_two_exceeds_every_possible_regret() -> None:
    paper = terms(750, 128, 33, 50_000, 4.0)
    assert paper.shifted / 750 == pytest.approx(214, abs=1)  # printed: 215
    assert paper.shifted > 50_000 > 750 * 33
    assert terms(750, 128, 33, 50_000, 4.0, delta=0.05).shifted > paper.shifted
    assert paper.detection == 3000


def test_regret_is_split_without_loss_and_nobody_flips_at_zero() -> None:
    run = split_regret("greedy", flip=0.0)
    assert run.flipped_rounds == 0
    assert run.flipped == 0.0 < run.stable
    half = split_regret("greedy")
    assert 0 < half.flipped_rounds < half.interactions
    assert half.per_flipped * half.flipped_rounds == pytest.approx(half.flipped)
    assert half.per_flipped > half.per_stable > 0


def test_every_statement_has_its_verdict() -> None:
    found = checks()
    assert checks() == found
    assert all(isinstance(one, Check) and one.seen and one.place for one in found)
    assert len({one.statement for one in found}) == len(found)
    verdicts = {(one.place.split(" (section")[0], one.holds) for one in found}
    assert {
        ("Lemma 1", "yes"),
        ("Proposition 1", "yes"),
        ("Proposition 2", "yes"),
        ("Proposition 2", "no"),
        ("Proposition 3(a)", "no"),
        ("Proposition 5", "yes"),
        ("Proposition 5", "no"),
        ("Corollary 2", "vacuous"),
    } <= verdicts
    assert Counter(one.holds for one in found)["vacuous"] == 1
