"""The sample's statistics beside the published ones: what `pearl data status` prints."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from pearl.datasets.dataset import Comparison
from pearl.datasets.prism.statistics import statistics
from pearl.words import validated
from pearl.yaml_files import read_mapping

FILE = resources.files(__package__).joinpath("published.yaml")
_ROUNDING = 1e-9


class PublishedFact(BaseModel):
    """A published statistic, how it is known, and how near a sample has to come to it.

    `small` and `full` are tolerances of the committed sample and of the one at the publisher's
    size; None where the fact hangs on the size, or the sample departs from it on purpose.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    value: int | float
    status: Literal["exact", "derived", "digitised", "approx"]
    small: int | float | None
    full: int | float | None


def published_facts() -> dict[str, PublishedFact]:
    """Return the published statistics by the names that `statistics` gives them."""
    content = read_mapping(FILE)
    return {name: validated(PublishedFact, fact, name) for name, fact in content.items()}


def compare(folder: Path) -> list[Comparison]:
    """Compare the files of a folder, in the publisher's schema, with what was published.

    The tolerances are those of the full size where the folder holds as many conversations as the
    publisher's data.
    """
    published, found = published_facts(), statistics(folder)
    full = found["conversations"] == published["conversations"].value
    comparisons = []
    for name, fact in published.items():
        tolerance = fact.full if full else fact.small
        within = tolerance is None or abs(found[name] - fact.value) <= tolerance + _ROUNDING
        comparisons.append(
            Comparison(
                name=name,
                published=_shown(fact.value),
                status=fact.status,
                tolerance="" if tolerance is None else f"± {tolerance:g}",
                sample=_shown(found[name]),
                within=None if tolerance is None else within,
            )
        )
    return comparisons


def _shown(value: int | float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:,.6g}"
