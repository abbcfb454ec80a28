"""The store of runs: append-only, one folder a key, a claim that dies with its holder."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from filelock import FileLock, Timeout

from pearl.errors import PearlError
from pearl.runs.failures import Failure, check_finite, read_failure, write_failure
from pearl.runs.spec import PlannedRun
from pearl.runs.stored import StoredRun, read_run, write_run

if TYPE_CHECKING:
    from pearl.project import Project
    from pearl.simulation.trajectory import Trajectory


@dataclass(frozen=True)
class RunStore:
    """The folder `store/` of a project; it may be shared by any number of processes."""

    folder: Path

    @classmethod
    def of(cls, project: Project) -> RunStore:
        """Return a project's store."""
        return cls(project.store)

    def path(self, key: str) -> Path:
        """Return the folder of a run, whether it exists or not."""
        return self.folder / "runs" / key[:2] / key

    def has(self, key: str) -> bool:
        """Tell whether a run is there; whether it is whole is seen on reading."""
        return self.path(key).is_dir()

    def read(self, key: str) -> StoredRun:
        """Return a run; CorruptRunError where it is damaged, PearlError where it is missing."""
        if not self.has(key):
            raise PearlError(f"There is no run {key} in {self.folder}.")
        return read_run(self.path(key))

    def all_keys(self) -> list[str]:
        """Return the keys of all runs, sorted."""
        folders = (self.folder / "runs").glob("[0-9a-f][0-9a-f]/[0-9a-f]*")
        return sorted(folder.name for folder in folders if len(folder.name) == 64)

    def find(self, prefix: str) -> str:
        """Return the one key that begins with `prefix`.

        Raises:
            PearlError: none or several begin with it.
        """
        keys = [key for key in self.all_keys() if key.startswith(prefix)]
        if len(keys) == 1:
            return keys[0]
        if keys:
            shown = ", ".join(key[:12] for key in keys[:5])
            raise PearlError(f"{len(keys)} runs begin with {prefix!r}: {shown} ...")
        raise PearlError(
            f"No run begins with {prefix!r}.", remedy="`pearl runs list` shows the keys."
        )

    def write(self, run: PlannedRun, trajectory: Trajectory, machine: dict[str, Any]) -> StoredRun:
        """Add a run and forget its failures; the caller holds the claim.

        Raises:
            DivergedError: a number isn't finite; nothing is written.
        """
        check_finite(run, trajectory)
        write_run(self.path(run.key), run, trajectory, machine)
        self.failure_path(run.key).unlink(missing_ok=True)
        return self.read(run.key)

    def remove(self, key: str) -> None:
        """Delete a run and its failure, damaged or not, once nobody is making it."""
        with self.claim(key):
            folder = self.path(key)
            if folder.is_dir():
                # Renamed first: a removal that is killed leaves no half of a run under its key.
                retired = folder.with_name(f".{key}.{os.getpid()}-removed.part")
                os.replace(folder, retired)
                shutil.rmtree(retired)
            self.failure_path(key).unlink(missing_ok=True)

    @contextmanager
    def claim(self, key: str, *, wait: bool = True) -> Iterator[bool]:
        """Hold a key while its run is made; the kernel frees it when the process dies.

        Yields True when the claim is held; without `wait`, False when somebody else holds it.
        """
        lock = FileLock(self.folder / "locks" / f"{key}.lock")
        Path(lock.lock_file).parent.mkdir(parents=True, exist_ok=True)
        try:
            lock.acquire(timeout=-1 if wait else 0, poll_interval=0.1)
        except Timeout:
            yield False
            return
        try:
            yield True
        finally:
            lock.release()

    def failure_path(self, key: str) -> Path:
        """Return the file of a run's failure, whether it exists or not."""
        return self.folder / "failures" / f"{key}.json"

    def failure(self, key: str) -> Failure | None:
        """Return a run's last failure, if its last attempt failed."""
        return read_failure(self.failure_path(key))

    def failure_files(self) -> list[Path]:
        """Return the files of all failures, sorted by key; reading one may find it damaged."""
        return sorted((self.folder / "failures").glob("*.json"))

    def failures(self) -> list[Failure]:
        """Return all failures, sorted by key; PearlError where a record is damaged."""
        return [failure for file in self.failure_files() if (failure := read_failure(file))]

    def add_failure(self, run: PlannedRun, error: Exception) -> Failure:
        """Write down a failed attempt."""
        return write_failure(self.folder / "failures", run, error)
