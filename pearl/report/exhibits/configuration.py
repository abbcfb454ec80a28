"""Table 4 beside what is configured here: each row ours, the paper's, and whether they agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pearl.bandits.heads.registry import HEADS
from pearl.bandits.method import load_methods
from pearl.errors import SettingError
from pearl.experiments import load_experiments
from pearl.report.cells import Cell
from pearl.report.exhibits.asked import Asked
from pearl.report.exhibits.printed import PrintedSetting, load_printed_tables
from pearl.report.numbers import plain
from pearl.report.origin import shown_seeds
from pearl.report.views import Entry, Grid
from pearl.words import one_of

NOT_COMPARED = "not compared"
ON_SAMPLE = "not testable here"


@dataclass(frozen=True)
class Setting:
    """A row of Table 4: ours as words, and whether it is the paper's; None where none can say."""

    printed: PrintedSetting
    ours: str
    same: bool | None
    why: str = ""
    """Why it isn't compared."""

    @property
    def word(self) -> str:
        """The verdict."""
        return self.why if self.same is None else ("same" if self.same else "differs")


@dataclass(frozen=True)
class Configuration:
    """Table 4's rows under a profile."""

    asked: Asked
    rows: tuple[Setting, ...]


def configuration(asked: Asked) -> Configuration:
    """Look up every row; SettingError for a name that isn't there any more."""
    settings = asked.exhibit.settings(asked.params, asked.profile, asked.project)
    rows = tuple(_row(asked, settings, row) for row in load_printed_tables().configuration)
    return Configuration(asked, rows)


def _row(asked: Asked, settings: dict[str, Any], row: PrintedSetting) -> Setting:
    if row.dataset:
        return Setting(row, asked.runs.data_label, not asked.runs.on_sample_data)
    if row.fixed is not None:
        return Setting(row, row.fixed, None, NOT_COMPARED)
    if row.fact is not None:
        count = asked.data.summary(row.fact)
        on_sample = asked.runs.on_sample_data and row.fact != "candidates"
        same = None if on_sample else count == row.value
        return Setting(row, plain(count), same, ON_SAMPLE if on_sample else "")
    found = _found(asked, settings, row)
    if found == ():
        return Setting(row, f"no experiment {row.grid}", False)
    if isinstance(found, tuple):
        wanted = row.value if isinstance(row.value, list) else [row.value]
        same = set(found) == set(wanted)
        words = "{" + ", ".join(_shown(each) for each in found) + "}"
        if row.planned == "seeds":
            words = f"{len(found)} ({shown_seeds(found)})"
        elif len(found) == 1:
            words = _shown(found[0])
        return Setting(row, row.template.format(words), same)
    words = row.none if found is None else row.template.format(_shown(found))
    return Setting(row, words, found == row.value)


def _found(asked: Asked, settings: dict[str, Any], row: PrintedSetting) -> Any:
    """Return our value; a tuple of the different ones where there are several."""
    if row.grid is not None and row.setting is not None:
        return _swept(asked, row.grid, row.setting)
    if row.setting is not None:
        return settings[one_of(row.setting, settings, "setting (Table 4)")]
    if row.field is not None:
        registry = load_methods()
        named = [registry[one_of(name, registry, "method (Table 4)")] for name in row.methods]
        values = tuple(dict.fromkeys(getattr(method, row.field) for method in named))
        return values if isinstance(row.value, list) or len(values) > 1 else values[0]
    if row.head is not None and row.attribute is not None:
        return getattr(HEADS[one_of(row.head, HEADS, "head (Table 4)")], row.attribute)
    experiment = asked.exhibit.experiment(asked.profile, asked.project)
    if experiment is None or row.planned is None:
        raise SettingError(f"Table 4, {row.parameter}: nothing says where ours stands.")
    return experiment.seed_list() if row.planned == "seeds" else experiment.horizon


def _swept(asked: Asked, experiment: str, setting: str) -> tuple[Any, ...]:
    """Return the values that an experiment gives a setting; none where there is no such one."""
    found = load_experiments(asked.project).get(experiment)
    if found is None:
        return ()
    made = found.under(asked.profile)
    values = list(made.grid.get(setting, ()))
    values += [overlay[setting] for overlay in made.variants.values() if setting in overlay]
    return tuple(sorted(set(values)))


def _shown(value: Any) -> str:
    if isinstance(value, bool | str):
        return str(value)
    return f"{value:,}" if isinstance(value, int) else f"{value:g}"


def configuration_cells(table: Configuration) -> list[Cell]:
    """Return the CSV file's cells: words, so nothing is measured."""
    return [
        Cell(
            row.printed.parameter, row.ours, None, published=row.printed.published, verdict=row.word
        )
        for row in table.rows
    ]


def configuration_grids(table: Configuration, _cells: Sequence[Cell]) -> tuple[Grid, ...]:
    """Print every row: ours, the paper's, the verdict."""
    rows = tuple(
        (
            row.printed.parameter,
            False,
            (Entry(row.ours), Entry(row.printed.published), Entry(row.word, tone=_tone(row.same))),
        )
        for row in table.rows
    )
    return (Grid("", ("parameter", "here", "the paper", "the same?"), rows, words=True),)


def configuration_beneath(table: Configuration) -> tuple[str, ...]:
    """Return the sentences beneath the table."""
    judged = [row for row in table.rows if row.same is not None]
    differ = [row.printed.parameter for row in judged if not row.same]
    said = f"{len(judged) - len(differ)} of {len(judged)} compared rows are the paper's"
    said += f"; different here: {', '.join(differ)}." if differ else "."
    asked = table.asked
    facts = asked.data.values["summary"]
    split = f"{plain(facts['pretraining'])} interactions pretrain and {plain(facts['online'])}"
    return (
        f"{said} Profile {asked.profile}; a row whose words no setting decides isn't compared.",
        f"{split} are played in every epoch, of {plain(facts['users with interactions'])} users.",
    )


def _tone(same: bool | None) -> str:
    return "open" if same is None else ("good" if same else "bad")
