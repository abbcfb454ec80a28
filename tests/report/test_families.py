"""Which q-value judges an order: the table's own, neither the raw p nor the whole paper's."""

from dataclasses import replace
from types import ModuleType

import pytest

from pearl.experiments import load_experiment
from pearl.report.claims import load_paper
from pearl.report.comparisons import Comparison
from pearl.report.final_regret import FinalRegret, estimate
from pearl.report.rows import read_rows
from pearl.report.sections import Section, make_sections
from pearl.report.settings import DEFAULT

OURS, OTHER = "memory/figure1e", "memory/figure1e_sha256"
OTHERS = ("rsm_linucb_unclipped", "rsm_linucb_estimate", "random_union")


def table(made_up: ModuleType, myopic: float, directions: float, rest: float) -> FinalRegret:
    """The made-up table, with p-values of our choice."""
    order = list(made_up.LEVELS)
    made = estimate(read_rows(made_up.frame(), order), "rsm_linucb", order, DEFAULT)
    p = {"myopic_linucb": myopic, "myopic_linucb_directions": directions}
    p.update(dict.fromkeys(OTHERS, rest))
    comparisons = {
        name: Comparison(made.comparisons[name].difference, value, "paired t test")
        for name, value in p.items()
    }
    return replace(made, comparisons=comparisons)


def sections(*tables: FinalRegret) -> tuple[Section, ...]:
    experiments = [load_experiment(name) for name in (OURS, OTHER)]
    return make_sections(load_paper("memory"), list(zip(experiments, tables, strict=False)))


def order(section: Section) -> str:
    named = {found.claim.id: found.verdict for found in section.findings}
    return named["lower_regret_over_time"]


def column(section: Section, head: str) -> dict[str, float]:
    found = [cell for cell in section.cells if cell.column == head]
    return {cell.row: cell.measured.estimate for cell in found if cell.measured}


def test_a_small_p_value_is_not_enough(made_up: ModuleType) -> None:
    # Benjamini-Hochberg, m = 5: q = .04 * 5 / 2 = .1
    made = sections(table(made_up, 0.04, 0.001, 0.9))[0]
    assert column(made, "BH q (table, m=5)")["Myopic LinUCB"] == pytest.approx(0.1)
    assert order(made) == "not reproduced"


def test_the_tables_own_family_judges(made_up: ModuleType) -> None:
    # The table alone: q = .04 at m = 5. With five comparisons more at p = .9: .04 * 10 / 5 = .08.
    first, _ = sections(table(made_up, 0.04, 0.001, 0.04), table(made_up, 0.9, 0.9, 0.9))
    assert column(first, "BH q (table, m=5)")["Myopic LinUCB"] == pytest.approx(0.04)
    assert column(first, "BH q (paper, m=10)")["Myopic LinUCB"] == pytest.approx(0.08)
    assert column(first, "BH q (table, m=10)") == {}
    assert column(first, "BH q (paper, m=5)") == {}
    assert order(first) == "reproduced"


def test_a_strong_other_table_does_not_help(made_up: ModuleType) -> None:
    # The table alone: .04 * 5 / 2 = .1. With five comparisons more at p = .0001: .04 * 10 / 7.
    first, _ = sections(table(made_up, 0.04, 0.001, 0.9), table(made_up, 1e-4, 1e-4, 1e-4))
    assert column(first, "BH q (table, m=5)")["Myopic LinUCB"] == pytest.approx(0.1)
    assert column(first, "BH q (paper, m=10)")["Myopic LinUCB"] == pytest.approx(0.4 / 7)
    assert order(first) == "not reproduced"
