"""Table 1 and Figure 1 (a): stated preferences and errors after the flip, user by user.

Spearman between how strongly a user states a preference and his mean |r - mu| over the seeds in
which he is flipped; one row a user, so that n counts users.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from pearl.datasets.prism.slates import STATED
from pearl.errors import PearlError
from pearl.experiments import Experiment
from pearl.randomness import generator
from pearl.report.claims import AnyClaim, Paper
from pearl.report.comparisons import Comparison
from pearl.report.contrasts import Point
from pearl.report.rewards.reading import Rewards
from pearl.report.rows import MethodRuns
from pearl.report.settings import ReportSettings
from pearl.report.statistics import Floats, Interval, is_constant
from pearl.report.users.strata import extremity

FEWEST = 4
"""Users below which there is no correlation."""
EXTREMITY = "extremity"
"""The row of the mean distance from 50 over all eight dimensions; not one of the eight."""
METHOD = "Fisher z"


@dataclass(frozen=True)
class FlippedUsers:
    """Users flipped in at least one seed.

    Attributes:
        stated: float64[n, 8].
        error: float64[n], mean |r - mu| of a user over all epochs, then over the seeds.
        by_epoch: float64[n, E], the same of each epoch alone.
        seeds: how many seeds a user is flipped in, int64[n].
    """

    stated: Floats
    error: Floats
    by_epoch: Floats
    seeds: NDArray[np.int64]


@dataclass(frozen=True)
class Correlations:
    """An experiment's correlations, by dimension as the publisher orders them.

    `rho` has a row of the eight and of extremity; `tests` are those of the eight alone; `epochs`
    are the correlations of each epoch alone, dimension -> one an epoch. A correlation is left out
    where there are too few users or nothing varies.
    """

    experiment: Experiment
    rewards: Rewards
    run: MethodRuns
    users: FlippedUsers
    rho: dict[str, Interval]
    tests: dict[str, Comparison]
    epochs: dict[str, tuple[Interval, ...]]
    claims: tuple[AnyClaim, ...]
    p_values: Mapping[str, str]
    settings: ReportSettings

    @property
    def n(self) -> int:
        """How many users there are."""
        return len(self.users.error)

    def peak(self, name: str) -> tuple[int, Interval] | None:
        """Return the epoch (from 1) with a dimension's largest correlation, and that."""
        found = self.epochs.get(name)
        if not found:
            return None
        place = max(range(len(found)), key=lambda e: found[e].estimate)
        return place + 1, found[place]


def flipped_users(run: MethodRuns) -> FlippedUsers:
    """Gather the flipped users of all seeds.

    Raises:
        PearlError: the results don't tell what is needed of each user.
    """
    count, error = run.told("count"), run.told("error")
    used = (run.told("flipped")[:, :, 0] == 1) & (count.sum(axis=2) > 0)
    whole = error.sum(axis=2) / np.maximum(count.sum(axis=2), 1)
    alone = error / np.maximum(count, 1)
    played = used[:, :, None] & (count > 0)
    seeds = used.sum(axis=0)
    some = seeds > 0
    by_epoch = (alone * played).sum(axis=0) / np.maximum(played.sum(axis=0), 1)
    return FlippedUsers(
        stated=run.told("stated")[0][some],
        error=((whole * used).sum(axis=0) / np.maximum(seeds, 1))[some],
        by_epoch=by_epoch[some],
        seeds=seeds[some],
    )


def correlation(x: Floats, y: Floats, *, confidence: float, n_seeds: int) -> Interval | None:
    """Return Spearman's rho with its interval over users: Fisher's z with Bonett and Wright's
    standard error sqrt((1 + rho^2 / 2) / (n - 3)).

    None for fewer than four users, or where either doesn't vary.
    """
    if len(x) < FEWEST or is_constant(x) or is_constant(y):
        return None
    rho = float(stats.spearmanr(x, y).statistic)
    if abs(rho) >= 1:
        return Interval(rho, None, None, "none", n_seeds)
    error = math.sqrt((1 + rho**2 / 2) / (len(x) - 3))
    reach = float(stats.norm.ppf((1 + confidence) / 2)) * error
    low, high = (math.tanh(math.atanh(rho) + sign * reach) for sign in (-1, 1))
    return Interval(rho, low, high, METHOD, n_seeds)


def permutation_p(x: Floats, y: Floats, *, stream: str, resamples: int) -> float:
    """Return the two-sided p-value of Spearman's rho over permutations of the users."""
    ranks = stats.rankdata(y)
    drawn = stats.permutation_test(
        (stats.rankdata(x),),
        # With fixed ranks rho grows with the sum of their products.
        lambda a, axis: np.sum(a * ranks, axis=axis),
        permutation_type="pairings",
        vectorized=True,
        n_resamples=resamples,
        batch=1000,
        rng=generator(0, f"report/permutation/{stream}"),
    )
    return float(drawn.pvalue)


def estimate_correlations(
    experiment: Experiment, paper: Paper, rewards: Rewards, settings: ReportSettings, *, test: bool
) -> Correlations:
    """Return an experiment's correlations; the eight are tested over all epochs if `test`.

    Raises:
        PearlError: the reference has no runs.
    """
    run = rewards.method_of(Point(experiment.reference))
    if run is None:
        raise PearlError(f"{experiment.id}: {experiment.reference} has no runs.")
    users, n = flipped_users(run), len(run.seeds)
    columns = {name: users.stated[:, place] for place, name in enumerate(STATED)}
    columns[EXTREMITY] = extremity(users.stated)
    rho: dict[str, Interval] = {}
    tests: dict[str, Comparison] = {}
    epochs: dict[str, tuple[Interval, ...]] = {}
    for name, column in columns.items():
        found = correlation(column, users.error, confidence=settings.confidence, n_seeds=n)
        if found is None:
            continue
        rho[name] = found
        if test and name != EXTREMITY:
            stream = f"{experiment.id}/{name}"
            p = permutation_p(column, users.error, stream=stream, resamples=settings.resamples)
            tests[name] = Comparison(found, p, "permutation")
        told = [
            correlation(column, each, confidence=settings.confidence, n_seeds=n)
            for each in users.by_epoch.T
        ]
        if all(one is not None for one in told):
            epochs[name] = tuple(one for one in told if one is not None)
    claims = paper.of(experiment.id)
    p_values = paper.p_values.get(experiment.id, {})
    return Correlations(
        experiment, rewards, run, users, rho, tests, epochs, claims, p_values, settings
    )


def shown_names(table: Correlations) -> Sequence[str]:
    """Return the dimensions in falling order of their correlation, extremity last."""
    eight = [name for name in STATED if name in table.rho]
    ordered = sorted(eight, key=lambda name: -table.rho[name].estimate)
    return (*ordered, *(name for name in (EXTREMITY,) if name in table.rho))
