"""Tests that tell a drift of the errors, from river: Page and Hinkley's CUSUM, and ADWIN.

What they see is |r - mu| over what the learner expects of it: s sqrt(1 + x'P x) with s^2 the mean
of (r - mu)^2 / (1 + x'P x) over the whole run so far, which nothing resets. Only a rise of the
standardised error is an alarm; since that yardstick follows a lasting fall slowly, the standardised
error rises back towards 1 after one, and ADWIN may take that for a rise.
"""

from __future__ import annotations

import math
from typing import Any

# Here and not where it is used: it brings libraries whose threads a worker counts beforehand.
from river.drift import ADWIN, PageHinkley

from pearl.bandits.linear_method import LinearMethod

WARM_UP = 100  # rounds in which a new learner's errors fall by themselves
SLACK = 0.1  # of the standardised error: Page and Hinkley's allowance for a change of no interest


class DriftTest:
    """A test on standardised errors; feed it every round."""

    def __init__(self, method: LinearMethod, rate: float) -> None:
        """Start the test.

        Args:
            method: its trigger names the test, its `hold` how long it rests after an alarm.
            rate: page_hinkley: the threshold of its statistic; adwin: its significance.
        """
        self._adwin = method.trigger == "adwin"
        self._test: Any = (
            ADWIN(delta=rate, clock=1)
            if self._adwin
            else PageHinkley(min_instances=30, delta=SLACK, threshold=rate, mode="up")
        )
        self._hold, self._rest, self._seen = method.hold, 0, 0
        self._total, self._count = 0.0, 0

    def alarm(self, error: float, variance: float) -> bool:
        """Take in r - mu and x'P x of a round; return whether standardised errors have risen."""
        square = error * error / (1.0 + variance)
        self._seen += 1
        if self._seen <= WARM_UP:
            if self._seen > WARM_UP // 2:
                self._learn(square)
            return False
        if self._rest > 0:
            self._rest -= 1
            return False
        if self._total == 0.0:
            return False
        typical = self._total / self._count
        before = self._test.estimation if self._adwin else 0.0
        self._test.update(math.sqrt(square / typical))
        self._learn(square)
        if not self._test.drift_detected:
            return False
        if self._adwin and self._test.estimation <= before:
            return False
        self._rest = self._hold
        return True

    def _learn(self, square: float) -> None:
        self._total += square
        self._count += 1
