"""How many users and interactions PRISM's world has under given settings (Table 4)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from pearl.datasets.prism.slates import SLATE_SIZE
from pearl.datasets.prism.tables import read_tables
from pearl.environments.prism_settings import read_settings
from pearl.environments.prism_split import pretraining_counts


def interaction_counts(tables: Path, settings: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    """Count users, retained interactions, and their split; no seed changes a count.

    Args:
        tables: the folder of PRISM's tables.
        settings: those of PrismSettings, and the `horizon` in epochs.
    """
    epochs = int(settings["horizon"])
    world = read_settings({name: each for name, each in settings.items() if name != "horizon"})
    survey, openings = read_tables(tables)
    retained = openings.retained(world.spread_points)
    counts = np.bincount(openings.user[retained], minlength=len(survey.users))
    pretraining = int(pretraining_counts(counts, world).sum())
    online = len(retained) - pretraining
    played = epochs if world.interactions == "replay" else 1
    return {
        "summary": {
            "users": float(len(survey.users)),
            "users with interactions": float((counts > 0).sum()),
            "candidates": float(SLATE_SIZE),
            "interactions": float(len(retained)),
            "pretraining": float(pretraining),
            "online": float(online),
            "total": float(online * played),
        }
    }
