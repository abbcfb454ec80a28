"""The sample's statistics beside the published ones: what `pearl data status` prints."""

from __future__ import annotations

from pathlib import Path

from pearl.datasets.dataset import Comparison
from pearl.datasets.prism.published import published_facts
from pearl.datasets.prism.statistics import statistics


def compare(folder: Path) -> list[Comparison]:
    """Compare the files of a folder, in the publisher's schema, with what was published.

    The tolerances are those of the full size where the folder holds as many conversations as the
    publisher's data.
    """
    published, found = published_facts(), statistics(folder)
    full = found["conversations"] == published["conversations"].value
    comparisons = []
    for name, fact in published.items():
        tolerance = fact.tolerance(full=full)
        comparisons.append(
            Comparison(
                name=name,
                published=_shown(fact.value),
                status=fact.status,
                tolerance="" if tolerance is None else f"± {tolerance:g}",
                sample=_shown(found[name]),
                within=fact.holds(found[name], full=full),
            )
        )
    return comparisons


def _shown(value: int | float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:,.6g}"
