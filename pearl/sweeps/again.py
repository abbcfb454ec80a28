"""A stored run made a second time beside the store, and held against the first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pearl.errors import PearlError
from pearl.experiments.environment import load_object
from pearl.runs.comparing import differences
from pearl.runs.machine import machine_facts
from pearl.runs.pretrained import NetworkStore
from pearl.sweeps.making import make
from pearl.sweeps.plans import Plan
from pearl.sweeps.threads import one_blas_thread

CAUSES = ("python", "packages", "blas", "processor")


def make_again(plan: Plan) -> tuple[str, ...]:
    """Make the plan's one stored run again and return what differs, the store left as it is.

    Where something differs, what is other about the machine stands after it.

    Raises:
        PearlError: the run fails now.
    """
    [stored], [run] = plan.found, plan.runs
    entry = load_object(run.entry)
    with one_blas_thread():
        try:
            facts, networks = machine_facts(plan.project.root), NetworkStore.of(plan.project)
            trajectory, machine = make(run, entry, plan.data.tables, facts, networks)
        except PearlError:
            raise
        except Exception as error:
            raise PearlError(
                f"{run.name} fails now: {type(error).__name__}: {error}",
                remedy="The stored run is kept as it is.",
            ) from error
    found = differences(stored, trajectory)
    return (*found, *_causes(stored.machine, machine)) if found else ()


def _causes(before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    for name in CAUSES:
        if before.get(name) != now.get(name):
            yield f"perhaps because of {name}: {before.get(name)} then, {now.get(name)} now"
