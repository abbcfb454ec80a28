"""The published statistics that the sample is held to; see published.yaml."""

from __future__ import annotations

from importlib import resources
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from pearl.yaml_files import read_mapping

FILE_NAME = "published.yaml"


class PublishedFact(BaseModel):
    """A published value, how it is known, and the tolerances of the small and the full sample.

    A tolerance of None: the fact isn't asked of the sample of that size.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    value: int | float
    status: Literal["exact", "derived", "digitised", "approx"]
    small: float | None = Field(ge=0)
    full: float | None = Field(ge=0)

    def tolerance(self, *, full: bool) -> float | None:
        """Return the tolerance at a size."""
        return self.full if full else self.small

    def holds(self, found: float, *, full: bool) -> bool | None:
        """Say whether a sample's value is near enough; None where the fact isn't asked of it."""
        tolerance = self.tolerance(full=full)
        return None if tolerance is None else abs(found - self.value) <= tolerance + 1e-9


def published_facts() -> dict[str, PublishedFact]:
    """Read published.yaml, in its order."""
    document = read_mapping(
        resources.files(__package__).joinpath(FILE_NAME), "Install pearl-bandits anew."
    )
    return {name: PublishedFact.model_validate(fact) for name, fact in document.items()}
