"""The regret bounds of Table 1, evaluated: Theorem 4.3 and C.1 in full, the others as orders.

An order hides constants and logarithms. Here they are 1, so that an order is a number to compare
growth by and never a bound.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

Planner = Literal["exact", "howard", "approximate"]


@dataclass(frozen=True)
class Link:
    """The constants of a generalized linear reward, Eq. (7)."""

    mean_range: float
    """Delta_mu = mu(RS) - mu(-RS)."""
    inverse_slope: float
    """kappa, one over the smallest slope on [-RS, RS]."""
    largest_slope: float
    """U_mu, the largest slope there."""
    dispersion: float
    """v, with variance v mu'(z)."""
    curvature: float
    """rho, with |mu''| <= rho mu'."""

    @property
    def noise(self) -> float:
        """sqrt(v U_mu), which Table 1 calls sigma."""
        return math.sqrt(self.dispersion * self.largest_slope)


@dataclass(frozen=True)
class Problem:
    """An instance, and how it was played: what bounds and their premises depend on."""

    dimension: int
    """d."""
    memory: int
    """M."""
    horizon: int
    """T."""
    feature_bound: float
    """R."""
    norm_bound: float
    """S."""
    noise: float
    """sigma."""
    regularization: float
    """lambda of RSM-LinUCB."""
    delta: float
    """Failure probability."""
    discount: float
    """gamma of its planner."""
    planner: Planner
    """exact: J_k itself; howard: Algorithm 3 until no action improves; approximate: neither."""
    exact_widths: bool = True
    """Whether scores add beta |x| itself; false with sampled directions, Eq. (18)."""
    operator_norm: float | None = None
    """The largest |A(s)|; None: at most R, as the instance's contract says."""
    n_actions: int | None = None
    """n; None where the actions aren't finite."""
    link: Link | None = None
    """None: linear rewards; see `identity_link`."""

    @property
    def reward_bound(self) -> float:
        """R S."""
        return self.feature_bound * self.norm_bound

    @property
    def largest_regularization(self) -> float:
        """d sigma^2 / S^2, the largest lambda that Theorem 4.3 allows."""
        return self.dimension * self.noise**2 / self.norm_bound**2


def identity_link(problem: Problem) -> Link:
    """Return the constants of linear rewards read as generalized: v = sigma^2, rho = 0."""
    return Link(
        mean_range=2 * problem.reward_bound,
        inverse_slope=1.0,
        largest_slope=1.0,
        dispersion=problem.noise**2,
        curvature=0.0,
    )


def theorem_4_3(problem: Problem) -> float:
    """Return RSM-LinUCB's bound with all its constants; it holds with probability 1 - delta.

    With G = log(1 + T R^2 / (lambda d)): (4 d G + 6) R S M + 4 R S d G
    + 4 sqrt(T d G) (sigma sqrt(d G + 2 log(1/delta)) + sqrt(lambda) S).
    """
    return math.fsum(theorem_4_3_terms(problem).values())


def theorem_4_3_terms(problem: Problem) -> dict[str, float]:
    """Return its three terms by name: memory, exploration, estimation."""
    d, horizon = problem.dimension, problem.horizon
    growth = d * math.log1p(horizon * problem.feature_bound**2 / (problem.regularization * d))
    width = problem.noise * math.sqrt(growth + 2 * math.log(1 / problem.delta))
    width += math.sqrt(problem.regularization) * problem.norm_bound
    return {
        "memory": (4 * growth + 6) * problem.reward_bound * problem.memory,
        "exploration": 4 * problem.reward_bound * growth,
        "estimation": 4 * math.sqrt(horizon * growth) * width,
    }


def theorem_c_1(problem: Problem, improvements: int) -> float:
    """Return the bound with Howard iteration of I_max = `improvements`.

    Theorem 4.3's and 2 R S T^2 (1 - 1/T)^(I_max + 1); T >= 2.
    """
    horizon = problem.horizon
    left = math.exp((improvements + 1) * math.log1p(-1 / horizon))
    return theorem_4_3(problem) + 2 * problem.reward_bound * horizon**2 * left


def order_ucrl2(problem: Problem) -> float | None:
    """R S M n^(M + 1/2) sqrt(T) + sigma n^((M + 1)/2) sqrt(T); None without finite actions.

    Infinite where it is beyond 1e308.
    """
    if problem.n_actions is None:
        return None
    n, root = problem.n_actions, math.sqrt(problem.horizon)
    memory = problem.reward_bound * problem.memory * _power(n, problem.memory + 0.5)
    return root * (memory + problem.noise * _power(n, (problem.memory + 1) / 2))


def order_oful_memory(problem: Problem) -> float:
    """R (S + sigma) sqrt(d M) T^(3/4)."""
    scale = problem.feature_bound * (problem.norm_bound + problem.noise)
    return scale * math.sqrt(problem.dimension * problem.memory) * math.pow(problem.horizon, 0.75)


def order_oful_improved(problem: Problem) -> float:
    """R S sqrt(d M T) + sigma max(1, S) sqrt(d max(d, R^2) T)."""
    d, horizon = problem.dimension, problem.horizon
    memory = problem.reward_bound * math.sqrt(d * problem.memory * horizon)
    spread = math.sqrt(d * max(d, problem.feature_bound**2) * horizon)
    return memory + problem.noise * max(1.0, problem.norm_bound) * spread


def order_rsm_linucb(problem: Problem) -> float:
    """d R S M + sigma d sqrt(T): the upper bound's order and the lower bound's alike."""
    d = problem.dimension
    memory = d * problem.reward_bound * problem.memory
    return memory + problem.noise * d * math.sqrt(problem.horizon)


def order_glbm_scb(problem: Problem) -> dict[str, float | None]:
    """Return the terms tau_w + Delta sqrt(M T) + C_mu sigma d sqrt(T) + Gamma_mu d^2 kappa v rho^2
    Delta by name, C_mu and Gamma_mu at their stated minima (1 + rho R S)^(3/2) and d + (M T)^(1/4).

    tau_w, the regret of the warm-up, has no known value: None. All are None without a link.
    """
    link = problem.link
    if link is None:
        return dict.fromkeys(("warm-up", "memory", "estimation", "curvature"))
    d, rounds = problem.dimension, problem.memory * problem.horizon
    c_mu = (1 + link.curvature * problem.reward_bound) ** 1.5
    gamma_mu = d + rounds**0.25
    return {
        "warm-up": None,
        "memory": link.mean_range * math.sqrt(rounds),
        "estimation": c_mu * link.noise * d * math.sqrt(problem.horizon),
        "curvature": gamma_mu * _curvature(problem, link),
    }


def order_rsm_glmucb(problem: Problem) -> float | None:
    """d M Delta + sigma d sqrt(T) + d^2 kappa v rho^2 Delta; None without a link."""
    lower, link = order_glbm_lower(problem), problem.link
    return None if lower is None or link is None else lower + _curvature(problem, link)


def order_glbm_lower(problem: Problem) -> float | None:
    """d M Delta + sigma d sqrt(T), with sigma = sqrt(v U_mu); None without a link."""
    link = problem.link
    if link is None:
        return None
    d = problem.dimension
    return d * problem.memory * link.mean_range + link.noise * d * math.sqrt(problem.horizon)


def _curvature(problem: Problem, link: Link) -> float:
    steepness = link.inverse_slope * link.dispersion * link.curvature**2
    return problem.dimension**2 * steepness * link.mean_range


def _power(base: float, exponent: float) -> float:
    try:
        return math.pow(base, exponent)
    except OverflowError:
        return math.inf
