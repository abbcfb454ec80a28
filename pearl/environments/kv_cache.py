"""KV-cache refresh as a linear bandit with memory (Appendix C.4): the instance and its draws."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from pearl.environments import kv_splits
from pearl.environments.kv_catalogue import Catalogue, build_catalogue, reuse_tokens
from pearl.environments.kv_memory_map import operator_norm
from pearl.environments.kv_settings import KVCacheSettings
from pearl.environments.prefix_tree import PrefixTree
from pearl.errors import SettingError
from pearl.randomness import generator

if TYPE_CHECKING:
    from pearl.datasets.mooncake import MooncakeTrace

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
    def request_bound(self) -> float:
        """The largest reward of one request: the tokens of the deepest path over Z.

        1, the paper's bound, where max_depth_blocks leaves the depth open.
        """
        settings = self.settings
        if settings.max_depth_blocks is None:
            return 1.0
        return settings.max_depth_blocks * settings.block_tokens / settings.token_scale

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


def build(trace: MooncakeTrace, settings: KVCacheSettings) -> KVCache:
    """Build the instance: split the trace, catalogue its prefixes, measure their demand.

    Raises:
        SettingError: a set or the catalogue is empty, the calibration requests reuse nothing (so
            S would be 0), or M + 1 paths don't fit the token budget.
    """
    sets = kv_splits.assign(trace.timestamp, settings.bin_seconds, settings.split)
    rows = [np.flatnonzero(sets == one) for one in range(3)]
    counts = Counts(*(len(one) for one in rows))
    if min(len(one) for one in rows) == 0:
        raise SettingError(
            f"the {settings.split} split leaves a set empty: {counts}",
            remedy="use a longer trace or shorter bins (bin_seconds)",
        )
    construction, calibration, evaluation = rows
    catalogue = build_catalogue(
        trace,
        construction,
        min_requests=settings.min_requests,
        max_depth=settings.max_depth_blocks,
    )
    _check_budget(catalogue, settings)
    tree = catalogue.tree
    reuse, known = (
        reuse_tokens(catalogue, trace, one, block_tokens=settings.block_tokens)
        for one in (evaluation, calibration)
    )
    demand = np.asarray(reuse.sum(axis=0), dtype=np.int64)
    calibrated = np.asarray(known.sum(axis=0), dtype=np.int64)
    if not calibrated.any():
        raise SettingError(
            f"none of {counts.calibration} calibration requests reuses the catalogue: S would be 0",
            remedy="use a longer trace or lower min_requests",
        )
    scale = np.sqrt(tree.segments) / settings.token_scale
    return KVCache(
        tree=tree,
        settings=settings,
        reuse=reuse,
        demand=demand,
        theta_star=scale * (demand / counts.evaluation),
        theta_calibration=scale * (calibrated / counts.calibration),
        split_label=kv_splits.LABELS[settings.split],
        counts=counts,
        operator_norm=operator_norm(tree, settings.memory),
    )


def _check_budget(catalogue: Catalogue, settings: KVCacheSettings) -> None:
    paths, blocks = settings.memory + 1, catalogue.longest_path
    tokens = paths * blocks * settings.block_tokens
    if tokens > settings.token_budget:
        raise SettingError(
            f"memory = {settings.memory} keeps up to {paths} paths of up to {blocks} blocks x"
            f" {settings.block_tokens} tokens = {tokens:,} tokens, more than"
            f" token_budget = {settings.token_budget:,}",
            remedy="lower memory or max_depth_blocks, or raise token_budget",
        )


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
