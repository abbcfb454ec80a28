"""How many rounds of a fixed block inform: the first M clear the memory, the next L are used."""

from __future__ import annotations

import math

from pearl.memory.method import Block


def block_length(rule: Block, *, memory: int, horizon: int, dimension: int) -> int:
    """Return L >= 1 of blocks of M + L rounds; nonpositive lengths are set to 1.

    original: ceil(sqrt(M/d) T^(1/4)) - M (OFUL-memory, Clerici et al. 2023, as inferred);
    refined: ceil(sqrt(M T / d)) - M (OFUL-memory improved, as inferred from its regret);
    sqrt_mt: floor(sqrt(M T)) - M (GLBM-SCB, as printed, and a variant of the refined rule).

    Args:
        rule: which of the three.
        memory: M >= 1.
        horizon: T >= 1.
        dimension: d >= 1.
    """
    if rule == "original":
        rounds = math.ceil(math.sqrt(memory / dimension) * math.sqrt(math.sqrt(horizon)))
    elif rule == "refined":
        rounds = math.ceil(math.sqrt(memory * horizon / dimension))
    else:
        rounds = math.isqrt(memory * horizon)
    return max(1, rounds - memory)
