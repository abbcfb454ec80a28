"""Result rows that no run made: smooth invented curves, in the shape of results/*.parquet."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from pearl.provenance import FileFacts, Provenance

LEVELS = {
    "rsm_linucb": ("RSM-LinUCB", 100.0),
    "rsm_linucb_unclipped": ("RSM-LinUCB (not clipped)", 103.0),
    "rsm_linucb_estimate": ("RSM-LinUCB (ties to the estimate)", 92.0),
    "myopic_linucb": ("Myopic LinUCB", 130.0),
    "myopic_linucb_directions": ("Myopic LinUCB (24 directions, clipped)", 160.0),
    "random_union": ("Random fixed union", 101.0),
}
FACTS = {
    "instance/construction_requests": 4978,
    "instance/calibration_requests": 2230,
    "instance/evaluation_requests": 4823,
    "instance/actions": 855,
    "instance/segments": 864,
    "instance/theta_star_norm": 0.11567,
    "instance/norm_bound": 0.14477,
    "instance/regularization": 286.30,
}
CLIPPED = {"clip_tie_share": 1.0, "clip_all_share": 1.0, "lowest_score_over_bound": 6.7}
CLIPS = {
    "rsm_linucb": CLIPPED,
    "rsm_linucb_unclipped": {"clip_would_tie_share": 0.98, "lowest_score_over_bound": 6.5},
    "rsm_linucb_estimate": CLIPPED,
    "myopic_linucb": {"clip_would_tie_share": 0.0},
    "myopic_linucb_directions": {"clip_tie_share": 0.25},
    "myopic_linucb_directions_once": {"clip_tie_share": 0.99},
}
"""Only a method that clips can tie; the others may tell what clipping would have tied."""


def provenance(source: str) -> Provenance:
    label = {
        "sample": "sample data made by pearl's generator, not Mooncake",
        "mirror": "Mooncake conversation trace (mirror)",
        "hub": "Mooncake conversation trace (hub)",
    }[source]
    return Provenance(
        dataset="mooncake",
        source=source,
        publisher="nobody",
        revision="made up",
        url="nowhere",
        licence="Apache-2.0",
        commercial=True,
        files=(FileFacts(name="trace.jsonl", sha256="ab" * 32, byte_count=1),),
        rows=7,
        label=label,
    )


def frame(
    *,
    profile: str = "paper",
    source: str = "mirror",
    seeds: int = 3,
    horizon: int = 100_000,
    memory: int = 180,
    levels: Mapping[str, tuple[str, float]] = LEVELS,
    spread: float = 1.0,
    facts: Mapping[str, Any] = FACTS,
) -> pd.DataFrame:
    """Return rows whose final regret is level + spread * (a fixed offset of seed and method)."""
    t = np.unique(np.concatenate([np.geomspace(1, horizon, 60), np.linspace(1, horizon, 60)]))
    t = np.unique(np.concatenate([t.astype(np.int64), [horizon // 100, horizon // 10, horizon]]))
    told, rows = provenance(source), []
    for place, (method, (label, level)) in enumerate(levels.items()):
        for seed in range(seeds):
            offset = np.sin(1.0 + 2.3 * seed) + 0.3 * np.cos(1.7 * seed * (place + 1))
            final = level + spread * offset
            word = f"{method} {seed} {profile} {source} {horizon} {memory}"
            episodes = horizon if method.startswith("myopic") else 79 - place
            extra = CLIPS.get(method, {})
            metrics = {"final_regret": final, "episodes": episodes, **facts, **extra}
            rows.append(
                {
                    "key": hashlib.sha256(word.encode()).hexdigest(),
                    "experiment": "memory/figure1e",
                    "profile": profile,
                    "method": method,
                    "label": label,
                    "seed": seed,
                    "settings": json.dumps({"kind": "kv_cache", "memory": memory}),
                    "horizon": horizon,
                    "data_source": source,
                    "data_fingerprint": told.fingerprint,
                    "provenance": told.to_json(),
                    "name": f"{label} · M={memory}",
                    "config": "{}",
                    "code": "0" * 64,
                    **{f"metric.{name}": value for name, value in metrics.items()},
                    "curve_t": t.tolist(),
                    "curve_regret": (final * (t / horizon) ** 0.6).tolist(),
                    "episode_starts": [1],
                }
            )
    return pd.DataFrame(rows).sort_values("key", ignore_index=True)
