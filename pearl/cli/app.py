"""The `pearl` command: its words, and where each is written."""

from __future__ import annotations

from typing import Annotated

import typer

from pearl import __version__
from pearl.cli import data, run, runs
from pearl.cli.cost import cost
from pearl.cli.doctor import doctor
from pearl.cli.report import report

app = typer.Typer(
    help="Bandits whose world changes under them: data, runs, tracking and the papers' tables.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_show_locals=False,
)
app.add_typer(data.app, name="data")
app.add_typer(runs.app, name="runs")
app.add_typer(run.track, name="track")
for command in (
    run.experiments,
    run.methods,
    run.run,
    report,
    cost,
    run.reproduce,
    doctor,
    run.gc,
):
    app.command()(command)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def _pearl(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print it.")
    ] = False,
) -> None:
    """Bandits whose world changes under them: data, runs, tracking and the papers' tables."""
