"""The data sets that pearl knows: to add one, write its folder and name it here."""

from __future__ import annotations

from pearl.datasets.dataset import DataSet
from pearl.datasets.mooncake.entry import MOONCAKE
from pearl.datasets.prism.entry import PRISM
from pearl.errors import SettingError

DATASETS: dict[str, DataSet] = {entry.name: entry for entry in (MOONCAKE, PRISM)}


def dataset(name: str) -> DataSet:
    """Return the data set of that name; SettingError if there is none."""
    try:
        return DATASETS[name]
    except KeyError:
        known = ", ".join(DATASETS)
        raise SettingError(
            f"There is no data set {name!r}.", remedy=f"The data sets are: {known}."
        ) from None
