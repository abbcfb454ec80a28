"""Finished runs as the report reads them: one profile, one source, one data set, paired seeds."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from pearl.errors import PearlError
from pearl.provenance import Provenance
from pearl.report.statistics import Floats

METRIC, FACT, SERIES, USER = "metric.", "fact.", "series.", "user."
SIMULATED = "simulated, no data set"


@dataclass(frozen=True)
class MethodRuns:
    """One method's runs in ascending order of seeds.

    `curves` is the cumulative regret, shape (seeds, points), at the rounds `Runs.rounds`. `series`
    are the runs' own, by name, shape (seeds, n) each; one that not every run carries is left out.
    `users` is what the rows tell of each user, by name, shape (seeds, users, n).
    """

    name: str
    label: str
    seeds: tuple[int, ...]
    keys: tuple[str, ...]
    metrics: dict[str, tuple[Any, ...]]
    curves: Floats
    series: dict[str, Floats] = field(default_factory=dict)
    users: dict[str, Floats] = field(default_factory=dict)

    def metric(self, name: str) -> Floats | None:
        """Return a numeric metric, one value a seed, or None where the runs don't carry it."""
        values = self.metrics.get(name)
        if values is None or any(value is None for value in values):
            return None
        return np.array(values, dtype=np.float64)

    def told(self, name: str) -> Floats:
        """Return what the rows tell of each user, by epoch or else in total (n = 1).

        Raises:
            PearlError: they don't tell it.
        """
        for known in (name, f"{name}.total"):
            if known in self.users:
                return self.users[known]
        raise PearlError(
            f"The results of {self.label} don't tell {name} of each user.",
            remedy="They were made by an earlier version: make them again.",
        )

    def at(self, seeds: Sequence[int]) -> list[int]:
        """Return the positions of `seeds` among this method's."""
        return [self.seeds.index(seed) for seed in seeds]


@dataclass(frozen=True)
class Runs:
    """All runs of one experiment under one profile, source, data set, settings and horizon.

    `rounds` are the sampled t of every curve; `facts` the texts on which all runs agree. `variant`
    names the experiment's variant, "" its base. Simulated runs stand on no data: provenance None.
    """

    experiment: str
    profile: str
    source: str
    provenance: Provenance | None
    settings: dict[str, Any]
    horizon: int
    rounds: tuple[int, ...]
    facts: dict[str, str]
    methods: dict[str, MethodRuns]
    variant: str = ""

    @property
    def data_label(self) -> str:
        """What a table prints beneath itself about its data."""
        return SIMULATED if self.provenance is None else self.provenance.label

    @property
    def on_sample_data(self) -> bool:
        """Whether the data was made by pearl's generator."""
        return self.source == "sample"

    def of_instance(self, name: str) -> tuple[Floats, tuple[str, ...]] | None:
        """Return a metric of the instance, which is the same for every method.

        Returns:
            One value a seed, ascending, of all seeds that any method ran, and the keys of all runs
            that carry it; None where none does.
        """
        seen: dict[int, float] = {}
        keys: list[str] = []
        for run in self.methods.values():
            values = run.metric(name)
            if values is not None:
                keys.extend(run.keys)
                seen.update(zip(run.seeds, values.tolist(), strict=True))
        if not seen:
            return None
        return np.array([seen[seed] for seed in sorted(seen)]), tuple(keys)

    def common_seeds(self, first: str, second: str) -> tuple[int, ...]:
        """Return the seeds that both methods ran, ascending."""
        return tuple(s for s in self.methods[first].seeds if s in self.methods[second].seeds)


