"""One run or pretrained network as MLflow will show it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pearl.runs.failures import DivergedError

METRIC_POINTS = 50
"""Most points of a curve or series in MLflow, whose writing and reading cost by the point; the
whole curve is an artifact."""
ROUNDS_OF = "/t"
"""A series of this ending holds the rounds at which the others of its folder stand."""
NO_ROUNDS = np.zeros(0, dtype=np.int64)
Arrays = Mapping[str, NDArray[np.float64]]


@dataclass(frozen=True)
class Entry:
    """What MLflow is told.

    `rounds` are those of the curves at hand, every round from the store, fewer from a results
    file; `curves` has one value a round under each name ("regret" among them), `series` arrays of
    any length. `times` are milliseconds since 1970 of start and end, None where they aren't
    known. `files` are shown as they are; without them the curves at hand are written as one.
    """

    key: str
    experiment: str
    title: str
    name: str
    description: str
    parameters: dict[str, str]
    tags: dict[str, str]
    metrics: dict[str, float]
    config: dict[str, Any]
    times: tuple[int, int] | None
    rounds: NDArray[np.int64] = field(default_factory=lambda: NO_ROUNDS)
    curves: Arrays = field(default_factory=dict)
    series: Arrays = field(default_factory=dict)
    files: tuple[Path, ...] = ()

    @property
    def failed(self) -> bool:
        """Whether this tells of a failure, not of something finished."""
        return self.tags["pearl.status"] != "finished"

    def thinned(self, name: str = "regret") -> list[tuple[int, float]]:
        """Return log-spaced points (round, value) of a curve, first and last in."""
        if len(self.rounds) == 0:
            return []
        ideal = np.geomspace(self.rounds[0], self.rounds[-1], METRIC_POINTS)
        chosen = np.unique(np.searchsorted(self.rounds, np.rint(ideal)))
        return [(int(self.rounds[i]), float(self.curves[name][i])) for i in chosen]

    def points(self) -> list[tuple[str, int, float]]:
        """Return every metric as (name, step, value).

        Facts stand at step 0, curves at their rounds; series at the rounds of their folder's "t"
        where it has one, else at 1..n, and evenly thinned.
        """
        found = [(name, 0, value) for name, value in self.metrics.items()]
        for name in self.curves:
            found += [(name, t, value) for t, value in self.thinned(name)]
        for name, values in self.series.items():
            rounds = self.series.get(name.rpartition("/")[0] + ROUNDS_OF)
            if rounds is values:
                continue
            if rounds is None or len(rounds) != len(values):
                rounds = np.arange(1.0, len(values) + 1)
            shown = np.linspace(0, len(values) - 1, min(len(values), METRIC_POINTS)).round()
            found += [(name, int(rounds[i]), float(values[i])) for i in shown.astype(np.intp)]
        return found

    def check_finite(self) -> None:
        """Refuse numbers that MLflow would take and later confuse.

        Raises:
            DivergedError: a metric, a curve or a series isn't finite.
        """
        wrong = [name for name, value in self.metrics.items() if not np.isfinite(value)]
        for name, values in {**self.curves, **self.series}.items():
            if not np.isfinite(values).all():
                wrong.append(name)
        if wrong:
            raise DivergedError(
                f"{self.name} ({self.key[:12]}): not finite, so not recorded: {', '.join(wrong)}.",
                remedy="The run is marked diverged in MLflow.",
            )
