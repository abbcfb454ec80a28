"""What a variant of an experiment changes, in words."""

from __future__ import annotations

from pearl.report.rewards.reading import Rewards


def variant_words(rewards: Rewards, variant: str) -> str:
    """Return the settings in which a variant differs from its base: "adam = kept (base: reset)".

    Returns:
        The variant's name where nothing differs or there is no one base.
    """
    varied = [runs for runs in rewards.all_runs if runs.variant == variant]
    if not varied or not rewards.base:
        return variant
    ours = varied[0].settings
    base = min(rewards.base, key=lambda b: sum(b.settings.get(n) != v for n, v in ours.items()))
    words = [
        f"{name.replace('_', ' ')} = {_shown(value)} (base: {_shown(base.settings.get(name))})"
        for name, value in ours.items()
        if base.settings.get(name) != value
    ]
    return ", ".join(words) or variant


def _shown(value: object) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value).replace("_", " ")
