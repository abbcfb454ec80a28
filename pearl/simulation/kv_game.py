"""What every loop over the KV cache shares: the draws, the rewards in tokens and the regret.

Rewards and regret are whole numbers of tokens until one final division, so a regret below zero
could only mean a wrong comparator, never rounding.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pearl.compiled import compiled
from pearl.environments.kv_cache import KVCache, requests
from pearl.memory.cache_method import CacheMethod
from pearl.memory.cache_radius import CacheRadius, cache_radius

Tokens = NDArray[np.int64]
Availability = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Game:
    """An instance, its comparator and one seed's requests.

    Attributes:
        instance: the KV cache.
        best: int64[q], the tokens F_1, ..., F_q of the best unions of 1, ..., q = M + 1 paths,
            summed over the evaluation requests.
        requests: int32[T, requests a round].
    """

    instance: KVCache
    best: Tokens
    requests: NDArray[np.int32]

    @classmethod
    def of(cls, instance: KVCache, best: Tokens, seed: int, horizon: int) -> Game:
        """Draw the requests of `horizon` rounds from the environment's stream."""
        return cls(instance, best, requests(instance, seed, horizon))

    @property
    def horizon(self) -> int:
        """T."""
        return len(self.requests)

    @property
    def paths(self) -> int:
        """q = M + 1, the paths that can be available at once."""
        return self.instance.memory + 1

    @property
    def reward_unit(self) -> float:
        """The observed reward that one token is worth."""
        settings = self.instance.settings
        return 1.0 / (settings.requests_per_round * settings.token_scale)

    @cached_property
    def best_tokens(self) -> Tokens:
        """int64[T]: F_min(t, q) of every round."""
        return self.best[np.minimum(np.arange(self.horizon), self.paths - 1)]

    def radius(self, method: CacheMethod) -> CacheRadius:
        """Return the noise, the regulariser and the radius that a method takes here."""
        return cache_radius(self.instance, method, self.horizon)

    def observed(self, first: int, available: Availability) -> Tokens:
        """Return the tokens reused in rounds first, first + 1, ...: one per row of w (n x d)."""
        drawn = self.requests[first - 1 : first - 1 + len(available)]
        reuse = self.instance.reuse
        return _reused(reuse.indptr, reuse.indices, reuse.data, drawn, available)

    def observed_while(self, first: int, rounds: int, available: Availability) -> Tokens:
        """Return the tokens reused in each of `rounds` rounds from `first` on with the same w."""
        per_request = self.instance.reuse @ available.astype(np.int64)
        drawn = self.requests[first - 1 : first - 1 + rounds]
        return np.asarray(per_request[drawn].sum(axis=1))

    def observed_in_all(self, first: int, rounds: int, available: Availability) -> int:
        """Return the tokens reused in `rounds` rounds from `first` on with one and the same w."""
        return int(self.observed_while(first, rounds, available).sum())

    def demanded(self, available: Availability) -> Tokens:
        """Return each row's mean reward in tokens, summed over the evaluation requests."""
        return np.asarray(available.astype(np.int64) @ self.instance.demand)

    def regret(self, demanded: Tokens) -> NDArray[np.float64]:
        """Return the cumulative pseudo-regret of rounds with the given `demanded` (int64[T])."""
        scale = self.instance.n_eval * self.instance.settings.token_scale
        return np.asarray(np.cumsum(self.best_tokens - demanded) / scale)

    def facts(self, demanded: Tokens) -> dict[str, float | int | str]:
        """Return the facts that every method's run has: the outcome, then the instance."""
        instance = self.instance
        scale = instance.n_eval * instance.settings.token_scale
        return {
            "final_regret": int((self.best_tokens - demanded).sum()) / scale,
            "optimum": int(self.best_tokens.sum()) / scale,
            "instance/construction_requests": instance.counts.construction,
            "instance/calibration_requests": instance.counts.calibration,
            "instance/evaluation_requests": instance.counts.evaluation,
            "instance/actions": len(instance.tree.actions),
            "instance/segments": instance.tree.segments,
            "instance/theta_star_norm": float(np.linalg.norm(instance.theta_star)),
            "instance/norm_bound": instance.norm_bound,
            "instance/regularization": instance.regularization,
            "instance/operator_norm": instance.operator_norm,
            "split_label": instance.split_label,
        }


@compiled
def _reused(
    indptr: NDArray[np.int32],
    indices: NDArray[np.int32],
    data: Tokens,
    requests: NDArray[np.int32],
    available: Availability,
) -> Tokens:
    tokens = np.zeros(len(available), dtype=np.int64)
    for n in range(len(available)):
        for request in requests[n]:
            for i in range(indptr[request], indptr[request + 1]):
                if available[n, indices[i]] > 0:
                    tokens[n] += data[i]
    return tokens
