"""`pearl doctor`: is everything here that pearl needs, and how to get what is not."""

from __future__ import annotations

import typer

from pearl.cli.checks import CHECKS, Check, Finding, fault_of
from pearl.errors import PearlError
from pearl.project import Project


def examine(project: Project) -> list[Finding]:
    """Return the findings on environment, project, store, data and MLflow, in that order.

    A check that can't go on is itself a finding, and the others go on.
    """
    return [finding for name, check in CHECKS.items() for finding in _look(name, check, project)]


def _look(name: str, check: Check, project: Project) -> list[Finding]:
    try:
        return check(project)
    except PearlError as error:
        return [fault_of(name, error)]


def doctor() -> None:
    """Look at environment, versions, data, store and MLflow; say what is missing.

    The exit status is 1 where something is damaged, or missing that pearl can't do without.
    """
    from rich.table import Table

    from pearl.cli.consoles import wide_console

    findings = examine(Project.find())
    console = wide_console()
    table = Table("", "state", "to do")
    for finding in findings:
        table.add_row(finding.subject, finding.state, finding.remedy)
    console.print(table)
    left = sum(not finding.well for finding in findings)
    faults = sum(finding.fault for finding in findings)
    console.print("All is well." if not left else f"To do: {left}.")
    if faults:
        raise typer.Exit(1)
