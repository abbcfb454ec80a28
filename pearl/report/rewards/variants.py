"""What a variant of an experiment changes, in words."""

from __future__ import annotations

from pearl.report.rewards.reading import Rewards

UNSET = {
    "pairs": "all",
    "update_interval": "a third of an epoch",
    "max_observations": "twice the update interval",
}
"""What a setting means that isn't set."""


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
    words = []
    for name, value in ours.items():
        usual = base.settings.get(name)
        if usual != value:
            said = f"{name.replace('_', ' ')} = {_shown(name, value)}"
            words.append(f"{said} (base: {_shown(name, usual)})")
    return ", ".join(words) or variant


def _shown(name: str, value: object) -> str:
    if value is None:
        return UNSET.get(name, "none")
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value).replace("_", " ")
