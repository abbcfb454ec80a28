"""Numbers as the page prints them."""

from __future__ import annotations

import math
from collections.abc import Callable

from pearl.report.statistics import Interval

MINUS = "\N{MINUS SIGN}"


def plain(value: float, decimals: int | None = None) -> str:
    """Print four significant digits, or `decimals`; thousands grouped, whole numbers whole."""
    places = decimals_of(value) if decimals is None else decimals
    # z: what rounds to zero has no sign.
    text = f"{value:z,.{places}f}"
    if decimals is None and value != 0 and float(text.replace(",", "")) == 0:
        text = format(value, ".2e")
    return text.replace("-", MINUS)


def decimals_of(value: float) -> int:
    """Return how many decimals show four significant digits of `value`; 0 for whole numbers."""
    if float(value).is_integer():
        return 0
    return min(6, max(0, 3 - math.floor(math.log10(abs(value)))))


def percent(share: float) -> str:
    """Print a share in [0, 1] in percent."""
    return f"{100 * share:.3g}%"


def between(measured: Interval | None, decimals: int | None = None) -> str:
    """Print an interval as [low, high] with the estimate's decimals; nothing where there is none.

    Equal values of all seeds are said in words: such an interval tells nothing.
    """
    if measured is None or measured.low is None or measured.high is None:
        return ""
    if measured.method == "degenerate":
        return "(all seeds equal)"
    places = decimals_of(measured.estimate) if decimals is None else decimals
    if places == 0 and not (measured.low.is_integer() and measured.high.is_integer()):
        places = 1
    return f"[{plain(measured.low, places)}, {plain(measured.high, places)}]"


def regret(measured: Interval) -> str:
    """Print an estimate with its interval."""
    return f"{plain(measured.estimate)} {between(measured)}".strip()


def reward(value: float) -> str:
    """Print an average reward as the paper does: three decimals, no leading zero (.641)."""
    return _bare(f"{value:z.3f}")


def difference(value: float) -> str:
    """Print a difference of rewards with its sign: +.025; what rounds to zero has none."""
    text = f"{value:+z.3f}"
    return ".000" if text == "+0.000" else _bare(text)


def p_value(value: float) -> str:
    """Print a p- or q-value with three decimals: .066, <.001."""
    return "<.001" if value < 0.001 else _bare(f"{value:.3f}")


def _bare(text: str) -> str:
    """Return a number without its leading zero, its minus as typesetters have it."""
    sign = text[0] if text[0] in "+-" else ""
    digits = text.removeprefix(sign)
    return (sign + (digits[1:] if digits.startswith("0.") else digits)).replace("-", MINUS)


def within(measured: Interval | None, printed: Callable[[float], str]) -> str:
    """Print an interval as [low, high] by `printed`; nothing where there is none."""
    if measured is None or measured.low is None or measured.high is None:
        return ""
    if measured.method == "degenerate":
        return "(all seeds equal)"
    return f"[{printed(measured.low)}, {printed(measured.high)}]"
