"""The one code path that reads MLflow: page by page, by key or by run id."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pearl.errors import PearlError
from pearl.project import Project
from pearl.tracking.store import KEY_TAG, finished, reader, recorded, require


@dataclass(frozen=True)
class TrackedRun:
    """One run as MLflow has it; `status` is MLflow's: FINISHED, FAILED or RUNNING."""

    run_id: str
    key: str
    name: str
    status: str
    parameters: dict[str, str]
    tags: dict[str, str]
    metrics: dict[str, float]


def keys(project: Project) -> set[str]:
    """Return the keys of all finished runs; empty where there is no store."""
    return finished(project)


def runs(
    project: Project, experiment: str | None = None, *, page: int = 200
) -> Iterator[TrackedRun]:
    """Yield pearl's runs, newest first, asking for `page` of them at a time.

    Args:
        project: the project whose store is read.
        experiment: pearl's id such as memory/figure1e; all by default.
        page: runs a request, 1 to 50,000.

    Raises:
        PearlError: there is no store.
    """
    client = reader(project)
    places = [found.experiment_id for found in client.search_experiments()]
    wanted = f"tags.`pearl.experiment` = '{experiment}'" if experiment else "tags.`pearl.key` != ''"
    token = None
    while True:
        found = client.search_runs(places, wanted, max_results=page, page_token=token)
        yield from (_tracked(run) for run in found)
        token = found.token
        if not token:
            return


def find(project: Project, key_or_id: str) -> TrackedRun:
    """Return the run with this MLflow id, this key, or the one key that begins so.

    Raises:
        PearlError: none or several keys fit, or there is no store.
    """
    require(project)
    known = recorded(project)
    ids = {run_id: key for key, found in known.items() for run_id, _ in found}
    if key_or_id in ids:
        return _tracked(reader(project).get_run(key_or_id))
    fitting = sorted(key for key in known if key.startswith(key_or_id))
    if len(fitting) != 1:
        raise PearlError(
            f"{len(fitting)} tracked runs have an id or key {key_or_id!r}.",
            remedy="`pearl runs list` shows the keys; `pearl track sync` records what is missing.",
        )
    return _tracked(reader(project).get_run(known[fitting[0]][0][0]))


def _tracked(run: Any) -> TrackedRun:
    return TrackedRun(
        run_id=run.info.run_id,
        key=run.data.tags.get(KEY_TAG, ""),
        name=run.info.run_name,
        status=run.info.status,
        parameters=dict(run.data.params),
        tags=dict(run.data.tags),
        metrics=dict(run.data.metrics),
    )
