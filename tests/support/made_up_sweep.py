"""Result rows of sweeps that no run made: invented regrets at the scale of the paper's."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from pearl.experiments import Experiment

LABELS = {
    "rsm_linucb": "RSM-LinUCB",
    "oful_original": "OFUL-memory (original)",
    "oful_refined": "OFUL-memory (refined)",
    "oful_sqrt_mt": "OFUL-memory (\N{SQUARE ROOT}(MT))",
    "glbm_scb_gram": "GLBM-SCB (\N{GREEK SMALL LETTER LAMDA} in V)",
    "glbm_scb_slope": "GLBM-SCB (\N{GREEK SMALL LETTER LAMDA} in H)",
    "myopic_linucb": "Myopic LinUCB",
}
LEVELS = {
    "rsm_linucb": 4100.0,
    "oful_original": 94000.0,
    "oful_refined": 11000.0,
    "oful_sqrt_mt": 30000.0,
    "glbm_scb_gram": 82000.0,
    "glbm_scb_slope": 35000.0,
    "myopic_linucb": 499000.0,
}
"""Final regret at the base setting."""
BASE = {"memory": 100, "feature_bound": 1.0, "norm_bound": 1.0, "direction": "normal"}
HORIZON = 1_000_000

Level = Callable[[str, dict[str, Any]], float]
"""Method, settings -> its mean final regret."""


def level(method: str, settings: dict[str, Any]) -> float:
    """Grow with the square root of M, and with R S."""
    size = float(settings["feature_bound"]) * float(settings["norm_bound"])
    return LEVELS[method] * (float(settings["memory"]) / 100) ** 0.5 * size


def experiment(
    *,
    grid: Mapping[str, Sequence[Any]] | None = None,
    variants: Mapping[str, dict[str, Any]] | None = None,
    methods: Sequence[str] = tuple(LEVELS),
    **changes: Any,
) -> Experiment:
    """Return an experiment on the run-length instance that sweeps what is named."""
    named = {
        "id": "memory/figure1b",
        "title": "Run lengths: regret by memory",
        "paper": "memory",
        "place": "Figure 1 (B)",
        "question": "?",
        "environment": "run_length",
        "horizon": HORIZON,
        "seeds": 30,
        "methods": tuple(methods),
        "reference": methods[0],
        "grid": {name: tuple(values) for name, values in (grid or {}).items()},
        "variants": dict(variants or {}),
        "report": {"table": "regret_by_setting", "figure": "regret_by_setting"},
    }
    return Experiment(**{**named, **changes})


def frame(
    of: Experiment,
    *,
    seeds: int = 3,
    spread: float = 0.05,
    at: Level = level,
    horizon: int = HORIZON,
    facts: Mapping[str, Any] | None = None,
) -> pd.DataFrame:
    """Return an experiment's rows; final regret = level (1 + spread times an offset of the seed).

    Seed and method give the offset, so that a difference of two methods varies with the seed.
    """
    t = np.unique(np.geomspace(1, horizon, 80).astype(np.int64))
    settings = [("", {**BASE, **of.settings})]
    for name, values in of.grid.items():
        settings = [(word, {**one, name: value}) for word, one in settings for value in values]
    settings += [(word, {**BASE, **of.settings, **laid}) for word, laid in of.variants.items()]
    rows = []
    for variant, one in settings:
        for place, method in enumerate(of.methods):
            for seed in range(seeds):
                offset = np.sin(1.0 + 2.3 * seed) + 0.3 * np.cos(1.7 * seed * (place + 1))
                final = at(method, one) * (1 + spread * offset)
                word = f"{method} {seed} {horizon} {sorted(one.items())}"
                growth = 1.0 if method.startswith("myopic") else 0.6
                metrics = {"final_regret": final, "episodes": 92 + place, **(facts or {})}
                rows.append(
                    {
                        "key": hashlib.sha256(word.encode()).hexdigest(),
                        "experiment": of.id,
                        "profile": "paper",
                        "method": method,
                        "label": LABELS[method],
                        "seed": seed,
                        "settings": json.dumps({"kind": of.environment, **one}),
                        "horizon": horizon,
                        "data_source": "none",
                        "data_fingerprint": "",
                        "provenance": None,
                        "name": method,
                        "variant": variant,
                        "config": "{}",
                        "code": "0" * 64,
                        **{f"metric.{name}": value for name, value in metrics.items()},
                        "curve_t": t.tolist(),
                        "curve_regret": (final * (t / horizon) ** growth).tolist(),
                        "episode_starts": [1],
                    }
                )
    return pd.DataFrame(rows).sort_values("key", ignore_index=True)
