"""`pearl cost`: what a selection and an eigendecomposition take here, beside the paper."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

USERS, STATED, ARM, K = 1395, 8, 384, 4  # PRISM's, Section 8.2
SEEN = 500
"""Interactions before the measurement, so that A^-1 is no longer near the identity."""
PAPER = {
    "parameters": "about 100K (abstract)",
    "selection": "milliseconds (abstract)",
    "eigendecomposition": "under 1 ms (Section 3.4)",
}


def cost(
    repeats: Annotated[int, typer.Option(min=10, help="How often each is timed.")] = 500,
) -> None:
    """Measure PEARL's size and times on this machine; they stand in no report.

    The network is PRISM's in size and untrained, which changes no time. The injection rate needs
    runs: it stands in `pearl report`.
    """
    import numpy as np
    from rich.table import Table
    from threadpoolctl import threadpool_limits

    from pearl.bandits.method import load_methods
    from pearl.bandits.network import TrainingSettings, initial_weights
    from pearl.bandits.policy import Policy
    from pearl.cli.consoles import wide_console
    from pearl.randomness import generator

    training = TrainingSettings()
    weights = initial_weights(training, USERS, STATED, ARM, 0)
    draw = generator(0, "cost")
    stated = draw.random((USERS, STATED)).astype(np.float32)
    arms = draw.standard_normal((SEEN, ARM)).astype(np.float32)
    arms /= np.sqrt((arms**2).sum(axis=1, keepdims=True))
    policy = Policy(load_methods()["pearl"], weights, stated, training, update_interval=None)
    for turn in range(SEEN):
        policy.update(turn % USERS, arms[turn], 0.5)
    inverse = np.array(policy.state.inverse)
    selected = _median(lambda: policy.select(3, arms[:K]), repeats)
    with threadpool_limits(1):
        decomposed = _median(lambda: np.linalg.eigh(inverse), repeats)
    size = weights.parameters
    table = Table("what", "here", "the paper says")
    table.add_row(
        "parameters",
        f"{size:,} ({size - weights.users.size:,} and {USERS:,} users' embeddings)",
        PAPER["parameters"],
    )
    table.add_row(f"a selection, K = {K}", _shown(selected), PAPER["selection"])
    table.add_row(
        f"an eigendecomposition, d = {training.hidden}",
        f"{_shown(decomposed)}; pearl's cap is exact without it",
        PAPER["eigendecomposition"],
    )
    console = wide_console()
    console.print(table)
    console.print(f"Medians of {repeats} on this machine, one thread.", highlight=False)


def _median(call: Callable[[], object], repeats: int) -> float:
    """Return the median time of a call, seconds; the first ones, which compile, don't count."""
    from statistics import median
    from time import perf_counter

    for _ in range(3):
        call()
    times = []
    for _ in range(repeats):
        start = perf_counter()
        call()
        times.append(perf_counter() - start)
    return median(times)


def _shown(seconds: float) -> str:
    return f"{1e3 * seconds:.2f} ms" if seconds >= 1e-4 else f"{1e6 * seconds:.0f} microseconds"
