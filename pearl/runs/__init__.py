"""Runs: what determines one, where it is kept, and how many of them become a results file."""

from pearl.runs.code import code_hash
from pearl.runs.failures import DivergedError, Failure
from pearl.runs.machine import machine_facts, mixed_versions
from pearl.runs.spec import PlannedRun, RunSpec
from pearl.runs.store import RunStore
from pearl.runs.stored import CorruptRunError, StoredRun

__all__ = [
    "CorruptRunError",
    "DivergedError",
    "Failure",
    "PlannedRun",
    "RunSpec",
    "RunStore",
    "StoredRun",
    "code_hash",
    "machine_facts",
    "mixed_versions",
]
