"""Table 1 of the paper on bandits with memory, row by row, with what each row presumes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from pearl.theory.memory_bounds import (
    Problem,
    order_glbm_lower,
    order_glbm_scb,
    order_oful_improved,
    order_oful_memory,
    order_rsm_glmucb,
    order_rsm_linucb,
    order_ucrl2,
    theorem_4_3,
    theorem_c_1,
)

Kind = Literal["bound", "order"]
ROUNDING = 1e-9


@dataclass(frozen=True)
class Premise:
    """What a row presumes; `holds` is None where the settings don't tell."""

    statement: str
    holds: bool | None


@dataclass(frozen=True)
class Row:
    """One row of Table 1 on given settings.

    Attributes:
        model: "LBM" or "GLBM".
        algorithm: as the table names it.
        place: where it stands.
        kind: bound: evaluated with all constants; order: constants and logarithms are 1.
        formula: what was evaluated.
        value: None where an input isn't known; infinite beyond 1e308.
        missing: the inputs that aren't known. GLBM-SCB's value is there without tau_w, which then
            is listed here.
        premises: what the row presumes.
    """

    model: Literal["LBM", "GLBM"]
    algorithm: str
    place: str
    kind: Kind
    formula: str
    value: float | None
    missing: tuple[str, ...]
    premises: tuple[Premise, ...]

    @property
    def guaranteed(self) -> bool:
        """Whether the value bounds this run's regret: a full bound, all of whose premises hold."""
        return self.kind == "bound" and all(premise.holds is True for premise in self.premises)


def table_1(problem: Problem) -> tuple[Row, ...]:
    """Evaluate every row, in the table's order; Theorem C.1 stands after Theorem 4.3."""
    return (*_linear(problem), *_generalized(problem))


def _linear(problem: Problem) -> tuple[Row, ...]:
    n = () if problem.n_actions is not None else ("n = |A|",)
    budget = math.ceil(2 * problem.horizon * math.log(problem.horizon))
    return (
        Row(
            "LBM",
            "UCRL2",
            "Jaksch et al. (2010)",
            "order",
            "R S M n^(M+1/2) √T + σ n^((M+1)/2) √T",
            order_ucrl2(problem),
            n,
            (_memory(problem), Premise("finitely many actions", problem.n_actions is not None)),
        ),
        Row(
            "LBM",
            "OFUL-memory",
            "Clerici et al. (2023)",
            "order",
            "R (S + σ) √(d M) T^(3/4)",
            order_oful_memory(problem),
            (),
            (_memory(problem), *_BLOCKS),
        ),
        Row(
            "LBM",
            "OFUL-memory (improved)",
            "Ann et al. (2026)",
            "order",
            "R S √(d M T) + σ max(1, S) √(d max(d, R²) T)",
            order_oful_improved(problem),
            (),
            (_memory(problem), *_BLOCKS),
        ),
        Row(
            "LBM",
            "RSM-LinUCB",
            "Theorem 4.3",
            "bound",
            "(4dG + 6) R S M + 4 R S d G + 4 √(T d G) (σ √(dG + 2 log(1/δ)) + √λ S),"
            " G = log(1 + T R² / (λ d))",
            theorem_4_3(problem),
            (),
            (*_upper(problem), Premise("J_k is exact", problem.planner == "exact")),
        ),
        Row(
            "LBM",
            "RSM-LinUCB with Howard iteration",
            "Theorem C.1",
            "bound",
            "Theorem 4.3 + 2 R S T² (1 - 1/T)^(I+1) with I = ⌈2 T log T⌉",
            theorem_c_1(problem, budget),
            (),
            (
                *_upper(problem),
                Premise(
                    f"I ≥ ⌈2 T log T⌉ = {budget:,} improvements, or none left to make",
                    problem.planner in ("exact", "howard"),
                ),
            ),
        ),
        Row(
            "LBM",
            "RSM-LinUCB",
            "Theorem 4.3, order",
            "order",
            "d R S M + σ d √T",
            order_rsm_linucb(problem),
            (),
            (_memory(problem), *_upper(problem)),
        ),
        Row(
            "LBM",
            "any (lower bound)",
            "Theorem 4.5",
            "order",
            "d R S M + σ d √T",
            order_rsm_linucb(problem),
            (),
            (_memory(problem), *_lower(problem)),
        ),
    )


