"""Discounted Howard policy iteration on listed memory states (Algorithm 3, Appendix C.1).

Theorem C.1 gives a budget of improvements, not a rule to stop. Here a state keeps its action unless
another improves Q by more than 1e-12 R S / (1 - gamma), since float ties would cycle, and the
iteration stops when no state changes. Transitions are deterministic, so a policy is a graph with
one edge a state: its value is exact on the cycles and follows backwards along the trees, O(N).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pearl.compiled import compiled
from pearl.errors import PearlError

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]
Ints = NDArray[np.int32]

TIE = 1e-12
RESIDUAL = 1e-9
"""Both as a fraction of R S / (1 - gamma), the largest value that there can be."""


def improvement_budget(horizon: int) -> int:
    """Return ceil(2 T log T), Theorem C.1's I_max for a horizon T >= 2."""
    return math.ceil(2 * horizon * math.log(horizon))


@dataclass(frozen=True, eq=False)
class Plan:
    """What policy iteration found.

    Attributes:
        policy: int32[N], the action of every state: Eq. (4), ties to the lowest index.
        values: float64[N], J of the last policy, Eq. (17).
        improvements: how many times the policy was changed.
        converged: whether no state could improve; false where the budget ended first.
        residual: the largest |max_a Q(s, a) - J(s)| over R S / (1 - gamma).
    """

    policy: Ints
    values: Vector
    improvements: int
    converged: bool
    residual: float

    @property
    def span(self) -> float:
        """Return max J - min J, which Lemma 4.1 bounds by 2 R S M."""
        return float(self.values.max() - self.values.min())


def policy_iteration(
    rewards: Matrix, following: Ints, discount: float, bound: float, budget: int
) -> Plan:
    """Plan for the discounted sum of `rewards`.

    Args:
        rewards: float64[N, K], u(s, a) in [-bound, bound].
        following: int32[N, K], the state f(s, a).
        discount: gamma in (0, 1).
        bound: R S > 0.
        budget: the most improvements, >= 0.

    Raises:
        PearlError: no state could improve and yet Bellman's equation is missed by more than
            1e-9 R S / (1 - gamma).
    """
    scale = bound / (1 - discount)
    policy = rewards.argmax(axis=1).astype(np.int32)
    values = np.empty(len(rewards))
    improvements, converged = _iterate(
        rewards, following, discount, TIE * scale, budget, policy, values
    )
    residual = float(_greedy(rewards, following, discount, TIE * scale, values, policy)) / scale
    if converged and not residual <= RESIDUAL:
        raise PearlError(
            f"Howard iteration stopped with a Bellman residual of {residual:.1e} R S / (1 - gamma),"
            f" above {RESIDUAL:g}: rewards exceed their bound {bound:g}, or gamma = {discount!r} is"
            " too close to 1 for float64."
        )
    return Plan(policy, values, improvements, converged, residual)


def policy_values(rewards: Matrix, following: Ints, policy: Ints, discount: float) -> Vector:
    """Return J of a policy (int32[N]) exactly: Eq. (17), float64[N]."""
    values = np.empty(len(rewards))
    _evaluate(rewards, following, policy, discount, values)
    return values


@compiled
def _iterate(
    rewards: Matrix,
    following: Ints,
    discount: float,
    tie: float,
    budget: int,
    policy: Ints,
    values: Vector,
) -> tuple[int, bool]:
    """Improve `policy` in place and leave its values; return the improvements, and if it's done."""
    n, n_actions = rewards.shape
    improvements = 0
    while True:
        _evaluate(rewards, following, policy, discount, values)
        if improvements == budget:
            return improvements, False
        changed = False
        for s in range(n):
            kept = rewards[s, policy[s]] + discount * values[following[s, policy[s]]]
            best = kept + tie
            for a in range(n_actions):
                value = rewards[s, a] + discount * values[following[s, a]]
                if value > best:
                    best = value
                    policy[s] = a
                    changed = True
        if not changed:
            return improvements, True
        improvements += 1


@compiled
def _greedy(
    rewards: Matrix, following: Ints, discount: float, tie: float, values: Vector, policy: Ints
) -> float:
    """Set `policy` to the lowest action within `tie` of the best; return the Bellman residual."""
    n, n_actions = rewards.shape
    residual = 0.0
    for s in range(n):
        best = -np.inf
        for a in range(n_actions):
            best = max(best, rewards[s, a] + discount * values[following[s, a]])
        for a in range(n_actions):
            if rewards[s, a] + discount * values[following[s, a]] >= best - tie:
                policy[s] = a
                break
        missed = abs(best - values[s])
        if not missed <= residual:  # a value that is no number stays
            residual = missed
    return residual


@compiled
def _evaluate(
    rewards: Matrix, following: Ints, policy: Ints, discount: float, values: Vector
) -> None:
    """Fill `values`: walk from each state to one that is known or closes a cycle, then back."""
    n = len(policy)
    place = np.full(n, -1)  # where on the present walk a state stands
    known = np.zeros(n, dtype=np.bool_)
    walk = np.empty(n, dtype=np.int64)
    for first in range(n):
        length = 0
        s = first
        while not known[s] and place[s] < 0:
            walk[length] = s
            place[s] = length
            length += 1
            s = following[s, policy[s]]
        if not known[s]:
            total = 0.0
            for i in range(length - 1, place[s] - 1, -1):
                total = rewards[walk[i], policy[walk[i]]] + discount * total
            values[s] = total / -np.expm1((length - place[s]) * np.log(discount))
        # Where a cycle was closed, the walk back sets its first state to the same value again.
        ahead = values[s]
        for i in range(length - 1, -1, -1):
            state = walk[i]
            ahead = rewards[state, policy[state]] + discount * ahead
            values[state] = ahead
            known[state] = True
            place[state] = -1
