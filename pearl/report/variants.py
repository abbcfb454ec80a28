"""Reports of other profiles and sources: found on disk, listed beside the main report.

The main report is an output of DVC and must not change with what else exists. So it loads
variants.js where there is one, and links to variants.md; both are rewritten here.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from pearl.datasets.sources import SOURCES
from pearl.experiments import PROFILES
from pearl.files import write_text
from pearl.report.choice import MIXED, NO_DATA

NAMES = (*SOURCES, MIXED, NO_DATA)


@dataclass(frozen=True)
class Variant:
    """A report in reports/<profile>-<source>/."""

    profile: str
    source: str

    @property
    def folder(self) -> str:
        """Its folder within reports/."""
        return f"{self.profile}-{self.source}"


def find_variants(reports: Path) -> tuple[Variant, ...]:
    """Return the variants that have a page."""
    every = (Variant(profile, source) for profile in PROFILES for source in NAMES)
    return tuple(one for one in every if (reports / one.folder / "index.html").is_file())


def list_variants(reports: Path) -> tuple[Variant, ...]:
    """Rewrite variants.js and variants.md from what is on disk; return it."""
    found = find_variants(reports)
    listed = [{"folder": v.folder, "profile": v.profile, "source": v.source} for v in found]
    write_text(reports / "variants.js", f"window.pearlVariants = {json.dumps(listed)};\n")
    lines = ["# Reports of other profiles and sources", ""]
    lines += [
        f"- [profile {one.profile}, source {one.source}]({one.folder}/index.md)" for one in found
    ]
    if not found:
        lines.append("None yet: `pearl report --profile PROFILE --source SOURCE` makes one.")
    write_text(reports / "variants.md", "\n".join([*lines, "", "[The main report](index.md)", ""]))
    return found