def _generalized(problem: Problem) -> tuple[Row, ...]:
    link = problem.link
    missing = () if link is not None else ("Δ_μ", "κ", "U_μ", "v", "ρ")
    terms = order_glbm_scb(problem)
    known = [value for value in terms.values() if value is not None]
    return (
        Row(
            "GLBM",
            "GLBM-SCB",
            "Ann et al. (2026)",
            "order",
            "τ_w + Δ_μ √(M T) + C_μ σ d √T + Γ_μ d² κ v ρ² Δ_μ,"
            " C_μ = (1 + ρ R S)^(3/2), Γ_μ = d + (M T)^(1/4)",
            math.fsum(known) if known else None,
            ("τ_w", *missing),
            (
                _memory(problem),
                Premise("its warm-up ends, with regret τ_w", None),
                Premise("C_μ and Γ_μ are at their stated minima", None),
            ),
        ),
        Row(
            "GLBM",
            "RSM-GLMUCB",
            "Theorem 5.1",
            "order",
            "d M Δ_μ + σ d √T + d² κ v ρ² Δ_μ, σ = √(v U_μ)",
            order_rsm_glmucb(problem),
            missing,
            (
                _memory(problem),
                _horizon(problem),
                _discount(problem),
                Premise("0 < λ₁ ≤ κ v d / S² and 0 < λ₂ ≤ v d / S²", None),
            ),
        ),
        Row(
            "GLBM",
            "any (lower bound)",
            "Theorem 5.2",
            "order",
            "d M Δ_μ + σ d √T, σ = √(v U_μ)",
            order_glbm_lower(problem),
            missing,
            (_memory(problem), *_generalized_lower(problem)),
        ),
    )


_BLOCKS = (Premise("its blocks have the length of its proof (inferred here, not printed)", None),)
_WORST_CASE = Premise("the instance is the worst of all: a lower bound says nothing of one", None)


def _memory(problem: Problem) -> Premise:
    return Premise("M ≥ 1", problem.memory >= 1)


def _horizon(problem: Problem) -> Premise:
    return Premise("T ≥ 2", problem.horizon >= 2)


def _discount(problem: Problem) -> Premise:
    wanted = 1 - 1 / problem.horizon
    holds = math.isclose(1 - problem.discount, 1 / problem.horizon, rel_tol=ROUNDING)
    return Premise(f"γ = 1 - 1/T = {wanted:.9g} (played: {problem.discount:.9g})", holds)


def _upper(problem: Problem) -> tuple[Premise, ...]:
    most, norm = problem.largest_regularization, problem.operator_norm
    shown = "" if norm is None else f" (here {norm:.4g} and {problem.feature_bound:.4g})"
    return (
        _horizon(problem),
        Premise(
            f"0 < λ ≤ d σ² / S² = {most:.6g} (played: {problem.regularization:.6g})",
            0 < problem.regularization <= most * (1 + ROUNDING),
        ),
        _discount(problem),
        Premise(
            f"|A(s)| ≤ R in every state{shown}",
            norm is None or norm <= problem.feature_bound * (1 + ROUNDING),
        ),
        Premise("scores add β |x| itself, not sampled directions", problem.exact_widths),
    )


def _lower(problem: Problem) -> tuple[Premise, ...]:
    d = problem.dimension
    crude = problem.noise**2 * d / (48 * problem.reward_bound**2)
    least = d * max(problem.memory, 1, crude)
    return (
        Premise("d ≥ 2", d >= 2),
        Premise(f"T ≥ d max(M, 1, σ² d / (48 R² S²)) = {least:,.6g}", problem.horizon >= least),
        _WORST_CASE,
    )


def _generalized_lower(problem: Problem) -> tuple[Premise, ...]:
    d, link = problem.dimension, problem.link
    statement = "T ≥ max(d M, d, v (d - 1)² / U_μ max(1 / (4 R² S²), ρ²))"
    enough = None
    if link is not None:
        crude = max(1 / (4 * problem.reward_bound**2), link.curvature**2)
        crude *= link.dispersion * (d - 1) ** 2 / link.largest_slope
        least = max(d * problem.memory, d, crude)
        statement += f" = {least:,.6g}"
        enough = problem.horizon >= least
    return (Premise("d ≥ 3", d >= 3), Premise(statement, enough), _WORST_CASE)
