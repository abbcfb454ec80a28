"""A union grown path by path under the exact ellipsoid's score.

Equation (18) approximates the bonus and maximises exactly; here the bonus r |x| in the norm of V^-1
is exact and the maximisation is approximate. Beginning with nothing, the path whose union with the
ones before has the largest x'theta + r |x| joins, ties to the lowest action, until q paths are
found or none raises the score. With r = 0 and theta >= 0 that is the best union (optimum).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

from pearl.environments.prefix_tree import PrefixTree
from pearl.memory.directions import Plan
from pearl.memory.ties import TIE_TOLERANCE
from pearl.simulation.myopic_block import Learner, Paths, Rule, grow_union
from pearl.simulation.segment_chains import segment_chains

Floats = NDArray[np.float64]


def plan_greedily(
    tree: PrefixTree, estimate: Floats, factor: Floats, *, radius: float, paths: int, bound: float
) -> Plan:
    """Grow the union of at most `paths` paths; they are refreshed in the order of joining.

    Args:
        tree: the catalogue.
        estimate: theta (d).
        factor: the lower Cholesky factor of V.
        radius: r.
        paths: q = M + 1.
        bound: B, for the plan's facts alone: scores aren't clipped.
    """
    inverse, failure = lapack.dpotri(np.asfortranarray(factor), lower=1)
    if failure:
        raise np.linalg.LinAlgError(f"V isn't invertible (LAPACK dpotri: {failure})")
    inverse = np.tril(inverse) + np.tril(inverse, -1).T
    chains, chain_offsets = segment_chains(tree)
    size = tree.segments
    learner = Learner(
        base=np.ascontiguousarray(inverse),
        updates=np.zeros((0, size)),
        gains=np.zeros(0),
        covered=np.zeros(size),
        entries=inverse[chains],
        estimate=np.ascontiguousarray(estimate),
        images=np.zeros((size, 0)),
        image_sums=np.zeros(0),
    )
    rule = Rule(
        memory=0,
        bound=math.inf,
        clipped=False,
        by_estimate=False,
        one_sided=False,
        tolerance=TIE_TOLERANCE,
        reward_unit=0.0,
        radii=np.array([radius]),
    )
    chosen = np.empty(min(paths, len(tree.actions)), dtype=np.int32)
    places = Paths(tree.parent, tree.actions, tree.path_offsets, tree.path_nodes, chain_offsets)
    count, score = grow_union(places, learner, rule, chosen)
    return Plan(actions=chosen[:count], capped=int(score >= bound), candidates=1, lowest=score)
