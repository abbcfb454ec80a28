"""How figures look, and how they come out byte for byte the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from matplotlib import rc_context
from matplotlib.figure import Figure

from pearl.files import whole_file

SHOWN_AT = 2  # a PNG has this many pixels for each pixel of the page


@dataclass(frozen=True)
class Theme:
    """Ink on paper, and hues that colour-blind readers can tell apart (after Okabe and Ito)."""

    suffix: str
    ink: str
    soft: str
    grid: str
    paper: str
    warning: str
    reference: str
    others: tuple[str, ...]


LIGHT = Theme(
    suffix="",
    ink="#1c1e21",
    soft="#5d646d",
    grid="#e6e8eb",
    paper="#ffffff",
    warning="#8a5a00",
    reference="#0060a8",
    others=("#c44e00", "#007a5a", "#a0428a", "#6b6f76"),
)
DARK = Theme(
    suffix=".dark",
    ink="#e8eaed",
    soft="#a3abb5",
    grid="#2b3036",
    paper="#15181c",
    warning="#f0b84a",
    reference="#5ab4f2",
    others=("#f2935c", "#3fc79a", "#dc8fc8", "#a3abb5"),
)


@contextmanager
def styled(theme: Theme) -> Iterator[None]:
    """Draw with a theme's colours and with all that keeps a figure's bytes the same."""
    settings = {
        "font.family": "DejaVu Sans",
        "font.size": 9,
        "svg.hashsalt": "pearl",
        "svg.fonttype": "path",
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.linewidth": 0.7,
        "axes.edgecolor": theme.soft,
        "axes.labelcolor": theme.ink,
        "axes.facecolor": theme.paper,
        "figure.facecolor": theme.paper,
        "savefig.facecolor": theme.paper,
        "text.color": theme.ink,
        "xtick.color": theme.soft,
        "ytick.color": theme.soft,
        "xtick.major.width": 0.7,
        "ytick.major.width": 0.0,
        "grid.color": theme.grid,
        "grid.linewidth": 0.7,
    }
    with rc_context(rc=settings):
        yield


def save_both(draw: Callable[[Theme], Figure], folder: Path, stem: str) -> None:
    """Write <stem>.svg and <stem>.png for light pages and <stem>.dark.svg for dark ones."""
    with styled(LIGHT):
        light = draw(LIGHT)
        save(light, folder / f"{stem}.svg")
        save(light, folder / f"{stem}.png")
    with styled(DARK):
        save(draw(DARK), folder / f"{stem}{DARK.suffix}.svg")


def save(figure: Figure, target: Path) -> None:
    """Write one file without dates or versions in it, whole or not at all."""
    form = target.suffix.removeprefix(".")
    nothing = {"svg": {"Date": None, "Creator": None}, "png": {"Software": None}}[form]
    with whole_file(target) as temporary:
        figure.savefig(temporary, format=form, dpi=100 * SHOWN_AT, metadata=nothing)
