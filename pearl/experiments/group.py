"""Names that stand for many experiments: pearl/all for every one whose id begins with pearl/."""

from __future__ import annotations

from pearl.errors import SettingError
from pearl.experiments.exhibit import load_exhibits
from pearl.experiments.experiment import load_experiments
from pearl.project import Project
from pearl.words import one_of

ALL = "/all"
"""The end of a name that stands for all ids with the same beginning; no experiment ends so."""


def is_group(name: str) -> bool:
    """Say whether a name stands for many experiments."""
    return name.endswith(ALL)


def load_group(name: str, project: Project | None = None) -> tuple[str, ...]:
    """Return the ids for which "<beginning>/all" stands, sorted: experiments and exhibits.

    Raises:
        SettingError: no id begins so.
    """
    ids = sorted({*load_experiments(project), *load_exhibits()})
    known = dict.fromkeys(f"{each.partition('/')[0]}{ALL}" for each in ids)
    beginning = one_of(name, known, "group of experiments").removesuffix(ALL)
    return tuple(each for each in ids if each.startswith(f"{beginning}/"))


def check_alone(name: str, **options: object) -> None:
    """Refuse options of a single run for a group; SettingError names them."""
    given = [f"--{option}" for option, value in options.items() if value]
    if given:
        raise SettingError(f"{', '.join(given)} names one run: give its experiment, not {name}.")
