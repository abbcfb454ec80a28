"""Table 3 made of the registry: how each method selects, what it sees, whether it learns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pearl.bandits.method import BanditMethod, load_methods
from pearl.report.cells import Cell
from pearl.report.exhibits.printed import PrintedMethod, load_printed_tables
from pearl.report.views import Entry, Grid
from pearl.words import one_of

YES, NO = "\N{CHECK MARK}", "\N{EM DASH}"
AXES = ("exploration", "forgetting", "head", "user_features", "online")
"""Axes by which a method is told from PEARL; the others' settings belong to one of them."""
EXPLORATION = {
    "none": "greedy, arg max µ",
    "fixed": "UCB, α = {alpha:g}",
    "error_adaptive": "error-adaptive UCB, γ = {gamma:g}",
    "thompson": "Thompson sampling, ν = {nu:g}",
    "uniform": "uniform random",
    "oracle": "best recorded rating",
}
FORGETTING = {
    "none": "",
    "directional": "injection along g after a surprise, η = {eta:g}",
    "always_directional": "injection along g after every interaction, η = {eta:g}",
    "window": "the newest {window} observations",
    "discount": "discount {discount:g}",
    "restart": "restart above {restart_above:g}",
}
CHANGED = {
    "exploration": {
        "none": "exploration: none",
        "fixed": "exploration at a fixed rate",
        "thompson": "exploration by sampling",
        "uniform": "no model",
        "oracle": "no model, knows the ratings",
    },
    "forgetting": {
        "none": "no injection",
        "always_directional": "injection without a condition",
        "window": "a window instead of injection",
        "discount": "a discount instead of injection",
        "restart": "restarts instead of injection",
    },
}


@dataclass(frozen=True)
class MethodRow:
    """A row of Table 3 beside the registry's methods that stand for it.

    Each pair holds ours as words, and whether it is what the paper's words mean.
    """

    printed: PrintedMethod
    selection: tuple[str, bool]
    personalised: tuple[bool, bool]
    online: tuple[bool, bool]
    differs: str


def method_rows() -> tuple[MethodRow, ...]:
    """Return Table 3's rows; SettingError for a method that the registry doesn't have."""
    registry = load_methods()
    made = []
    for row in load_printed_tables().methods:
        ours = [registry[one_of(name, registry, "method (Table 3)")] for name in row.methods]
        fits = all(
            getattr(method, axis) == value for method in ours for axis, value in row.axes.items()
        )
        said = "; ".join(dict.fromkeys(selection_words(method) for method in ours))
        sees = all(method.network and method.user_features for method in ours)
        learns = all(method.online for method in ours)
        changes = "; ".join(dict.fromkeys(difference_words(each, registry) for each in ours))
        made.append(
            MethodRow(
                printed=row,
                selection=(said, fits),
                personalised=(sees, sees == row.personalised),
                online=(learns, learns == row.online),
                differs=changes,
            )
        )
    return tuple(made)


def selection_words(method: BanditMethod) -> str:
    """Say how a method selects, from its axes alone."""
    values = method.model_dump()
    words = [EXPLORATION[method.exploration].format(**values)]
    if forgetting := FORGETTING[method.forgetting].format(**values):
        words.append(forgetting)
    if method.head != "mlp":
        words.append(f"{method.head.upper()} head")
    return ", ".join(words)


def difference_words(method: BanditMethod, registry: dict[str, BanditMethod]) -> str:
    """Say by which axes a method differs from PEARL."""
    reference = registry["pearl"]
    changed = [axis for axis in AXES if getattr(method, axis) != getattr(reference, axis)]
    if not changed:
        return "\N{EM DASH}"
    if not method.network:
        return CHANGED["exploration"][method.exploration]
    words = []
    for axis in changed:
        value = getattr(method, axis)
        if axis in CHANGED:
            words.append(CHANGED[axis][value])
        elif axis == "head":
            words.append(f"head {value.upper()}")
        else:
            words.append({"user_features": "no features of users", "online": "frozen"}[axis])
    return ", ".join(words)


def methods_cells(rows: Sequence[MethodRow]) -> list[Cell]:
    """Return the CSV file's cells: words, so nothing is measured."""
    cells = []
    for row in rows:
        name = row.printed.printed
        for column, (_, same), published in (
            ("selection", row.selection, row.printed.selection),
            ("personalised", row.personalised, _mark(row.printed.personalised)),
            ("online", row.online, _mark(row.printed.online)),
        ):
            cells.append(Cell(name, column, None, published=published, verdict=_word(same)))
    return cells


def methods_grids(rows: Sequence[MethodRow], _cells: Sequence[Cell]) -> tuple[Grid, ...]:
    """Print each method as the registry has it, the paper's words beneath."""
    printed = [
        (
            row.printed.printed,
            row.printed.methods == ("pearl",),
            (
                Entry(", ".join(row.printed.methods)),
                _entry(row.selection[0], row.printed.selection, row.selection[1]),
                _marked(row.personalised, row.printed.personalised),
                _marked(row.online, row.printed.online),
                Entry(row.differs, published=row.printed.tests),
            ),
        )
        for row in rows
    ]
    head = ("the paper's row", "here", "selection", "pers.", "onl.", "differs from PEARL by")
    return (Grid("", head, tuple(printed), words=True),)


def methods_beneath(rows: Sequence[MethodRow]) -> tuple[str, ...]:
    """Return the sentences beneath the table."""
    every = [same for row in rows for _, same in (row.selection, row.personalised, row.online)]
    registry = len(load_methods())
    named = sum(len(row.printed.methods) for row in rows)
    return (
        f"{sum(every)} of {len(every)} entries are as the paper's words mean them. Every column but"
        " the paper's is made of the registry, so a change there shows here; what a row tests is"
        " told by the axes in which it differs from PEARL.",
        "A mark under pers. or onl. that stands alone is the paper's too.",
        f"The registry has {registry} methods; the other {registry - named} sweep rates, or read"
        " differently what the paper leaves open (pearl methods prism lists all).",
    )


def _entry(words: str, published: str, same: bool) -> Entry:
    return Entry(words, published=published, verdict=_word(same), tone="good" if same else "bad")


def _marked(ours: tuple[bool, bool], printed: bool) -> Entry:
    """Print a mark, and the paper's beneath where it is another."""
    value, same = ours
    return Entry(_mark(value)) if same else _entry(_mark(value), _mark(printed), same)


def _mark(value: bool) -> str:
    return YES if value else NO


def _word(same: bool) -> str:
    return "same" if same else "differs"
