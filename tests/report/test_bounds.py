"""Table 1 beside measured regret: which row speaks of which method, and what is called a bound."""

from typing import Any

import made_up_sweep
import pandas as pd
import pytest

from pearl.errors import PearlError, SettingError
from pearl.experiments import load_experiment
from pearl.report.bounds import Bounds, estimate_bounds
from pearl.report.claims import load_paper
from pearl.report.kinds import kind_of
from pearl.report.rows import read_rows
from pearl.report.sections import Section, make_sections
from pearl.report.settings import DEFAULT
from pearl.theory.memory_bounds import theorem_4_3

FACTS = {"instance/actions": 10, "instance/regularization": 0.625}
EXPERIMENT = load_experiment("memory/table1")


def frame(level: float = 4100.0, **changes: Any) -> pd.DataFrame:
    settings = {"noise": 0.25, **made_up_sweep.BASE}

    def at(name: str, _settings: dict[str, Any]) -> float:
        return level if name == "rsm_linucb" else made_up_sweep.LEVELS[name]

    of = EXPERIMENT.model_copy(update={"settings": settings})
    return made_up_sweep.frame(of, at=at, **{"facts": FACTS, **changes})


def table(rows: pd.DataFrame) -> Bounds:
    return estimate_bounds(EXPERIMENT, read_rows(rows, EXPERIMENT.methods), DEFAULT)


def section(rows: pd.DataFrame) -> Section:
    return make_sections(load_paper("memory"), [(EXPERIMENT, table(rows))])[0]


def test_the_problem_is_read_from_runs_and_method() -> None:
    problem = table(frame()).problem
    assert (problem.dimension, problem.memory, problem.horizon) == (10, 100, 1_000_000)
    assert (problem.feature_bound, problem.norm_bound, problem.noise) == (1.0, 1.0, 0.25)
    assert (problem.regularization, problem.delta, problem.discount) == (0.625, 0.05, 0.9999)


def test_each_row_stands_beside_the_methods_of_which_it_speaks() -> None:
    made = table(frame())
    beside = {f"{row.algorithm}, {row.place}": made.measured(row) for row in made.rows}
    assert {title: names for title, names in beside.items() if names} == {
        "OFUL-memory, Clerici et al. (2023)": ("oful_original",),
        "OFUL-memory (improved), Ann et al. (2026)": ("oful_refined",),
        "RSM-LinUCB, Theorem 4.3": ("rsm_linucb",),
        "GLBM-SCB, Ann et al. (2026)": ("glbm_scb_gram", "glbm_scb_slope"),
    }


def test_only_what_has_constants_is_called_a_bound() -> None:
    made = section(frame())
    columns = {
        cell.row: cell.column for cell in made.cells if cell.column.startswith(("the", "or"))
    }
    assert {row for row, column in columns.items() if column == "the bound, evaluated"} == {
        "RSM-LinUCB, Theorem 4.3",
        "RSM-LinUCB with Howard iteration, Theorem C.1",
    }
    assert set(columns.values()) == {
        "the bound, evaluated",
        "order only, constants and logs 1",
    }
    values = made.kind.grids(made.table, made.cells)[0]
    said = {label: [entry.text for entry in entries] for label, _, entries in values.rows}
    # gamma = .9999 isn't 1 - 1/T at T = 1,000,000
    assert said["RSM-LinUCB, Theorem 4.3"][2] == "the bound's formula; a premise fails here"
    assert said["OFUL-memory, Clerici et al. (2023)"][2] == "order only, constants and logs 1"
    assert said["GLBM-SCB, Ann et al. (2026)"][2].endswith("; without τ_w")
    assert "no value is a guarantee" in " ".join(made.beneath)


def test_printed_orders_keep_their_brackets_and_what_defines_their_letters() -> None:
    made = section(frame())
    values = made.kind.grids(made.table, made.cells)[0]
    said = {label: entries[0].text for label, _, entries in values.rows}
    tilde = "\N{COMBINING TILDE}"
    improved = said["OFUL-memory (improved), Ann et al. (2026)"]
    assert improved == f"O{tilde}(R S √(d M T) + σ max(1, S) √(d max(d, R²) T))"
    assert said["any (lower bound), Theorem 4.5"] == f"Ω{tilde}(d R S M + σ d √T)"
    assert said["any (lower bound), Theorem 5.2"].endswith("), σ = √(v U_μ)")


def test_premises_hold_or_fail_at_the_experiments_settings() -> None:
    made = section(frame())
    verdicts = {
        cell.column: cell.verdict for cell in made.cells if cell.row == "RSM-LinUCB, Theorem 4.3"
    }
    failing = [column for column, verdict in verdicts.items() if verdict == "fails"]
    assert len(failing) == 1
    assert failing[0].startswith("premise: γ = 1 - 1/T")


def test_the_largest_regret_of_any_seed_is_held_against_the_theorem() -> None:
    bound = theorem_4_3(table(frame()).problem)
    for level, verdict in ((0.99 * bound, "reproduced"), (1.01 * bound, "not reproduced")):
        found = section(frame(level, spread=0.0)).findings[0]
        assert found.claim.id == "theorem_bounds_the_regret"
        assert found.verdict == verdict
        assert "premises that fail here: γ" in found.scope
    # One seed above is enough: offsets of 3 seeds reach 1 + .3 cos 0 at the most.
    assert section(frame(0.9 * bound, spread=0.2)).findings[0].verdict == "not reproduced"


def test_its_comparisons_are_no_family_of_their_own() -> None:
    made = table(frame())
    assert kind_of(EXPERIMENT).tests(made) == {}


def test_its_runs_are_those_of_figure_1a() -> None:
    other = load_experiment("memory/figure1a")
    for profile in ("smoke", "sample", "paper"):
        ours, theirs = EXPERIMENT.under(profile), other.under(profile)
        assert set(ours.methods) <= set(theirs.methods)
        assert (ours.settings, ours.horizon) == (theirs.settings, theirs.horizon)
        assert ours.seed_list() == theirs.seed_list()


def test_runs_that_do_not_tell_the_instance_are_refused() -> None:
    with pytest.raises(PearlError, match="instance/actions"):
        table(frame(facts={}))
    elsewhere = EXPERIMENT.model_copy(update={"environment": "kv_cache"})
    runs = read_rows(frame(), EXPERIMENT.methods)
    with pytest.raises(SettingError, match="evaluated on run_length"):
        estimate_bounds(elsewhere, runs, DEFAULT)
