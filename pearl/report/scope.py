"""Under which settings a claim is stated, under which runs stand here, and against which rivals."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from pearl.report.claims import AnyClaim, Baseline
from pearl.report.rows import Runs


def testable(claim: AnyClaim, runs: Runs) -> bool:
    """Say whether runs test a claim: on sample data all do, else those under its own settings."""
    return runs.on_sample_data or not _differences(claim, runs)


def elsewhere(claim: AnyClaim, runs: Runs) -> str:
    """Say under which other settings the runs stand; "" where there are none."""
    parts = [
        f"{name} {here:,} (stated for {value:,.0f})"
        for name, value, here in _differences(claim, runs)
    ]
    return f"measured at {', '.join(parts)}" if parts else ""


def against(baselines: Sequence[Baseline], ran: Collection[str]) -> str:
    """Say which of the paper's baselines are among the methods that ran, and which aren't."""
    if not baselines:
        return ""
    present = [b.name for b in baselines if any(method in ran for method in b.methods)]
    absent = [b.name for b in baselines if b.name not in present]
    said = f"against {', '.join(present)}" if present else "no baseline was run"
    return said + (f"; not run here yet: {', '.join(absent)}" if absent else "")


def _differences(claim: AnyClaim, runs: Runs) -> list[tuple[str, float, float]]:
    here = {**runs.settings, "horizon": runs.horizon}
    return [(name, value, here[name]) for name, value in claim.at.items() if here[name] != value]
