"""Groups of users, and a series of each group in every run: Table 12, Figure 6, Section 9.

A stratum's mean is taken within each user over epochs 1 to e, then over its users.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pearl.errors import PearlError
from pearl.experiments import Experiment
from pearl.report.rewards.reading import Rewards
from pearl.report.rows import MethodRuns, Runs
from pearl.report.statistics import Floats

Flags = NDArray[np.bool_]
TERCILES = ("low", "mid", "high")
NEUTRAL = 50.0
"""The middle of the survey's scale, from which preferences are extreme."""
GROUPS = ("flipped", "stable")
SPLIT = ("extreme", "moderate")


def terciles(values: Floats) -> tuple[NDArray[np.int64], Floats]:
    """Return each user's tercile (0, 1 or 2) and the two edges, the quantiles 1/3 and 2/3.

    A user on an edge belongs to the upper tercile, as in the paper (low < .35 <= mid < .47 <=
    high).
    """
    edges = np.quantile(values, (1 / 3, 2 / 3))
    return np.searchsorted(edges, values, side="right"), edges


def mean_of_users(total: Floats, count: Floats, members: Flags) -> Floats:
    """Return the mean over members of each one's own mean, to date by epoch, float64[E].

    Args:
        total, count: float64[U, E], sums and interactions of each user in each epoch.
        members: bool[U]. Those without an interaction so far don't count; 0 where none has any.
    """
    played = np.cumsum(count[members], axis=1)
    own = np.cumsum(total[members], axis=1) / np.maximum(played, 1)
    seen = played > 0
    return np.asarray((own * seen).sum(axis=0) / np.maximum(seen.sum(axis=0), 1))


def mean_of_users_alone(total: Floats, count: Floats, members: Flags) -> Floats:
    """Return the same of each epoch alone, float64[E]."""
    parts = [
        mean_of_users(total[:, e : e + 1], count[:, e : e + 1], members)
        for e in range(total.shape[1])
    ]
    return np.concatenate(parts)


def extremity(stated: Floats) -> Floats:
    """Return the mean distance of stated preferences (U, 8) from the neutral point, float64[U]."""
    return np.asarray(np.abs(stated - NEUTRAL).mean(axis=1))


def by_diversity(_experiment: Experiment, rewards: Rewards) -> Rewards:
    """Add the reward of the terciles of candidate diversity, and the terciles' edges."""

    def made(_runs: Runs, run: MethodRuns) -> dict[str, Floats]:
        diversity, reward, count = (run.told(name) for name in ("diversity", "reward", "count"))
        found: dict[str, list[Floats]] = {}
        for seed in range(len(run.seeds)):
            place, edges = terciles(diversity[seed, :, 0])
            found.setdefault("strata/diversity_edges", []).append(edges)
            for number, name in enumerate(TERCILES):
                mean = mean_of_users(reward[seed], count[seed], place == number)
                found.setdefault(f"strata/{name}_diversity", []).append(mean)
        return _stacked(found)

    return with_series(rewards, made)


def by_divergence(experiment: Experiment, rewards: Rewards) -> Rewards:
    """Add the reward of the terciles of divergence: eps_u of the reference at f = 0, same seed.

    Raises:
        PearlError: the reference has no run at f = 0 with a seed that others have.
    """
    calm = next((runs for runs in rewards.base if runs.settings.get("flip") == 0), None)
    reference = calm.methods.get(experiment.reference) if calm else None
    if reference is None:
        raise PearlError(f"{experiment.id}: {experiment.reference} has no run at f = 0.")
    own = reference.told("tracker").sum(axis=2) / np.maximum(reference.told("count").sum(axis=2), 1)
    divergence = dict(zip(reference.seeds, own, strict=True))

    def made(_runs: Runs, run: MethodRuns) -> dict[str, Floats]:
        reward, count = run.told("reward"), run.told("count")
        found: dict[str, list[Floats]] = {}
        for number, seed in enumerate(run.seeds):
            if seed not in divergence:
                raise PearlError(
                    f"{experiment.id}: {experiment.reference} has no run at f = 0 with seed {seed}."
                )
            place, edges = terciles(divergence[seed])
            found.setdefault("strata/divergence_edges", []).append(edges)
            for tercile, name in enumerate(TERCILES):
                mean = mean_of_users(reward[number], count[number], place == tercile)
                found.setdefault(f"strata/{name}_divergence", []).append(mean)
        return _stacked(found)

    return with_series(rewards, made)


def by_extremity(_experiment: Experiment, rewards: Rewards) -> Rewards:
    """Add flipped and stable users' regret to date, and the flipped ones' error and reward by
    extremity, in each epoch alone.

    Extreme are the flipped users above the median of their seed's flipped users. Regret is the
    mean over a group's interactions.
    """

    def made(_runs: Runs, run: MethodRuns) -> dict[str, Floats]:
        found: dict[str, list[Floats]] = {}
        names = ("count", "regret", "error", "reward")
        told = {name: run.told(name) for name in names}
        for seed in range(len(run.seeds)):
            flipped = run.told("flipped")[seed, :, 0] == 1
            count, regret = told["count"][seed], told["regret"][seed]
            for name, members in zip(GROUPS, (flipped, ~flipped), strict=True):
                played = np.cumsum(count[members].sum(axis=0))
                mean = np.cumsum(regret[members].sum(axis=0)) / np.maximum(played, 1)
                found.setdefault(f"strata/{name}_regret", []).append(mean)
            how = extremity(run.told("stated")[seed])
            extreme = flipped & (how > np.median(how[flipped])) if flipped.any() else flipped
            for name, members in zip(SPLIT, (extreme, flipped & ~extreme), strict=True):
                for measure in ("error", "reward"):
                    mean = mean_of_users_alone(told[measure][seed], count, members)
                    found.setdefault(f"strata/{name}_{measure}", []).append(mean)
        return _stacked(found)

    return with_series(rewards, made)


def with_series(
    rewards: Rewards, made: Callable[[Runs, MethodRuns], Mapping[str, Floats]]
) -> Rewards:
    """Return the runs with further series, shape (seeds, n) each, made of what they hold."""

    def richer(runs: Runs) -> Runs:
        methods = {
            name: replace(run, series={**run.series, **made(runs, run)})
            for name, run in runs.methods.items()
        }
        return replace(runs, methods=methods)

    return replace(rewards, all_runs=tuple(richer(runs) for runs in rewards.all_runs))


def _stacked(found: Mapping[str, list[Floats]]) -> dict[str, Floats]:
    return {name: np.array(values) for name, values in found.items()}
