"""Draws made of integers alone, so that the sample has the same bytes on every machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from pearl.randomness import generator

Integers = NDArray[np.int64]

SEED = 0
UNIT = 1000  # a standard deviation of `normals`
_SUMMANDS = 12


def integers(stream: str, high: int, shape: int | tuple[int, ...]) -> Integers:
    """Draw uniformly from 0, ..., high - 1."""
    drawn: Integers = generator(SEED, f"prism/{stream}").integers(0, high, shape)
    return drawn


def normals(stream: str, shape: int | tuple[int, ...]) -> Integers:
    """Draw nearly normal thousandths, mean 0 and sd 1000: twelve uniform draws added up."""
    sizes = (shape,) if isinstance(shape, int) else shape
    drawn: Integers = integers(stream, UNIT, (_SUMMANDS, *sizes)).sum(axis=0)
    return drawn - _SUMMANDS * (UNIT - 1) // 2


def shuffled(stream: str, values: Sequence[int] | Integers) -> Integers:
    """Return the values in random order."""
    return generator(SEED, f"prism/{stream}").permutation(np.asarray(values, dtype=np.int64))


def shares(counts: Mapping[str, int], total: int) -> dict[str, int]:
    """Scale counts so that they sum to `total`, by the largest remainders."""
    whole = sum(counts.values())
    scaled = {name: count * total // whole for name, count in counts.items()}
    remainders = sorted(counts, key=lambda name: -(counts[name] * total % whole))
    for name in remainders[: total - sum(scaled.values())]:
        scaled[name] += 1
    return scaled


def places(values: Integers, stream: str) -> Integers:
    """Rank each value from 0, equal ones in random order."""
    ties = integers(f"{stream}/ties", 1 << 40, len(values))
    ranks = np.empty(len(values), dtype=np.int64)
    ranks[np.lexsort((ties, values))] = np.arange(len(values))
    return ranks


def by_weights(ranks: Integers, weights: Integers) -> Integers:
    """Give the lowest ranks index 0, the next index 1, ..., in proportion to the weights."""
    bounds = np.cumsum(weights)
    cuts = (2 * bounds * len(ranks) + bounds[-1]) // (2 * bounds[-1])
    return np.searchsorted(cuts, ranks, side="right").astype(np.int64)


def by_quantiles(ranks: Integers, table: Mapping[int, int]) -> Integers:
    """Give each rank its value in a table per mille -> value, linear between the places."""
    at, values = np.array(list(table)) * 2 * len(ranks), np.array(list(table.values()))
    middle = (2 * ranks + 1) * 1000
    step = np.searchsorted(at, middle, side="right") - 1
    width = at[step + 1] - at[step]
    rise: Integers = (values[step + 1] - values[step]) * (middle - at[step]) // width
    return values[step] + rise


def dealt(stream: str, counts: Mapping[str, int], total: int) -> list[str]:
    """Deal names to `total` places at random, each as often as its share of the counts."""
    scaled = shares(counts, total)
    deck = [name for name, count in scaled.items() for _ in range(count)]
    return [deck[place] for place in shuffled(stream, range(total))]


def dealt_along(
    stream: str, counts: Mapping[str, int], along: Integers, noise: int = UNIT
) -> list[str]:
    """Deal names in their order to places sorted by `along` (thousandths) plus noise."""
    scaled = shares(counts, len(along))
    deck = [name for name, count in scaled.items() for _ in range(count)]
    noisy = along + normals(f"{stream}/noise", len(along)) * noise // UNIT
    return [deck[rank] for rank in places(noisy, stream)]
