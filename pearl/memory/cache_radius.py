"""What a method of the KV cache takes for sigma and lambda, and how it weighs its uncertainty.

Everything is in the units of V = lambda I + sum x x': a score is x'theta + r |x| in the norm of
V^-1. GLBM-SCB's H is V / sigma^2, so there r is sigma times the radius in H's units.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from pearl.environments.kv_cache import KVCache
from pearl.memory.block_length import block_length
from pearl.memory.cache_method import CacheMethod
from pearl.memory.mirror_descent import MirrorDescentRadius, slope_regularization
from pearl.memory.radius import ConfidenceRadius


@dataclass(frozen=True)
class CacheRadius:
    """sigma, lambda and the radius r that goes with them."""

    noise: float
    """sigma."""
    regularization: float
    """lambda, in V's units."""
    scale: float
    """What `growing` is multiplied by; r itself where there is none."""
    growing: ConfidenceRadius | MirrorDescentRadius | None

    def at(self, rounds: int) -> float:
        """Return r for n = `rounds` >= 0, counted as each method counts."""
        return self.scale * (self.growing.at(rounds) if self.growing else 1.0)


def cache_radius(instance: KVCache, method: CacheMethod, horizon: int) -> CacheRadius:
    """Return what `method` takes on `instance` in a run of `horizon` rounds."""
    noise = cache_noise(instance, method)
    dimension, norm_bound = instance.tree.segments, instance.norm_bound
    if method.estimator == "mirror_descent":
        rounds = informative_rounds(instance, method, horizon)
        slope = slope_regularization(method.unit, rounds / dimension, noise)
        regularization = slope * noise**2
    else:
        regularization = dimension * noise**2 / norm_bound**2
    if method.radius == "posterior":
        return CacheRadius(noise, regularization, noise, None)
    common = {
        "dimension": dimension,
        "norm_bound": norm_bound,
        "feature_bound": instance.feature_bound,
        "noise": noise,
        "delta": method.delta,
    }
    if method.estimator == "mirror_descent":
        descent = MirrorDescentRadius(regularization=slope, **common)
        return CacheRadius(noise, regularization, noise, descent)
    ellipsoid = ConfidenceRadius(regularization=regularization, **common)
    return CacheRadius(noise, regularization, 1.0, ellipsoid)


def cache_noise(instance: KVCache, method: CacheMethod) -> float:
    """Return sigma: half the range of a request's reward over the root of their number, scaled."""
    span = instance.request_bound if method.reward_range == "catalogue" else 1.0
    requests = instance.settings.requests_per_round
    return method.noise_scale * span / (2.0 * math.sqrt(requests))


def informative_rounds(instance: KVCache, method: CacheMethod, horizon: int) -> int:
    """Return L of a method that plays blocks of M + L rounds."""
    if method.block is None:
        raise ValueError(f"switching {method.switching} has no blocks")
    return block_length(
        method.block,
        memory=instance.memory,
        horizon=horizon,
        dimension=instance.tree.segments,
    )
