"""The command line over everything: `pearl --help`."""

from __future__ import annotations

import os
import sys

from pearl.errors import PearlError

INTERRUPTED = 130


def main() -> None:
    """Run the `pearl` command; errors a user can mend are printed without a traceback."""
    os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")
    os.environ.setdefault("DO_NOT_TRACK", "1")
    from rich.console import Console

    from pearl.cli.app import app

    try:
        app()
    except PearlError as error:
        console = Console(stderr=True)
        console.print("error:", style="bold red", end=" ")
        console.print(str(error), markup=False, highlight=False, soft_wrap=True)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
