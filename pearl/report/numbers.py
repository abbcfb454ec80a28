"""Numbers as the page prints them."""

from __future__ import annotations

import math

from pearl.report.statistics import Interval

MINUS = "\N{MINUS SIGN}"


def plain(value: float) -> str:
    """Print four significant digits, thousands grouped, no exponent for usual sizes."""
    if value == 0:
        return "0"
    magnitude = math.floor(math.log10(abs(value)))
    if magnitude < -4 or magnitude > 9:
        return format(value, ".3e").replace("-", MINUS)
    if float(value).is_integer():
        return f"{value:,.0f}".replace("-", MINUS)
    return f"{value:,.{min(6, max(0, 3 - magnitude))}f}".replace("-", MINUS)


def percent(share: float) -> str:
    """Print a share in [0, 1] in percent."""
    return f"{100 * share:.3g}%".replace("-", MINUS)


def regret(measured: Interval) -> str:
    """Print an estimate with its interval."""
    return f"{plain(measured.estimate)} {between(measured)}".strip()


def between(measured: Interval | None) -> str:
    """Print an interval as [low, high]; nothing where there is none."""
    if measured is None or measured.low is None or measured.high is None:
        return ""
    if measured.method == "degenerate":
        return "[all seeds equal]"
    return f"[{plain(measured.low)}, {plain(measured.high)}]"
