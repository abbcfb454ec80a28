"""The layout of anything that the report shows."""

from __future__ import annotations

from pearl.experiments import Exhibit
from pearl.report.exhibits.kinds import exhibit_kind
from pearl.report.kinds import kind_of
from pearl.report.layout import Layout, Shown


def layout_of(shown: Shown) -> Layout:
    """Return how an experiment's or an exhibit's table is judged and printed.

    Raises:
        SettingError: it names no kind of table that there is.
    """
    return exhibit_kind(shown) if isinstance(shown, Exhibit) else kind_of(shown)
