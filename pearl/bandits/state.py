"""What the bandit's step works with: the rule, the state, a block of interactions, its log."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pearl.bandits.draws import Floats, Ints
from pearl.bandits.folding import Folded
from pearl.bandits.method import BanditMethod

Flags = NDArray[np.bool_]

_EXPLORATIONS = ("none", "fixed", "error_adaptive", "thompson")
_FORGETTINGS = ("none", "directional", "always_directional", "window", "discount", "restart")
_NONE, _NOBODY, _NOTHING = np.empty((0, 0)), np.empty(0, np.bool_), np.empty(0, np.int64)


class Rule(NamedTuple):
    """A method as numbers."""

    exploration: int
    """Position among none, fixed, error_adaptive, thompson."""
    forgetting: int
    """Position among none, directional, always_directional, window, discount, restart."""
    online: bool
    """Whether the Gram matrix learns."""
    damping: bool
    """Whether e(u) enters as (1 - eps_u) e(u)."""
    bonus: float
    """gamma, alpha or nu, whichever the exploration uses."""
    eta: float
    beta: float
    threshold: float
    ceiling: float
    """1/lambda."""
    adapts: bool
    """Whether eta is scaled by the mean error of the users seen."""
    inflation: float
    """1/gamma_gram, by which a discount multiplies A^-1."""
    restart_above: float
    """tau."""


class State(NamedTuple):
    """What changes from step to step, in place; the network doesn't."""

    inverse: Floats
    """A^-1 (d, d), symmetric to the last bit."""
    errors: Floats
    """eps_u (U,), Eq. (5)."""
    seen: Flags = _NOBODY
    """Who has been observed (U,), where the rule adapts eta; (0,) elsewhere."""
    window: Floats = _NONE
    """With a window, the features that A holds beside lambda I (W, d), a ring; (0, 0) elsewhere."""
    held: Ints = _NOTHING
    """With a window (3,): the features in it, the place of the next one, and the removals since
    A^-1 was made, each counted as 1 / what it divided by."""


class Block(NamedTuple):
    """n interactions with K arms each; arm k of interaction t is row t K + k of Folded.arms."""

    users: Ints
    """(n,)"""
    rewards: Floats
    """(n, K), in [0, 1]; only the chosen arm's is looked at."""
    ties: Floats
    """(n,), see draws."""
    normals: Floats
    """(n, K), see draws."""


class Log(NamedTuple):
    """What happened in n interactions, each entry (n,)."""

    arms: Ints
    """The chosen arm, 0 .. K - 1."""
    means: Floats
    """mu of the chosen arm, before its reward was known."""
    uncertainties: Floats
    """sigma of the chosen arm, before the shrink."""
    errors: Floats
    """eps_u before the step."""
    rewards: Floats
    """The chosen arm's."""
    injected: Flags
    """Whether uncertainty was: in the chosen arm's direction, or in all by a restart."""
    capped: Flags


class Scratch(NamedTuple):
    """Work space of a step; `select` leaves in it what `observe` and a caller look at."""

    share: NDArray[np.float32]
    """1 - eps_u (1,), or 1 where nothing is damped."""
    hidden: NDArray[np.float32]
    """The first layer's positive outputs, then the second layer's sums (2, d)."""
    places: Ints
    values: Floats
    """Positive entries of g and their places, arm by arm (K, d), `counts` (K,) of them."""
    indices: Ints
    counts: Ints
    images: Floats
    """A^-1 g (K, d)."""
    variances: Floats
    """g' A^-1 g (K,)."""
    means: Floats
    scores: Floats
    growth: Floats
    """sqrt(eta) |r - mu| g (d,)."""


def rule_of(method: BanditMethod, damping: bool) -> Rule:
    """Return the method as numbers.

    Args:
        method: any method with a network.
        damping: whether users' embeddings are damped (bandits.network.TrainingSettings).

    Raises:
        ValueError: Random and Oracle, which have no network: see draws.random_arms for the one,
            the other takes the best reward.
    """
    if not method.network:
        raise ValueError(f"exploration {method.exploration} has no network to step with")
    bonus = {"fixed": method.alpha, "error_adaptive": method.gamma, "thompson": method.nu}
    return Rule(
        exploration=_EXPLORATIONS.index(method.exploration),
        forgetting=_FORGETTINGS.index(method.forgetting),
        online=method.online,
        damping=damping,
        bonus=bonus.get(method.exploration, 0.0),
        eta=method.eta,
        beta=method.beta,
        threshold=method.threshold,
        ceiling=1.0 / method.regularization,
        adapts=method.injection == "mean_error",
        inflation=1.0 / method.discount,
        restart_above=method.restart_above,
    )


def new_state(method: BanditMethod, users: int, hidden: int) -> State:
    """Return A^-1 = I/lambda (hidden x hidden), every user's first eps, and an empty window."""
    window = method.forgetting == "window"
    return State(
        inverse=np.eye(hidden) / method.regularization,
        errors=np.full(users, method.error_start, dtype=float),
        seen=np.zeros(users if method.injection == "mean_error" else 0, np.bool_),
        window=np.zeros((method.window, hidden) if window else (0, 0)),
        held=np.zeros(3 if window else 0, np.int64),
    )


def new_scratch(folded: Folded, arms: int) -> Scratch:
    """Return work space for `arms` arms a step."""
    d, kind = len(folded.b2), folded.w2.dtype
    return Scratch(
        share=np.ones(1, kind),
        hidden=np.zeros((2, d), kind),
        places=np.zeros(d, np.int64),
        values=np.zeros((arms, d)),
        indices=np.zeros((arms, d), np.int64),
        counts=np.zeros(arms, np.int64),
        images=np.zeros((arms, d)),
        variances=np.zeros(arms),
        means=np.zeros(arms),
        scores=np.zeros(arms),
        growth=np.zeros(d),
    )
