"""Whether things as they are give a key, and if not, what stands in the way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pearl.errors import PearlError
from pearl.project import Project
from pearl.runs.spec import NO_DATA, SHORT, PlannedRun, RunSpec, flat
from pearl.sweeps.product import Setting

ABSENT = "nothing"


@dataclass(frozen=True)
class Origin:
    """A run that was made once, as far as it is known.

    `config` is None where only MLflow knows the run, `commit` where it wasn't recorded.
    """

    key: str
    name: str
    experiment: str
    profile: str
    source: str
    seed: int
    data: str
    code: str
    config: dict[str, Any] | None
    commit: str | None
    dirty: bool

    @classmethod
    def of(cls, run: PlannedRun, commit: str | None = None, *, dirty: bool = False) -> Origin:
        """Return the origin of a run whose spec is known."""
        spec: RunSpec = run.spec
        return cls(
            key=run.key,
            name=run.name,
            experiment=run.experiment,
            profile=run.profile,
            source=run.data_source,
            seed=spec.seed,
            data=spec.data,
            code=spec.code,
            config=spec.config,
            commit=commit,
            dirty=dirty,
        )

    @property
    def flag(self) -> str | None:
        """What --source must say; None where everything is simulated."""
        return None if self.source == NO_DATA else self.source


def obstacles(project: Project, origin: Origin) -> tuple[str, ...]:
    """Return what keeps the experiment, planned now, from having this key; empty where it has it.

    No tables are built and nothing is downloaded.
    """
    try:
        setting = Setting.of(project, origin.experiment, origin.profile)
        planned = list(setting.runs(setting.data_identity(origin.flag), [origin.seed]))
    except PearlError as error:
        return (f"it can't be planned: {error.problem}",)
    if any(run.key == origin.key for run in planned):
        return ()
    return tuple(_reasons(origin, [run.spec for run in planned]))


def _reasons(origin: Origin, planned: list[RunSpec]) -> Iterator[str]:
    now = planned[0]
    if now.code != origin.code:
        yield f"code: hash {origin.code[:SHORT]} then, {now.code[:SHORT]} now"
    if now.data != origin.data:
        yield f"data: fingerprint {origin.data or ABSENT} then, {now.data or ABSENT} now"
    if origin.config is not None:
        changes = min((_changes(origin.config, spec.config) for spec in planned), key=len)
        if changes:
            yield f"settings: {'; '.join(changes)}"
    elif (now.code, now.data) == (origin.code, origin.data):
        yield "settings: they differ (MLflow alone knows the run, so which isn't known)"


def _changes(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    old, new = flat(before), flat(now)
    return [
        f"{name} was {old.get(name, ABSENT)}, is {new.get(name, ABSENT)}"
        for name in dict.fromkeys([*old, *new])
        if name not in old or name not in new or old[name] != new[name]
    ]
