"""One run of "partial or global": the entry that sweeps call."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pearl.bandits.linear import new_linear_rounds
from pearl.bandits.linear_method import LinearMethod, load_linear_methods
from pearl.environments.partial_global import Array, PartialGlobalWorld
from pearl.simulation.linear_play import Played, play_linear
from pearl.simulation.partial_global_config import read_run
from pearl.simulation.partial_global_features import Seen, seen
from pearl.simulation.partial_global_measures import facts_of, series_of
from pearl.simulation.trajectory import Trajectory

YARDSTICK = "oracle_restart_f"
"""The method whose regret tells recovery."""


class Rounds:
    """What a seed's rounds offer, to be played by any method."""

    def __init__(
        self, world: PartialGlobalWorld, horizon: int, network: Mapping[str, Any] | None = None
    ) -> None:
        """Draw them; `network` holds the pretrained arrays where features are neural."""
        latent = world.arms(horizon)
        self.world = world
        self.seen: Seen = seen(world, latent, network)
        self.means: Array = world.means(latent)
        self.rewards: Array = self.means + world.noise(horizon)[:, None] - 0.5
        self.users: NDArray[np.int64] = world.users(horizon)

    def play(self, method: LinearMethod) -> tuple[Played, Array]:
        """Return a method's run and its regret in every round, float64[T] >= 0."""
        settings = self.world.settings
        rounds = new_linear_rounds(self.seen.features, self.rewards, self.users)
        features, shift = settings.features, settings.shift_round
        played = play_linear(rounds, method, features, self.seen.in_v, shift)
        chosen = self.means[np.arange(len(self.users)), rounds.arms]
        return played, self.means.max(axis=1) - chosen


def run(
    config: Mapping[str, Any],
    tables: Path,
    seed: int,
    pretrained: Mapping[str, Any] | None = None,
) -> Trajectory:
    """Run one method, and beside it the oracle whose regret tells when the method has recovered.

    Args:
        config: "environment" (kind "partial_global" and the fields of PartialGlobalSettings),
            "method" (the fields of LinearMethod) and "horizon", rounds.
        tables: not looked at; everything is simulated.
        seed: the run's seed, >= 0.
        pretrained: what `pretrain` returned for this config's `pretraining` and seed; None where
            features aren't neural.

    Raises:
        SettingError: the config has an unknown name or a value out of its range, or the network
            that it needs is missing.
    """
    method, settings, horizon = read_run(config)
    rounds = Rounds(PartialGlobalWorld.of(settings, seed), horizon, pretrained)
    played, regret = rounds.play(method)
    _, oracle = rounds.play(load_linear_methods()[YARDSTICK])
    return Trajectory(
        regret=np.cumsum(regret),
        episode_starts=played.alarms[played.alarms < horizon] + 1,
        facts=facts_of(rounds.world, played, regret, oracle, rounds.seen.in_v),
        series=series_of(regret, played, settings.window),
    )
