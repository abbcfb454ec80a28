"""KV-cache refresh as a linear bandit with memory (Appendix C.4): the instance and its draws."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from pearl.environments.kv_settings import KVCacheSettings
from pearl.environments.prefix_tree import PrefixTree
from pearl.randomness import generator

DRAW_BLOCK = 1024
"""Rounds that share one generator; a longer horizon never changes the earlier rounds."""


@dataclass(frozen=True)
class Counts:
    """Requests in each of the three sets."""

    construction: int
    calibration: int
    evaluation: int


@dataclass(frozen=True, eq=False)
class KVCache:
    """The fixed catalogue and demand that a learner faces; the cache starts empty.

    With w_t in {0,1}^d the segments available after round t's refresh, the feature is
    x_t = w_t / sqrt(d) and the mean reward x_t' theta_star. A segment refreshed in round `last`
    is available in round t while t - last <= M.

    Attributes:
        tree: d segments and K refresh actions.
        settings: the conventions it was built with, M among them.
        reuse: int64[n_eval, d], z_j(Q): tokens of evaluation request Q that segment j can serve.
        demand: int64[d], the sum of `reuse` over the evaluation requests.
        theta_star: float64[d], (sqrt(d)/Z) times the mean of `reuse`. Hidden from learners.
        theta_calibration: float64[d], the same mean over the calibration requests.
        split_label: what a table prints about the split.
        counts: requests in each set.
        operator_norm: the largest ||A(s)|| over the memory states that M refreshes can reach.
    """

    tree: PrefixTree
    settings: KVCacheSettings
    reuse: csr_array[np.int64]
    demand: NDArray[np.int64]
    theta_star: NDArray[np.float64]
    theta_calibration: NDArray[np.float64]
    split_label: str
    counts: Counts
    operator_norm: float

    @property
    def n_eval(self) -> int:
        """The number of evaluation requests."""
        return self.counts.evaluation

    @property
    def memory(self) -> int:
        """M, in rounds."""
        return self.settings.memory

    @property
    def feature_bound(self) -> float:
        """R, with ||x_t|| <= R = 1 (see operator_norm for A's own bound)."""
        return 1.0

    @property
    def norm_bound(self) -> float:
        """S = norm_margin * ||theta_calibration||, what a learner knows about theta_star."""
        return self.settings.norm_margin * float(np.linalg.norm(self.theta_calibration))

    @property
    def reward_bound(self) -> float:
        """B = R S, the known bound on mean rewards."""
        return self.feature_bound * self.norm_bound

    @property
    def noise(self) -> float:
        """sigma = 1/(2 sqrt(requests a round)), sub-Gaussian for request rewards in [0, 1]."""
        return 1.0 / (2.0 * float(np.sqrt(self.settings.requests_per_round)))

    @property
    def regularization(self) -> float:
        """lambda = d sigma^2 / S^2."""
        return self.tree.segments * self.noise**2 / self.norm_bound**2

    def mean_reward(self, resident: NDArray[np.bool_]) -> float:
        """Return x' theta_star of the available segments (bool[d]), from exact integer tokens."""
        tokens = int(self.demand[resident].sum())
        return tokens / (self.n_eval * self.settings.token_scale)

    def reward(self, resident: NDArray[np.bool_], requests: NDArray[np.int32]) -> float:
        """Return Y_t of the available segments (bool[d]) for the requests drawn in one round."""
        tokens = int((self.reuse[requests] @ resident.astype(np.int64)).sum())
        return tokens / (len(requests) * self.settings.token_scale)


def requests(instance: KVCache, seed: int, horizon: int) -> NDArray[np.int32]:
    """Draw the evaluation requests of every round: int32[horizon, requests_per_round].

    The stream is the environment's: it depends on the seed alone, never on the method, and the
    first rounds of a longer horizon are those of a shorter one.
    """
    width = instance.settings.requests_per_round
    blocks = [
        generator(seed, "kv_cache/requests", block).integers(
            0, instance.n_eval, size=(DRAW_BLOCK, width), dtype=np.int32
        )
        for block in range(-(-horizon // DRAW_BLOCK))
    ]
    if not blocks:
        return np.empty((0, width), dtype=np.int32)
    return np.concatenate(blocks)[:horizon]
