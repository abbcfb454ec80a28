"""Seeds as people write them: a count, a list, or text such as "0-2" and "0,3,5"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pearl.errors import SettingError


def read_seeds(seeds: int | Sequence[int] | str) -> tuple[int, ...]:
    """Return distinct seeds, ascending; an integer n means 0..n-1, a text the seeds it names.

    Raises:
        SettingError: the text is neither numbers nor ranges, or a range runs backwards.
    """
    if isinstance(seeds, int):
        return tuple(range(seeds))
    if not isinstance(seeds, str):
        return tuple(sorted(set(seeds)))
    chosen: set[int] = set()
    for part in seeds.split(","):
        match = re.fullmatch(r"\s*(\d+)(?:\s*-\s*(\d+))?\s*", part)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if last < first:
            raise SettingError(
                f"--seeds {seeds}: {part.strip()!r} is no seed and no range.",
                remedy="Write seeds and ranges such as 0-2 or 0,3,5.",
            )
        chosen.update(range(first, last + 1))
    return tuple(sorted(chosen))
