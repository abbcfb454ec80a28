"""The slates of a folder, read once for the runs of a process."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from pearl.datasets.prism.slates import Slates, read_slates
from pearl.environments.prism_settings import PrismSettings
from pearl.files import SEAL


def load(settings: PrismSettings, tables: Path) -> Slates:
    """Read the slates, or return those of this process's last calls.

    Raises:
        DataError: the folder is missing or damaged, or holds fewer slates than are asked for.
    """
    folder = tables.resolve()
    sealed = folder / SEAL
    return _load(
        folder, settings.spread_points, sealed.stat().st_mtime_ns if sealed.exists() else 0
    )


@lru_cache(maxsize=4)
def _load(folder: Path, spread: int, written: int) -> Slates:
    return read_slates(folder, min_spread=spread)
