"""Pretrained networks on disk: one sealed folder a key, made under a claim, shared by runs."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from pearl.errors import PearlError
from pearl.files import seal, seal_fault, whole_folder
from pearl.project import Project
from pearl.runs.failures import DivergedError
from pearl.runs.spec import SHORT, PlannedNetwork
from pearl.runs.store import RunStore

ARRAYS = "arrays.npz"
LOSS = "loss"
"""The array that holds the loss by epoch, where there is one."""
Arrays = Mapping[str, NDArray[Any]]


class CorruptNetworkError(PearlError):
    """A pretrained network's folder isn't what was written."""

    def __init__(self, folder: Path, problem: str) -> None:
        super().__init__(
            f"{folder}: this pretrained network is damaged: {problem}.",
            remedy=f"`pearl runs rm {folder.name[:SHORT]} --yes` removes it; the next run that"
            " needs it makes it anew.",
        )


@dataclass(frozen=True)
class StoredNetwork:
    """A network that was made; `machine` tells where and when, and in how many seconds."""

    folder: Path
    network: PlannedNetwork
    machine: dict[str, Any]

    @property
    def key(self) -> str:
        """The network's key."""
        return self.network.key

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return what the pretraining returned."""
        try:
            with np.load(self.folder / ARRAYS, allow_pickle=False) as archive:
                return {name: archive[name] for name in archive.files}
        except (OSError, ValueError, BadZipFile) as error:
            raise CorruptNetworkError(self.folder, f"{ARRAYS}: {error}") from error


@dataclass(frozen=True)
class NetworkStore:
    """The folder `store/pretrained/` beside the runs; any number of processes may share it."""

    runs: RunStore

    @classmethod
    def of(cls, project: Project) -> NetworkStore:
        """Return a project's store."""
        return cls(RunStore.of(project))

    def path(self, key: str) -> Path:
        """Return the folder of a network, whether it exists or not."""
        return self.runs.folder / "pretrained" / key[:2] / key

    def has(self, key: str) -> bool:
        """Tell whether a network is there; whether it is whole is seen on reading."""
        return self.path(key).is_dir()

    def all_keys(self) -> list[str]:
        """Return the keys of all networks, sorted."""
        folders = (self.runs.folder / "pretrained").glob("[0-9a-f][0-9a-f]/[0-9a-f]*")
        return sorted(folder.name for folder in folders if len(folder.name) == 64)

    def find(self, prefix: str) -> str | None:
        """Return the one key that begins with `prefix`; None where not exactly one does."""
        keys = [key for key in self.all_keys() if key.startswith(prefix)]
        return keys[0] if len(keys) == 1 and prefix else None

    def claim(self, key: str) -> AbstractContextManager[bool]:
        """Hold a key while its network is made; waits for whoever holds it."""
        return self.runs.claim(key)

    def read(self, key: str) -> StoredNetwork:
        """Return a network; CorruptNetworkError where it is damaged or missing."""
        folder = self.path(key)
        if fault := seal_fault(folder):
            raise CorruptNetworkError(folder, fault)
        try:
            content = json.loads((folder / "spec.json").read_text(encoding="utf-8"))
            machine = json.loads((folder / "machine.json").read_text(encoding="utf-8"))
            network = PlannedNetwork.model_validate(content)
        except (OSError, ValueError, ValidationError) as error:
            raise CorruptNetworkError(folder, f"spec.json or machine.json: {error}") from error
        if network.key != key or not (folder / ARRAYS).is_file():
            raise CorruptNetworkError(folder, f"it holds the network {network.key}")
        return StoredNetwork(folder, network, machine)

    def write(self, network: PlannedNetwork, arrays: Arrays, machine: Mapping[str, Any]) -> None:
        """Add a network; the caller holds the claim.

        Raises:
            DivergedError: a number isn't finite; nothing is written.
            PearlError: something isn't an array of numbers, or the loss isn't one an epoch.
        """
        for name, values in arrays.items():
            if not (isinstance(values, np.ndarray) and values.dtype.kind in "fiub"):
                raise PearlError(f"{network.name}: {name} is no array of numbers.")
            if name == LOSS and values.ndim != 1:
                raise PearlError(f"{network.name}: {name} isn't one number an epoch.")
            if not np.isfinite(values).all():
                raise DivergedError(f"{network.name}: diverged, {name} isn't finite.")
        with whole_folder(self.path(network.key)) as folder:
            np.savez(folder / ARRAYS, allow_pickle=False, **dict(arrays))
            _write_json(folder / "spec.json", network.model_dump(mode="json"))
            _write_json(folder / "machine.json", dict(machine))
            seal(folder)

    def remove(self, key: str) -> None:
        """Delete a network, damaged or not, once nobody is making it."""
        with self.claim(key):
            folder = self.path(key)
            if folder.is_dir():
                retired = folder.with_name(f".{key}.{os.getpid()}-removed.part")
                os.replace(folder, retired)
                shutil.rmtree(retired)


def _write_json(path: Path, content: dict[str, Any]) -> None:
    text = json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False, allow_nan=False)
    path.write_text(text + "\n", encoding="utf-8")
