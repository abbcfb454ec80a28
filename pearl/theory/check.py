"""What a check of a statement says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Verdict = Literal["yes", "no", "vacuous"]


@dataclass(frozen=True)
class Check:
    """A statement of the paper beside what was seen.

    `statement` is what was checked, with its condition; `holds` is "no" where there is a
    counterexample and "vacuous" where it says no more than is known without it; `seen` tells the
    numbers.
    """

    statement: str
    place: str
    holds: Verdict
    seen: str
