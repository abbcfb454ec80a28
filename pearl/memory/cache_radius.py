"""What a method of the KV cache takes for lambda and sigma, and how it weighs its uncertainty.

Everything is in the units of V = lambda I + sum x x': a score is x'theta + r |x| in the norm of
V^-1. GLBM-SCB's H is V / sigma^2, so there r is sigma times the radius in H's units.
"""

from __future__ import annotations

from dataclasses import dataclass

from pearl.environments.kv_cache import KVCache
from pearl.memory.block_length import block_length
from pearl.memory.cache_method import CacheMethod
from pearl.memory.mirror_descent import MirrorDescentRadius, slope_regularization
from pearl.memory.radius import ConfidenceRadius


@dataclass(frozen=True)
class CacheRadius:
    """lambda, and the radius r that goes with it."""

    regularization: float
    """lambda, in V's units."""
    scale: float
    """What `growing` is multiplied by; r itself where nothing grows."""
    growing: ConfidenceRadius | MirrorDescentRadius | None

    def at(self, rounds: int) -> float:
        """Return r for n = `rounds` >= 0, counted as each method counts."""
        return self.scale * (self.growing.at(rounds) if self.growing else 1.0)


def cache_radius(instance: KVCache, method: CacheMethod, horizon: int) -> CacheRadius:
    """Return what `method` takes on `instance` in a run of `horizon` rounds."""
    noise = radius_noise(instance, method)
    regularization = _regularization(instance, method, horizon)
    if method.radius == "posterior":
        return CacheRadius(regularization, noise, None)
    known = {
        "norm_bound": instance.norm_bound,
        "feature_bound": instance.feature_bound,
        "noise": noise,
        "delta": method.delta,
    }
    segments = instance.tree.segments
    if method.estimator == "mirror_descent":
        slope = regularization / noise**2
        descent = MirrorDescentRadius(dimension=segments, regularization=slope, **known)
        return CacheRadius(regularization, noise, descent)
    ellipsoid = ConfidenceRadius(dimension=segments, regularization=regularization, **known)
    return CacheRadius(regularization, 1.0, ellipsoid)


def radius_noise(instance: KVCache, method: CacheMethod) -> float:
    """Return the sigma of the radius.

    The mean of m rewards in [0, w] is sub-Gaussian with w / (2 sqrt(m)).
    """
    return _noise_share(instance, method) * instance.noise


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


def _noise_share(instance: KVCache, method: CacheMethod) -> float:
    width = instance.request_bound if method.reward_range == "catalogue" else 1.0
    return method.noise_scale * width


def _regularization(instance: KVCache, method: CacheMethod, horizon: int) -> float:
    share = _noise_share(instance, method) if method.regularized_by == "radius" else 1.0
    if method.estimator == "mirror_descent":
        given = informative_rounds(instance, method, horizon) / instance.tree.segments
        noise = share * instance.noise
        return slope_regularization(method.unit, given, noise) * noise**2
    return instance.regularization * share**2
