"""params.yaml's section `embeddings`."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from pearl.project import Project
from pearl.words import validated

POINTS: dict[float, int] = {0.1: 10, 0.2: 20, 0.3: 30}


class EmbeddingSettings(BaseModel):
    """Which slates are embedded: those with a spread above `min_spread` of the scale.

    Experiments that ask for a lower spread than this find their slates missing.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    min_spread: Literal[0.1, 0.2, 0.3] = 0.3  # type: ignore[valid-type]

    @property
    def min_points(self) -> int:
        """The spread in whole points of the scale 1-100."""
        return POINTS[self.min_spread]


def embedding_settings(project: Project) -> EmbeddingSettings:
    """Read the section; absent names have their defaults, SettingError for what it doesn't know."""
    section = project.params().get("embeddings") or {}
    return validated(EmbeddingSettings, section, "params.yaml, `embeddings`")
