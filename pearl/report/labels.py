"""Names beside lines, moved apart where they would overlap."""

from __future__ import annotations

from collections.abc import Sequence


def apart(
    wanted: Sequence[float],
    heights: Sequence[float],
    floor: float,
    ceiling: float | None = None,
) -> list[float]:
    """Return places in the same order, each `heights[i]` above the next lower, near `wanted`.

    None lies below `floor`, and none above `ceiling` as long as they all fit between the two.
    """
    places = list(wanted)
    for _ in range(500):
        for i in range(1, len(places)):
            overlap = heights[i] - (places[i] - places[i - 1])
            if overlap > 1e-6:
                places[i] += overlap / 2
                places[i - 1] -= overlap / 2
        if places and ceiling is not None and places[-1] > ceiling:
            places[-1] = ceiling
        if places and places[0] < floor:
            places[0] = floor
    return places
