"""Where tables go: as wide as the terminal, and uncut where there is none."""

from __future__ import annotations

from rich.console import Console

UNCUT = 10_000


def wide_console() -> Console:
    """Return a console for plain words that cuts no column where its output goes into a pipe."""
    console = Console(markup=False, highlight=False)
    if not console.is_terminal:
        console.width = UNCUT
    return console
