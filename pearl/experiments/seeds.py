"""Seeds as people write them: a count, a list, or text such as "0-2" and "0,3,5"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pearl.errors import SettingError

LIMIT = 2**63
"""Seeds lie below it."""
MOST = 10_000
"""Seeds at once; more are a slip of the pen."""


def read_seeds(seeds: int | Sequence[int] | str) -> tuple[int, ...]:
    """Return distinct seeds, ascending; an integer n means 0..n-1, a text the seeds it names.

    Raises:
        SettingError: the text is neither numbers nor ranges, a range runs backwards, a seed is
            2^63 or more, or there are more than 10,000 of them.
    """
    if isinstance(seeds, int):
        return tuple(range(seeds))
    if not isinstance(seeds, str):
        return tuple(sorted(set(seeds)))
    chosen: set[int] = set()
    for part in seeds.split(","):
        match = re.fullmatch(r" *([0-9]{1,19})(?: *- *([0-9]{1,19}))? *", part)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if last < first:
            raise _refused(seeds, f"{part.strip()!r} is no seed and no range.")
        if last >= LIMIT:
            raise _refused(seeds, f"{last} is too large: seeds lie below 2^63.")
        if len(chosen) + last - first >= MOST:
            raise _refused(seeds, f"more than {MOST:,} seeds.")
        chosen.update(range(first, last + 1))
    return tuple(sorted(chosen))


def _refused(seeds: str, problem: str) -> SettingError:
    remedy = "Write seeds and ranges such as 0-2 or 0,3,5."
    return SettingError(f"--seeds {seeds}: {problem}", remedy=remedy)
