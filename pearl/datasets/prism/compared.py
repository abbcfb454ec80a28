"""The sample's statistics beside the published ones: what `pearl data status` prints."""

from __future__ import annotations

from pathlib import Path

from pearl.datasets.dataset import Comparison


def compare(folder: Path) -> list[Comparison]:
    """Compare the publisher's-schema files of a folder with what was published."""
    return []
