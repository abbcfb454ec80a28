"""Which source a data set is taken from, and why: never a silent fallback."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from pearl.errors import SettingError
from pearl.provenance import Source

PROFILE_SOURCES: dict[str, Source] = {"smoke": "sample", "sample": "sample", "paper": "hub"}
SOURCES: tuple[Source, ...] = get_args(Source)


@dataclass(frozen=True)
class SourceChoice:
    """A source and who chose it; `line` is printed before anything else happens."""

    dataset: str
    source: Source
    reason: Literal["--source", "params.yaml", "the profile's default"]

    @property
    def line(self) -> str:
        """For example "mooncake: source sample (the profile's default)"."""
        return f"{self.dataset}: source {self.source} ({self.reason})"


def explain_source(
    dataset: str, *, flag: str | None, params: Mapping[str, Any], profile: str
) -> SourceChoice:
    """Choose a source: the command line's, else params.yaml's, else the profile's default.

    Args:
        dataset: the data set's name.
        flag: what `--source` said, None where it wasn't given.
        params: params.yaml; `sources.<dataset>` may be null or absent.
        profile: smoke, sample or paper.

    Raises:
        SettingError: a word that is no source, or a profile that doesn't exist.
    """
    if flag is not None:
        return SourceChoice(dataset, _known(flag, "--source"), "--source")
    sources = params.get("sources") or {}
    if not isinstance(sources, Mapping):
        raise SettingError(
            f"params.yaml: `sources` holds {sources!r}, not one source a data set.",
            remedy=f"Write `sources: {{{dataset}: null}}`, or one of {', '.join(SOURCES)}.",
        )
    named = sources.get(dataset)
    if named is not None:
        return SourceChoice(dataset, _known(named, f"sources.{dataset}"), "params.yaml")
    if profile not in PROFILE_SOURCES:
        raise SettingError(
            f"There is no profile {profile!r}.",
            remedy=f"The profiles are: {', '.join(PROFILE_SOURCES)}.",
        )
    return SourceChoice(dataset, PROFILE_SOURCES[profile], "the profile's default")


def _known(word: object, where: str) -> Source:
    for source in SOURCES:
        if word == source:
            return source
    raise SettingError(
        f"{where}: {word!r} is no data source.", remedy=f"The sources are: {', '.join(SOURCES)}."
    )
