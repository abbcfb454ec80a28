"""Optimistic planning with Gaussian directions: Equation (18) of Appendix C.4.

The bonus beta |x| in the norm of V^-1 becomes (beta / c) max_j |g_j' L' x| with L L' = V^-1 and
g_j ~ N(0, I_d). Before clipping, the score of a cache is then the largest of 2N linear functions
of it, and the tree planner maximises each one exactly. As square root an episode's plan takes
L = C^-T with the Cholesky factor C of V = C C' (lower, positive diagonal): it is unique, where an
eigendecomposition would differ in signs between BLAS libraries. A learner that plans every round
carries this root, or another one, through rounds: see direction_images.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from pearl.environments.prefix_tree import PrefixTree
from pearl.memory.cache_method import CacheMethod
from pearl.memory.choice import choose
from pearl.memory.residency import unions
from pearl.memory.tree_planner import best_unions
from pearl.randomness import generator

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Plan:
    """The union to refresh until the next trigger, and how its score stood."""

    actions: NDArray[np.int32]
    """Refreshed cyclically, in this order."""
    capped: int
    """Candidates whose score reaches the bound B: from 2 on, clipping ties the best ones."""
    candidates: int
    lowest: float
    """The smallest unclipped score of a candidate."""


def draw_directions(seed: int, plan: int, count: int, dimension: int) -> Matrix:
    """Draw g_1, ..., g_N of one plan (counted from 0) as rows (N x d).

    A plan is an episode's, or a round's where every round plans.
    """
    return generator(seed, "policy/directions", plan).standard_normal((count, dimension))


def directional_widths(factor: Matrix, directions: Matrix) -> Matrix:
    """Return (L g_j)' as rows (N x d) with L = C^-T, given the lower Cholesky factor C of V."""
    images = solve_triangular(factor, directions.T, lower=True, trans="T", check_finite=False)
    return np.asarray(images.T)


def bonus_rows(images: Matrix, method: CacheMethod) -> Matrix:
    """Return the rows (N x d) whose products with a cache make its bonus, given those of L g_j."""
    return np.maximum(images, 0.0) if method.bonus == "optimistic" else images


def plan(
    tree: PrefixTree,
    estimate: Vector,
    widths: Matrix,
    *,
    radius: float,
    paths: int,
    bound: float,
    method: CacheMethod,
) -> Plan:
    """Choose the union of at most `paths` paths with the highest score of Equation (18).

    The 2N candidates are the exact maximisers of the linear objectives theta +- (beta/c) L g_j in
    the order +g_1, -g_1, +g_2, ...; each is scored by Equation (18) itself. With the bonuses that
    have a sign of their own there is no minus, and a score is the largest of the objectives.

    Args:
        tree: the catalogue.
        estimate: theta (d).
        widths: (L g_j)' as rows (N x d).
        radius: beta, or what the method has in its place.
        paths: q = M + 1.
        bound: B.
        method: its bonus, constant c and tie rule count.
    """
    scale = math.sqrt(tree.segments)
    bonuses = (radius / method.constant) * bonus_rows(widths, method)
    signed = bonuses
    if two_sided := method.bonus == "directions":
        signed = np.stack([bonuses, -bonuses], axis=1).reshape(-1, tree.segments)
    _, padded = best_unions(tree, (estimate + signed) / scale, paths)
    features = unions(tree.path_offsets, tree.path_nodes, padded, tree.segments) / scale
    estimates = features @ estimate
    widest = features @ bonuses.T
    scores = estimates + (np.abs(widest) if two_sided else widest).max(axis=1)
    chosen = choose(scores, estimates, bound, method.tie)
    return Plan(
        actions=padded[chosen][padded[chosen] >= 0],
        capped=int((scores >= bound).sum()),
        candidates=len(scores),
        lowest=float(scores.min()),
    )
