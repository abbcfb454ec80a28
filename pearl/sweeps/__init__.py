"""Sweeps: plan an experiment's runs, make the missing ones, record all; no Prefect, no DVC."""

from pearl.sweeps.chunk import execute_chunk, remove_chunks, write_chunks
from pearl.sweeps.estimates import Counted, Estimate, estimate
from pearl.sweeps.outcomes import SweepOutcome, finish, mixed_if_resumed
from pearl.sweeps.plans import Plan, plan
from pearl.sweeps.runners import RUNNERS, Runner, execute
from pearl.sweeps.sweeping import refresh_results, sweep

__all__ = [
    "RUNNERS",
    "Counted",
    "Estimate",
    "Plan",
    "Runner",
    "SweepOutcome",
    "estimate",
    "execute",
    "execute_chunk",
    "finish",
    "mixed_if_resumed",
    "plan",
    "refresh_results",
    "remove_chunks",
    "sweep",
    "write_chunks",
]
