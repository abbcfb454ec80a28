"""A progress bar for long work: rate and time left on a terminal, silence elsewhere."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)

Advance = Callable[[float], None]


@contextmanager
def progress(title: str, total: float | None, *, unit: str = "runs") -> Iterator[Advance]:
    """Yield a function that advances the bar by an amount.

    `unit` is "bytes" for transfers, else the name of what is counted. The bar goes to standard
    error; where that is no terminal, or PEARL_PROGRESS=0, nothing is printed.
    """
    console = Console(stderr=True)
    quiet = not console.is_terminal or os.environ.get("PEARL_PROGRESS") == "0"
    columns = [TextColumn("{task.description}"), BarColumn(), TaskProgressColumn()]
    if unit == "bytes":
        columns.append(TransferSpeedColumn())
    else:
        columns += [MofNCompleteColumn(), TextColumn(unit), TextColumn("{task.fields[rate]}")]
    columns.append(TimeRemainingColumn())
    with Progress(*columns, console=console, disable=quiet, transient=True) as bar:
        task = bar.add_task(title, total=total, rate="")

        def advance(amount: float) -> None:
            bar.advance(task, amount)
            speed = bar.tasks[0].speed
            if speed:
                bar.update(task, rate=f"{speed:.2f}/s" if speed >= 1 else f"{1 / speed:.1f} s each")

        yield advance