def read_rows(frame: pd.DataFrame, order: Sequence[str]) -> tuple[Runs, ...]:
    """Return the runs of one experiment's result rows, one `Runs` a product of settings.

    Args:
        frame: rows of results/<experiment>.parquet.
        order: method names in the order in which tables and figures show them; those without rows
            are left out, rows of others are an error.

    Raises:
        PearlError: no rows; rows that mix experiments, profiles, sources or data; a doubled seed.
    """
    if frame.empty:
        raise PearlError("The results hold no runs.", remedy="Make them with `pearl run`.")
    name = str(frame["experiment"].iloc[0])
    for column, word in (
        ("experiment", "experiments"),
        ("profile", "profiles"),
        ("data_source", "data sources"),
        ("data_fingerprint", "data sets"),
    ):
        values = sorted(frame[column].astype(str).unique())
        if len(values) > 1:
            raise PearlError(
                f"The results of {name} mix {word}: {', '.join(values)}.",
                remedy="A table never mixes them; report each by its own `pearl report`.",
            )
    strangers = sorted(set(frame["method"]) - set(order))
    if strangers:
        raise PearlError(f"The results of {name} hold unknown methods: {', '.join(strangers)}.")
    named = frame["variant"].fillna("") if "variant" in frame else ""
    frame = frame.assign(variant=named)
    groups = frame.groupby(["settings", "horizon", "variant"], sort=True)
    return tuple(_runs(name, group, order) for _, group in groups)


def _runs(name: str, frame: pd.DataFrame, order: Sequence[str]) -> Runs:
    rounds = {tuple(int(t) for t in row) for row in frame["curve_t"]}
    if len(rounds) > 1:
        raise PearlError(f"The curves of {name} are sampled at different rounds.")
    methods = {}
    for method in order:
        rows = frame[frame["method"] == method].sort_values("seed")
        if len(rows):
            methods[method] = _method_runs(name, method, rows)
    first = frame.iloc[0]
    return Runs(
        experiment=name,
        profile=str(first["profile"]),
        source=str(first["data_source"]),
        provenance=_provenance(first["provenance"]),
        settings=json.loads(str(first["settings"])),
        horizon=int(first["horizon"]),
        rounds=rounds.pop(),
        facts=_agreed(frame),
        methods=methods,
        variant=str(first["variant"]),
    )


def _provenance(text: Any) -> Provenance | None:
    if text is None or str(text) in ("", "null", "nan"):
        return None
    return Provenance.model_validate_json(str(text))


def _agreed(frame: pd.DataFrame) -> dict[str, str]:
    facts = {}
    for column in (str(name) for name in frame.columns if str(name).startswith(FACT)):
        texts = frame[column].dropna().unique().tolist()
        if len(texts) == 1:
            facts[column.removeprefix(FACT)] = str(texts[0])
    return facts


def _method_runs(name: str, method: str, rows: pd.DataFrame) -> MethodRuns:
    seeds = tuple(int(seed) for seed in rows["seed"])
    if len(set(seeds)) < len(seeds):
        raise PearlError(f"The results of {name} hold a seed of {method} twice: {seeds}.")
    metrics = {
        str(column).removeprefix(METRIC): tuple(
            None if pd.isna(value) else value for value in rows[column].tolist()
        )
        for column in rows.columns
        if str(column).startswith(METRIC)
    }
    return MethodRuns(
        name=method,
        label=str(rows["label"].iloc[0]),
        seeds=seeds,
        keys=tuple(str(key) for key in rows["key"]),
        metrics=metrics,
        curves=np.array([np.asarray(c, dtype=np.float64) for c in rows["curve_regret"]]),
        series=_lists(name, method, rows, SERIES),
        users=_users(name, method, rows, metrics),
    )


def _users(
    name: str, method: str, rows: pd.DataFrame, metrics: dict[str, tuple[Any, ...]]
) -> dict[str, Floats]:
    flat = _lists(name, method, rows, USER)
    if not flat:
        return {}
    count = int(metrics["instance/users"][0])
    return {key: values.reshape(len(rows), count, -1) for key, values in flat.items()}


def _lists(name: str, method: str, rows: pd.DataFrame, prefix: str) -> dict[str, Floats]:
    found: dict[str, Floats] = {}
    for column in (str(c) for c in rows.columns if str(c).startswith(prefix)):
        lists = rows[column].tolist()
        if any(one is None or np.ndim(one) == 0 for one in lists):
            continue
        if len({len(one) for one in lists}) > 1:
            raise PearlError(f"{name}: the runs of {method} have {column} of different lengths.")
        found[column.removeprefix(prefix)] = np.array(lists, dtype=np.float64)
    return found
